"""Every layout of an object store is read as git reads it, and kept data is dropped when its files change."""

import pathlib
import random
import subprocess

import process_threads
import pytest
from repositories import git
from written_repositories import IDENTITY, grown
from written_repositories import write as write_commits

QUERY = "SELECT commit_id, file_path, status, additions FROM commit_changes('HEAD', ?)"


def check(con, path: pathlib.Path, commits: int = 12, times: int = 1) -> None:
    """Compares the whole history, the first state and the lengths of abbreviated ids with git's."""
    empty = git(path, "hash-object", "-t", "tree", "--stdin").decode().strip()
    patches = git(path, "diff", "--no-color", empty, "HEAD").decode()
    wanted, commit = [], ""
    for line in git(path, "log", "--format=%H", "--numstat", "--no-renames").decode().split("\n"):
        if "\t" in line:
            additions, _, name = line.split("\t")
            wanted.append((commit, name, int(additions)))
        elif line:
            commit = line
    size = sum(file.stat().st_size for file in path.glob("*.txt"))
    ask = lambda query: con.execute(query, [str(path)]).fetchall()
    for _ in range(times):
        found = ask("SELECT patch FROM file_patches('EMPTY', 'HEAD', ?)")
        assert "".join(patch for (patch,) in found) == patches
        rows = ask("SELECT commit_id, file_path, additions FROM commit_changes('HEAD', ?)")
        assert rows == wanted and len({commit for commit, *_ in rows}) == commits
        assert ask("SELECT sum(new_size) FROM file_changes('EMPTY', 'HEAD', ?)") == [(size,)]


def repack(path: pathlib.Path, *options: str, **config: str) -> None:
    settings = [
        part
        for name, value in config.items()
        for part in ("-c", f"{name.replace('_', '.')}={value}")
    ]
    git(path, *settings, "repack", "-a", "-d", "-f", "-q", *options)


def pack(path: pathlib.Path) -> pathlib.Path:
    return next(path.glob(".git/objects/pack/*.pack"))


def index_again(path: pathlib.Path, version: str) -> None:
    for file in path.glob(".git/objects/pack/*.idx"):
        file.chmod(0o644)
        file.unlink()
        git(
            path,
            "index-pack",
            f"--index-version={version}",
            "-o",
            str(file),
            str(file.with_suffix(".pack")),
        )
    for file in path.glob(".git/objects/pack/*.rev"):
        file.unlink()


LAYOUTS = {
    "loose objects": lambda path: None,
    "one pack": repack,
    "deltas that name their base by its id": lambda path: repack(
        path, repack_useDeltaBaseOffset="false"
    ),
    "long chains of deltas": lambda path: repack(path, "--depth=4095", "--window=50"),
    "no deltas": lambda path: repack(path, "--depth=0"),
    "uncompressed": lambda path: repack(path, "-F", pack_compression="0", core_compression="0"),
    "an index of version 1": lambda path: (repack(path), index_again(path, "1")),
    "offsets of 64 bits": lambda path: (repack(path), index_again(path, "2,0x100")),
    "several packs": lambda path: (git(path, "repack", "-d", "-q"), make_more(path)),
    "a multi-pack-index": lambda path: (
        git(path, "repack", "-d", "-q"),
        make_more(path),
        git(path, "multi-pack-index", "write"),
    ),
    "a commit-graph": lambda path: (
        repack(path),
        git(path, "commit-graph", "write", "--reachable"),
    ),
    "a chain of commit-graphs": lambda path: (
        git(path, "commit-graph", "write", "--reachable", "--split=no-merge"),
        make_more(path),
        git(path, "commit-graph", "write", "--reachable", "--split=no-merge"),
    ),
}


def make_more(path: pathlib.Path) -> None:
    """Amends the last commit several times and packs the results, so that objects lie in more than one pack."""
    for number in range(3):
        git(path, *IDENTITY, "commit", "--quiet", "--amend", "-m", f"again {number}")
    git(path, "repack", "-d", "-q")


# The merge gate reads each layout with one of the hash functions, in turns.
@pytest.mark.parametrize(
    ("layout", "kind"),
    [
        pytest.param(layout, kind, marks=() if (number + turn) % 2 == 0 else pytest.mark.slow)
        for number, layout in enumerate(LAYOUTS)
        for turn, kind in enumerate(("sha1", "sha256"))
    ],
)
def test_each_layout_gives_gits_rows(con, tmp_path, layout, kind):
    path = grown(tmp_path / "repository", f"--object-format={kind}")
    LAYOUTS[layout](path)
    # The second time from kept data.
    check(con, path, times=2)


def test_borrowed_stores_are_read_as_git_reads_them(con, tmp_path):
    lender = grown(tmp_path / "lender")
    middle = tmp_path / "middle"
    git(tmp_path, "clone", "--quiet", "--shared", str(lender), str(middle))
    last = tmp_path / "last"
    git(tmp_path, "clone", "--quiet", "--shared", str(middle), str(last))
    check(con, last)
    # A relative path starts at the store whose file names it.
    (middle / ".git/objects/info/alternates").write_text(
        "# a comment\n../../../lender/.git/objects\n"
    )
    check(con, last)
    (middle / ".git/objects/info/alternates").write_text('"../../../lender/.git/ob\\152ects"\n')
    check(con, last)
    # Each store is read once, though the stores name each other.
    (lender / ".git/objects/info/alternates").write_text(
        f"{last}/.git/objects\n{middle}/.git/objects\n{tmp_path}/none\n"
    )
    check(con, last)


def test_what_cannot_be_used_is_said_and_gives_no_rows(con, tmp_path):
    path = grown(tmp_path / "repository")
    repack(path)
    query = "SELECT count(*), sum(additions) FROM commit_changes('HEAD', ?)"
    whole = con.execute(query, [str(path)]).fetchone()
    file = pack(path)
    for target in (file, file.with_suffix(".idx")):
        target.chmod(0o644)
        content = target.read_bytes()
        for damaged in (
            content[:-1],
            content[: len(content) // 2],
            b"",
            content[:4] + b"\xff" * 8 + content[12:],
        ):
            target.write_bytes(damaged)
            with pytest.raises(Exception, match="(tool_failed|not_found|stale): .*"):
                con.execute(query, [str(path)]).fetchone()
            target.write_bytes(content)
            assert con.execute(query, [str(path)]).fetchone() == whole


def test_a_pack_that_is_cut_while_it_is_read_ends_in_an_error_or_in_all_rows(connect, tmp_path):
    path = grown(tmp_path / "repository", commits=60)
    repack(path)
    file = pack(path)
    file.chmod(0o644)
    content = file.read_bytes()
    con = connect()
    process_threads.let_work(con, 1).execute("SET redline_cache_bytes = 0")
    query = "SELECT commit_id, file_path, additions FROM commit_changes('HEAD', ?)"
    whole = con.execute(query, [str(path)]).fetchall()
    outcomes = set()
    for place in (0.02, 0.3, 0.6, 0.9):
        reader = con.cursor()
        try:
            rows = reader.execute(query, [str(path)]).fetchmany(1)
            file.write_bytes(content[: int(len(content) * place)])
            rows += reader.fetchall()
            assert rows == whole
            outcomes.add("rows")
        except Exception as error:
            assert "tool_failed: " in str(error) or "stale: " in str(error), error
            outcomes.add("error")
        finally:
            reader.close()
            file.write_bytes(content)
        assert con.execute(query, [str(path)]).fetchall() == whole
    assert outcomes


def test_a_multi_pack_index_that_is_damaged_changes_nothing(con, tmp_path):
    path = grown(tmp_path / "repository")
    LAYOUTS["a multi-pack-index"](path)
    file = path / ".git/objects/pack/multi-pack-index"
    file.chmod(0o644)
    content = file.read_bytes()
    rows = con.execute(QUERY, [str(path)]).fetchall()
    for damaged in (b"", b"MIDX", content[:40], content[:-100], b"\0" * len(content)):
        file.write_bytes(damaged)
        assert con.execute(QUERY, [str(path)]).fetchall() == rows


def test_cut_ids_are_as_long_as_gits_beside_a_multi_pack_index(con, tmp_path):
    path = grown(tmp_path / "repository", commits=3)
    blobs = "".join(f"blob\nmark :{n}\ndata <<.\n{n}\n.\n" for n in range(1, 20_000))
    subprocess.run(
        ["git", "-C", str(path), "fast-import", "--quiet", "--force"],
        input=blobs.encode(),
        check=True,
    )
    LAYOUTS["a multi-pack-index"](path)
    for _ in range(2):
        (patch,) = con.execute(
            "SELECT patch FROM file_patches('HEAD~1', 'HEAD', ?) LIMIT 1", [str(path)]
        ).fetchone()
        assert git(path, "diff", "--no-color", "HEAD~1", "HEAD").decode().startswith(patch)
        (path / ".git/objects/pack/multi-pack-index").unlink(missing_ok=True)


def contents(path: pathlib.Path, name: str, commits: list[str]) -> list[str | None]:
    """Returns what git has of a file of one line in each commit; none where it has no such file."""
    asked = "".join(f"{commit}:{name}\n" for commit in commits).encode()
    lines = iter(git(path, "cat-file", "--batch", stdin=asked).decode().split("\n")[:-1])
    found = []
    for line in lines:
        if line.endswith(" missing"):
            found.append(None)
            continue
        # What follows is the line of the file, and the end of the answer.
        found.append(next(lines) + "\n")
        assert line.split()[1:] == ["blob", str(len(found[-1]))] and next(lines) == ""
    return found


@pytest.mark.parametrize(
    ("hash_kind", "depth"),
    [
        ("sha1", 50),
        ("sha256", 1),
        pytest.param("sha1", 1, marks=pytest.mark.slow),
        pytest.param("sha256", 50, marks=pytest.mark.slow),
    ],
)
def test_a_name_in_a_large_directory_is_found_as_git_finds_it(con, tmp_path, hash_kind, depth):
    """Such a tree is one of many, each stored as a few changes of another, and is not made for one name."""
    chance = random.Random(depth)
    path = tmp_path / "large"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", f"--object-format={hash_kind}", str(path))
    names = [f"{where}file-{number}.txt" for where in ("", "in/") for number in range(300)]
    first = {name: f"{name}\n".encode() for name in names}

    def commit() -> dict[str, bytes | None]:
        changes = {}
        for name in chance.sample([*names, *(f"{name}.new" for name in names)], 3):
            changes[name] = None if chance.random() < 0.2 else f"{chance.random()}\n".encode()
        return changes

    write_commits(path, [first, *(commit() for _ in range(150))])
    git(path, "-c", "pack.window=50", "repack", "-a", "-d", "-f", "-q", f"--depth={depth}")
    asked = [*chance.sample(names, 12), *(f"{name}.new" for name in chance.sample(names, 12))]
    for name in asked:
        followed = git(path, "log", "--follow", "--format=%H", "main", "--", name).decode().split()
        if followed:
            ours = con.execute(
                "SELECT commit_id FROM file_history(?, 'main', ?)", [name, str(path)]
            ).fetchall()
            assert followed == [commit for (commit,) in ours], name
        # At each commit that changed it, and at some others.
        commits = [*followed, *(f"main~{back}" for back in range(0, 150, 30))]
        for commit, there in zip(commits, contents(path, name, commits), strict=True):
            (content,) = con.execute(
                "SELECT file_content(?, ?, ?)", [name, commit, str(path)]
            ).fetchone()
            assert content == there, (name, commit)

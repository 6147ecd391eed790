"""References in tables (reftable) against git: random updates, deletions, renames and compactions, in both hash functions, and tables that lie."""

import os
import pathlib
import random
import shutil
import struct
import subprocess
import threading
import zlib

import apart
import duckdb
import pytest
import repositories
from answers import answer, assert_refused

STEPS = int(os.environ.get("REDLINE_REFTABLE_STEPS", "60"))
SEED = 20_261_126
AUTHOR = {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@b",
}


def git(repo, *arguments: str, stdin: str = "", **env: str) -> str:
    return repositories.git(
        repo, *arguments, stdin=stdin.encode(), env=repositories.environment(**env)
    ).decode()


def read_by_git(repo, *arguments: str) -> list[str]:
    """Returns the words that a command prints; none where it fails."""
    return subprocess.run(
        ["git", "-C", repo, *arguments],
        capture_output=True,
        text=True,
        env=repositories.environment(),
    ).stdout.split()


def make(repo: pathlib.Path, object_format: str) -> None:
    made = subprocess.run(
        [
            "git",
            "init",
            "-q",
            "--ref-format=reftable",
            f"--object-format={object_format}",
            "-b",
            "main",
            repo,
        ],
        capture_output=True,
    )
    if made.returncode:
        pytest.skip(f"{repositories.git_version()} makes no reftable repository")
    commits = "".join(
        f"commit refs/heads/main\nmark :{n}\ncommitter A <a@b> {1_700_000_000 + n} +0530\ndata 2\nc{n % 10}\nM 644 inline f\ndata 1\n{n % 10}\n"
        for n in range(1, 21)
    )
    git(repo, "fast-import", "--quiet", stdin=commits)


@pytest.fixture(params=["sha1", "sha256"])
def repo(request, tmp_path) -> pathlib.Path:
    """Returns a repository of twenty commits whose references are in tables."""
    return repositories.copied(tmp_path / "repo", make, request.param)


def listed(con, repo) -> list[tuple]:
    rows = con.execute(
        "SELECT name, commit_id, coalesce(symbolic_target, '') FROM refs(?) WHERE name != 'HEAD' ORDER BY name",
        [str(repo)],
    ).fetchall()
    return [tuple(row) for row in rows]


def listed_by_git(repo) -> list[tuple]:
    lines = git(
        repo,
        "for-each-ref",
        "--format=%(refname)%09%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)%09%(symref)",
    ).splitlines()
    return sorted(tuple(line.split("\t")) for line in lines)


def resolved_by_git(repo, names: list[str]) -> list[str | None]:
    """Returns the id that each name resolves to; none where it is missing."""
    lines = git(
        repo, "cat-file", "--batch-check=%(objectname)", stdin="".join(f"{a}\n" for a in names)
    ).splitlines()
    return [
        None if line == f"{name} missing" else line for name, line in zip(names, lines, strict=True)
    ]


def assert_same(con, repo, without: str = "refs/none/"):
    """Compares the references and their logs; those below `without` in the list alone."""
    assert listed(con, repo) == listed_by_git(repo)
    names = [
        "HEAD",
        *[row[0] for row in listed_by_git(repo) if not row[0].startswith(without)],
        "refs/heads/gone",
        "main-worktree/HEAD",
        "worktrees/linked/HEAD",
        "ORIG_HEAD",
        "FETCH_HEAD",
    ]
    asked = []
    for name in names:
        entries = len(read_by_git(repo, "log", "-g", "--format=x", name, "--"))
        asked += [name, *(f"{name}@{{{number}}}" for number in range(min(entries, 6)))]
    for name, id in zip(asked, resolved_by_git(repo, asked), strict=True):
        ours = answer(con, "SELECT resolve_revision(?, ?)", name, str(repo))
        assert (None if ours.error else ours.rows[0][0]) == id, name


SETTINGS = {
    "reftable.blockSize": [512, 1024, 4096, 32_768],
    "reftable.restartInterval": [1, 2, 16, 1000],
    "reftable.indexObjects": ["true", "false"],
    "reftable.geometricFactor": [2, 3, 8],
}
NAMES = [
    *(f"refs/heads/{name}" for name in ("a", "b", "topic/one", "topic/two", "z" * 200)),
    "refs/tags/t",
    "refs/notes/n",
    "refs/remotes/o/main",
]
KINDS = [
    *["update"] * 3,
    *("delete", "symbolic", "rename", "tag", "pack", "many", "worktree", "head"),
    *("settings", "forget", "copy", "fails"),
]


def take_step(repo, kind: str, dice: random.Random, ids: list[str], step: int) -> None:
    """Changes the references of a repository as its users would."""
    name, env = (
        dice.choice(NAMES),
        AUTHOR | {"GIT_COMMITTER_DATE": f"{1_700_001_000 + step} +0530"},
    )
    linked = repo.parent / "linked"
    is_there = lambda name: any(row[0] == name for row in listed_by_git(repo))
    new_log = ("update-ref", "--create-reflog", "-m", f"step {step}")
    if kind == "update":
        git(repo, *new_log, name, dice.choice(ids), **env)
    elif kind == "delete" and is_there(name):
        git(repo, "update-ref", "--no-deref", "-d", name)
    elif kind == "symbolic":
        git(repo, "symbolic-ref", "refs/heads/link", name)
    elif kind == "rename" and is_there("refs/heads/a") and not is_there("refs/heads/renamed"):
        git(repo, "branch", "-m", "a", "renamed", **env)
    elif kind == "copy" and is_there("refs/heads/b"):
        git(repo, "branch", "-C", "b", f"copy{step % 3}", **env)
    elif kind == "tag":
        git(repo, "tag", "-f", "-a", "-m", "x", "annotated", dice.choice(ids), **env)
    elif kind == "pack":
        git(repo, "pack-refs", *dice.choice([["--all"], ["--auto"]]))
    elif kind == "many":
        chosen = {dice.randrange(2000): dice.choice(ids) for _ in range(400)}
        lines = "".join(f"update refs/many/{number:05d} {id}\n" for number, id in chosen.items())
        git(repo, "update-ref", "--stdin", stdin=lines)
    elif kind == "worktree":
        own = f"refs/{dice.choice(['bisect', 'worktree'])}/x"
        git(linked, *new_log, own, dice.choice(ids), **env)
        git(linked, "checkout", "-q", "--detach", dice.choice(ids), **env)
    elif kind == "head":
        git(repo, "symbolic-ref", "HEAD", "refs/heads/" + dice.choice(["main", "unborn"]))
    elif kind == "settings":
        for key, values in SETTINGS.items():
            git(repo, "config", key, str(dice.choice(values)))
    elif kind == "forget":
        read_by_git(
            repo,
            "reflog",
            *dice.choice([["expire", "--expire=all", name], ["delete", f"{name}@{{1}}"]]),
        )
    elif kind == "fails":
        # The second update is refused, and with it the first.
        absent = "1" * len(ids[0])
        lines = f"update {name} {dice.choice(ids)}\nupdate refs/heads/main {ids[0]} {absent}\n"
        with pytest.raises(repositories.GitFailed):
            git(repo, "update-ref", "--stdin", stdin=lines)


def update_at_random(con, repo, seed: int, steps: int) -> None:
    dice = random.Random(seed)
    ids = git(repo, "rev-list", "main").split()
    git(repo, "worktree", "add", "-q", "--detach", str(repo.parent / "linked"))
    take_step(repo, "many", dice, ids, 0)
    for step in range(steps):
        take_step(repo, dice.choice(KINDS), dice, ids, step)
        if step % 6 == 0 or step == steps - 1:
            assert listed(con, repo) == listed_by_git(repo), step
        if step % 50 == 49:
            assert_same(con, repo, without="refs/many/")
            assert_same(con, repo.parent / "linked", without="refs/many/")
    git(repo, "symbolic-ref", "HEAD", "refs/heads/main")
    many = [row[0] for row in listed_by_git(repo) if row[0].startswith("refs/many/")]
    assert len(many) > 300
    # Each in a transaction of its own, which adds a table.
    deleted = many[:: max(1, len(many) // 40)]
    lines = "".join(f"start\ndelete {name}\ncommit\n" for name in deleted)
    git(repo, "update-ref", "--stdin", stdin=lines)
    assert_same(con, repo.parent / "linked", without="refs/many/")
    git(repo, "pack-refs", "--all")
    lines = "".join(
        f"delete {row[0]}\n" for row in listed_by_git(repo) if row[0].startswith("refs/many/")
    )
    git(repo, "update-ref", "--stdin", stdin=lines)
    assert_same(con, repo)


def test_random_updates_leave_what_git_reads(con, repo):
    update_at_random(con, repo, SEED, STEPS)


@pytest.mark.parametrize(
    "size",
    [
        pytest.param(size, marks=() if size in (512, 4096) else pytest.mark.slow)
        for size in SETTINGS["reftable.blockSize"]
    ],
)
@pytest.mark.parametrize("count", [40, 1500])
def test_each_name_is_found_whether_its_index_has_no_block_or_several(con, repo, count, size):
    id = git(repo, "rev-parse", "main").strip()
    names = [f"refs/many/{number:07d}" for number in range(count)]
    git(repo, "config", "reftable.blockSize", str(size))
    lines = "".join(f"create {name} {id}\n" for name in names)
    git(repo, "-c", "core.logAllRefUpdates=always", "update-ref", "--stdin", stdin=lines, **AUTHOR)
    git(repo, "pack-refs", "--all")
    asked = [*names[:: count // 40], *names[-3:]]
    found = con.execute(
        "SELECT name, resolve_revision(name, $2), resolve_revision(name || '@{0}', $2) FROM unnest($1) AS names(name)",
        [asked, str(repo)],
    ).fetchall()
    assert found == [(name, id, id) for name in asked]
    for absent in ("refs/many/", "refs/many/0000000x", "refs/z"):
        assert_refused(answer(con, "SELECT resolve_revision(?, ?)", absent, str(repo)), "not_found")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_hundreds_of_random_updates_leave_what_git_reads(con, repo, seed):
    update_at_random(con, repo, seed, 5 * STEPS)


def test_a_head_before_its_first_commit_detached_or_without_its_branch_is_git_s(con, repo):
    for work in (
        ["symbolic-ref", "HEAD", "refs/heads/unborn"],
        ["checkout", "-q", "--detach", "main"],
        ["update-ref", "-d", "refs/heads/main"],
    ):
        git(repo, *work, **AUTHOR)
        assert_same(con, repo)


def test_references_that_were_migrated_cloned_fetched_and_stashed_are_git_s(con, repo, tmp_path):
    plain, clone = tmp_path / "plain", tmp_path / "clone"
    git(".", "clone", "-q", "--bare", "--ref-format=files", str(repo), str(plain))
    for form in ("reftable", "files", "reftable"):
        git(plain, "refs", "migrate", f"--ref-format={form}")
        assert_same(con, plain)
    git(".", "clone", "-q", "--ref-format=reftable", str(plain), str(clone), **AUTHOR)
    for work in (
        ["fetch", "-q", "origin", "main:refs/heads/got"],
        ["reset", "-q", "--hard", "HEAD~3"],
        ["stash"],
        ["stash"],
        ["stash", "drop"],
    ):
        (clone / "f").write_text(f"{work}")
        git(clone, *work, **AUTHOR)
        assert_same(con, clone)


@pytest.mark.parametrize("size", [512, pytest.param(4096, marks=pytest.mark.slow)])
def test_each_entry_of_logs_of_many_blocks_is_found(con, repo, size):
    ids, dice = git(repo, "rev-list", "main").split(), random.Random(SEED)
    names = ["refs/heads/l1", "refs/heads/l2", "refs/heads/long/l3"]
    git(repo, "config", "reftable.blockSize", str(size))
    for step in range(90):
        words = ["--create-reflog", "-m", "m" * dice.choice([1, 3, 100, 300])]
        env = AUTHOR | {"GIT_COMMITTER_DATE": f"{1_700_002_000 + step * 10} -0330"}
        git(repo, "update-ref", *words, dice.choice(names), dice.choice(ids), **env)
    git(repo, "pack-refs", "--all")
    assert_same(con, repo)
    for name in names:
        entries = read_by_git(repo, "log", "-g", "--format=%H", name, "--")
        moments = [f"{name}@{{@{1_700_001_990 + step * 37}}}" for step in range(27)]
        asked = [f"{name}@{{{number}}}" for number in range(len(entries))] + moments
        theirs = resolved_by_git(repo, asked)
        ours = [answer(con, "SELECT resolve_revision(?, ?)", one, str(repo)) for one in asked]
        assert [None if one.error else one.rows[0][0] for one in ours] == theirs
        assert len(entries) > 15
    git(repo, "reflog", "expire", "--expire=all", "--all")
    assert_same(con, repo)


def test_each_of_several_work_trees_has_git_s_rows(con, repo):
    ids = git(repo, "rev-list", "main").split()
    places = [repo, repo.parent / "one", repo.parent / "two"]
    for number, place in enumerate(places[1:]):
        git(repo, "worktree", "add", "-q", "-b", place.name, str(place), **AUTHOR)
        git(place, "update-ref", "refs/bisect/bad", ids[4 + number])
        git(place, "update-ref", "refs/worktree/own", ids[6 + number])
        git(place, "reset", "-q", "--hard", ids[8 + number], **AUTHOR)
    own = ["HEAD", "HEAD@{1}", "ORIG_HEAD", "refs/bisect/bad", "refs/worktree/own"]
    of = ["", "main-worktree/", "worktrees/one/", "worktrees/two/"]
    for place in places:
        assert listed(con, place) == listed_by_git(place)
        for name in [*(f"{tree}{name}" for tree in of for name in own), "one@{1}", "@{-1}"]:
            ours = answer(con, "SELECT resolve_revision(?, ?)", name, str(place))
            theirs = read_by_git(place, "rev-parse", "-q", "--verify", name)
            assert ([] if ours.error else list(ours.rows[0])) == theirs, (place.name, name)


def find_one_of(con, repo, tmp_path, extension, count: int) -> None:
    """Finds references among so many, and counts the bytes that are read of their table."""
    id = git(repo, "rev-parse", "main").strip()
    lines = "".join(f"create refs/many/{n:07d} {id}\n" for n in range(count))
    git(repo, "update-ref", "--stdin", stdin=lines)
    git(repo, "pack-refs", "--all")
    assert con.execute("SELECT count(*) FROM refs(?)", [str(repo)]).fetchone()[0] == count + 2
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    trace = tmp_path / "trace"
    names = [f"refs/many/{number:07d}" for number in (0, count // 2, count - 1)]
    query = ("SELECT resolve_revision(unnest(?), ?)", [names, str(repo)])
    (found,) = apart.run(
        extension,
        [query],
        under=[*apart.STRACE, "-y", "-s", "0", "-e", "trace=read,pread64", "-o", str(trace)],
    )
    assert found.rows == [(id,)] * 3
    read = sum(
        int(line.rsplit("= ", 1)[1])
        for line in trace.read_text().splitlines()
        if ".ref>" in line and line.rstrip()[-1].isdigit()
    )
    size = sum(table.stat().st_size for table in (repo / ".git/reftable").glob("*.ref"))
    assert 0 < read < 100_000 < 8 * count < size


@pytest.mark.slow
def test_one_name_of_very_many_is_found_without_reading_all(con, repo, tmp_path, extension):
    find_one_of(con, repo, tmp_path, extension, 80_000)


@pytest.mark.slow
def test_one_name_of_a_million_is_found_without_reading_all(con, repo, tmp_path, extension):
    find_one_of(con, repo, tmp_path, extension, 1_000_000)


def test_tables_that_are_joined_meanwhile_are_read_right(con, repo):
    ids = git(repo, "rev-list", "main").split()
    git(repo, "update-ref", "refs/heads/steady", ids[3])
    ended = threading.Event()

    def work():
        for number in range(60):
            git(repo, "update-ref", f"refs/heads/moving{number % 5}", ids[number % 20])
            if number % 7 == 0:
                git(repo, "pack-refs", "--all")
        ended.set()

    writer = threading.Thread(target=work)
    writer.start()
    asked = 0
    while not ended.is_set() or asked < 20:
        asked += 1
        assert (
            con.execute("SELECT resolve_revision('steady', ?)", [str(repo)]).fetchone()[0] == ids[3]
        )
        assert ("refs/heads/steady", ids[3], "") in listed(con, repo)
    writer.join()
    assert listed(con, repo) == listed_by_git(repo)


def sealed(table: bytes, hash: str) -> bytes:
    """Returns a table whose head and foot agree again."""
    head = 24 if hash == "sha1" and table[4] == 1 else 28
    foot = table[:head] + table[len(table) - 44 : len(table) - 4]
    return table[: len(table) - head - 44] + foot + struct.pack(">I", zlib.crc32(foot))


def damages(table: bytes, head: int):
    """Yields tables that lie, each with the foot's checksum right."""
    end = len(table) - head - 44

    def patched(at: int, new: bytes) -> bytes:
        return table[:at] + new + table[at + len(new) :]

    yield "the first block is longer than the file", patched(head + 1, b"\xff\xff\xff")
    yield "the first block is shorter than its head", patched(head + 1, b"\0\0\1")
    yield "more restarts than bytes", table[: head + 4] + b"\xff" * (end - head - 4) + table[end:]
    yield "a prefix of a key that is not there", patched(head + 4, b"\x7f")
    yield "a suffix beyond the block", patched(head + 5, b"\xff\xff\xff\x7f")
    yield "an index that leads to itself", patched(end + head, struct.pack(">Q", head))
    yield "an index beyond the file", patched(end + head, struct.pack(">Q", 1 << 60))
    yield "logs beyond the file", patched(end + head + 24, struct.pack(">Q", 1 << 62))
    yield "blocks of 16 MiB", patched(5, b"\xff\xff\xff")
    yield "another version", patched(4, b"\x07")
    for seed in range(150):
        dice = random.Random(seed)
        at = dice.randrange(5, end + head + 40)
        yield f"random bytes {seed} at {at}", patched(at, dice.randbytes(dice.choice([1, 2, 4])))


# Promise (answers): A table of references that is false, leads to itself or beyond its end, is
# cut, or is joined with others while it is read, gives right rows or an error. With
# `test_tables_that_are_joined_meanwhile_are_read_right`,
# `test_no_table_outside_the_root_is_read`.
def test_a_table_that_lies_is_answered_with_rows_or_an_error(con, repo):
    hash = git(repo, "rev-parse", "--show-object-format").strip()
    git(repo, "update-ref", "--create-reflog", "refs/heads/x", "main", **AUTHOR)
    git(repo, "pack-refs", "--all")
    (table,) = (repo / ".git/reftable").glob("*.ref")
    whole = table.read_bytes()
    head = 24 if whole[4] == 1 else 28
    assert sealed(whole, hash) == whole
    # A list that is old is kept from one query to the next, with its tables; what is written over a table counts all the same.
    os.utime(repo / ".git/reftable/tables.list", (1_700_000_000, 1_700_000_000))
    assert answer(con, "SELECT count(*) FROM refs(?)", str(repo)).rows
    refused = 0
    for _what, damaged in damages(whole, head):
        table.write_bytes(sealed(damaged, hash))
        for query in (
            "SELECT count(*) FROM refs(?)",
            "SELECT resolve_revision('x@{0}', ?)",
            "SELECT resolve_revision('HEAD', ?)",
        ):
            got = answer(con, query, str(repo))
            if got.error:
                assert_refused(got, "tool_failed", "not_found", "too_large")
                refused += 1
    assert refused > 100
    for broken in (whole[:-1], whole[:30], b"", b"REFT", whole[:-5] + b"xxxxx"):
        table.write_bytes(broken)
        assert_refused(answer(con, "SELECT count(*) FROM refs(?)", str(repo)), "tool_failed")
    table.write_bytes(whole)
    for name in ("../../x", "/etc/passwd", ".hidden", "absent.ref", "a\0b", "sub/table.ref"):
        (repo / ".git/reftable/tables.list").write_text(f"{table.name}\n{name}\n")
        assert_refused(answer(con, "SELECT count(*) FROM refs(?)", str(repo)), "tool_failed")
    table.unlink()
    os.mkfifo(table)
    (repo / ".git/reftable/tables.list").write_text(f"{table.name}\n")
    assert_refused(answer(con, "SELECT count(*) FROM refs(?)", str(repo)), "tool_failed")


def test_no_table_outside_the_root_is_read(connect, repo, tmp_path):
    outside = tmp_path / "outside.ref"
    (table,) = list((repo / ".git/reftable").glob("*.ref"))[-1:]
    outside.write_bytes(table.read_bytes())
    table.unlink()
    table.symlink_to(outside)
    con = connect()
    con.execute(f"SET allowed_directories = ['{repo}']")
    con.execute("SET enable_external_access = false")
    with pytest.raises(duckdb.Error, match="fs_denied"):
        con.execute("SELECT count(*) FROM refs(?)", [str(repo)]).fetchall()

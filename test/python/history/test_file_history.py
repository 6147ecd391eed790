"""file_history lists what `git log --follow` lists: each commit with the path of its time, status, similarity and line counts."""

import functools
import pathlib
import random

import duckdb
import process_threads
import pytest
import repositories
from histories import PARENTS, Clock, each_file, write

SEED = 20_261_127
STATUS = repositories.STATUS | {"R": "renamed", "C": "copied"}


def git_follow(repo, file: str, *options: str) -> list[tuple]:
    printed = repositories.git(
        repo, "log", "--follow", "-z", "--raw", "--numstat", "--no-abbrev", "--format=%x01%x01%H%x00%P%x00%aN%x00%x02%x02", *options, "--", file
    )  # fmt: skip
    rows = []
    for entry in printed.split(b"\x01\x01")[1:]:
        head, _, body = entry.partition(b"\0\x02\x02")
        commit, parents, name = (field.decode(errors="replace") for field in head.split(b"\0"))
        fields = [
            field.removeprefix(b"\n").removeprefix(b"\0")
            for field in body.split(b"\0")
            if field.strip(b"\n")
        ]
        *_, status = fields[0][1:].decode().split()
        paths = [repositories.lossy(path) for path in fields[1 : 2 + (status[0] in "RC")]]
        added, deleted, _ = fields[1 + len(paths)].split(b"\t", 2)
        counts = (None, None) if added == b"-" else (int(added), int(deleted))
        old, score = (paths[0], int(status[1:])) if len(paths) == 2 else (None, None)
        rows.append(
            (commit, parents.split(), name, paths[-1], old, STATUS[status[0]], score, *counts)
        )
    return rows


# Of a repository that no test changes: two tests ask for the same commits.
kept_follow = functools.cache(git_follow)


def history(con, repo, file: str, rev: str = "HEAD", **options) -> list[tuple]:
    arguments = "".join(f", {name} := ${name}" for name in options)
    return con.execute(
        "SELECT commit_id, parent_ids, author_name, file_path, old_path, status, similarity, additions, deletions"
        f" FROM file_history($file, $rev, $repo{arguments})",
        {"file": file, "rev": rev, "repo": str(repo), **options},
    ).fetchall()


def assert_same(got, wanted, what=""):
    difference = repositories.first_differences(got, wanted)
    assert not difference, f"{what} against {repositories.git_version()}\n{difference}"


@pytest.mark.parametrize("git, options", PARENTS, ids=["plain", "first-parent"])
def test_the_files_of_the_cases_have_git_s_history(con, cases, git, options):
    compared = 0
    for rev, file in each_file(cases):
        wanted = git_follow(cases, file, *git, rev)
        if wanted:
            assert_same(history(con, cases, file, rev, **options), wanted, (file, rev))
        compared += len(wanted)
    assert compared > 15


@pytest.fixture(scope="module")
def renamed(tmp_path_factory) -> pathlib.Path:
    """Returns a repository whose files are renamed, copied, deleted and made again, on a branch too."""
    repo = tmp_path_factory.mktemp("renamed")
    chance = random.Random(SEED)
    write(repo, "init --quiet --initial-branch=main .")
    clock = Clock(repo)
    text = {f"f{number}": [f"{number} line {line}" for line in range(20)] for number in range(4)}
    save = lambda: {name: "".join(f"{line}\n" for line in lines) for name, lines in text.items()}
    clock.commit("root", files=save())
    gone = []
    for number in range(50):
        name = chance.choice(list(text))
        action = chance.choice(
            ["edit", "edit", "rename", "rename and edit", "copy", "delete", "again", "side"]
        )
        if action == "rename" or action == "rename and edit":
            target = f"{chance.choice(['', 'd/', 'd/e/'])}r{number}"
            (repo / target).parent.mkdir(parents=True, exist_ok=True)
            repositories.git(repo, "mv", name, target)
            text[target] = text.pop(name)
            if action == "rename and edit":
                text[target][chance.randrange(20) : 0] = [f"new {number}"] * chance.randrange(1, 9)
        elif action == "copy":
            text[f"c{number}"] = text[name][: chance.randrange(12, 20)]
        elif action == "delete" and len(text) > 3:
            repositories.git(repo, "rm", "--quiet", name)
            gone.append((name, text.pop(name)))
        elif action == "again" and gone:
            name, lines = gone.pop()
            text[name] = lines
        elif action == "side":
            write(repo, "checkout --quiet -b side")
            clock.commit(
                "on the side", files={name: "".join(f"{line}\n" for line in ["side", *text[name]])}
            )
            write(repo, "checkout --quiet main")
            clock.commit("meanwhile", files={f"o{number}": f"{number}\n"})
            clock.now += 60
            when = {f"GIT_{role}_DATE": f"{clock.now} +0000" for role in ("AUTHOR", "COMMITTER")}
            who = {
                f"GIT_{role}_{part}": "m@example.com"
                for role in ("AUTHOR", "COMMITTER")
                for part in ("NAME", "EMAIL")
            }
            write(repo, "merge --quiet --no-edit side", "branch --quiet -D side", **who, **when)
            text[name].insert(0, "side")
            continue
        else:
            text[name][chance.randrange(len(text[name]))] = f"edit {number}"
        clock.commit(f"{action} {number}", files=save())
    return repo


@pytest.mark.parametrize(
    "git, options",
    [([], {}), (["--first-parent"], {"first_parent": True})],
    ids=["plain", "first-parent"],
)
def test_files_are_followed_through_renames_and_copies_as_in_git(con, renamed, git, options):
    names = set(repositories.git_text(renamed, "log", "--format=", "--name-only").split())
    compared, statuses = 0, set()
    for rev in ("HEAD", "HEAD~9", "HEAD~30..HEAD"):
        for file in sorted(names):
            wanted = kept_follow(renamed, file, *git, rev)
            if wanted:
                assert_same(history(con, renamed, file, rev, **options), wanted, (file, rev))
            compared += len(wanted)
            statuses |= {row[5] for row in wanted}
    assert compared > 150
    assert statuses >= {"added", "modified", "deleted", "renamed", "copied"}


def test_a_file_that_no_commit_changed_is_refused(con, renamed):
    with pytest.raises(duckdb.Error, match="not_found: no commit of 'HEAD' changed a file 'f9'"):
        history(con, renamed, "f9")


@pytest.mark.own_database
@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_number_of_threads_changes_no_row(con, renamed, count):
    process_threads.let_work(con, count)
    for rev in ("HEAD", "HEAD~30..HEAD"):
        for file in repositories.git_text(
            renamed, "ls-tree", "-r", "--name-only", "HEAD"
        ).splitlines():
            assert_same(
                history(con, renamed, file, rev), kept_follow(renamed, file, rev), (file, rev)
            )


@pytest.fixture(scope="module")
def long(tmp_path_factory) -> pathlib.Path:
    """Returns a repository of 1,500 commits, each tenth of which changes the file f; its objects are loose."""
    repo = tmp_path_factory.mktemp("long")
    write(repo, "init --quiet --initial-branch=main .")
    stream = []
    for number in range(1_500):
        stream.append(
            f"commit refs/heads/main\ncommitter a <b> {1_700_000_000 + number} +0000\ndata 2\nx\n\n"
        )
        stream.append(
            f"M 644 inline {'f' if number % 10 == 0 else 'other'}\ndata 8\n{number:07}\n\n"
        )
    repositories.git(
        repo,
        "-c",
        "fastimport.unpackLimit=100000",
        "fast-import",
        "--quiet",
        stdin="".join(stream).encode(),
    )
    return repo


@pytest.mark.own_database
def test_a_limit_leaves_no_threads(con, long):
    process_threads.let_work(con, 4).execute("SELECT 1").fetchall()
    before = process_threads.count()
    for limit in (1, 5, 100):
        query = f"SELECT additions FROM file_history('f', 'main', ?) LIMIT {limit}"
        assert con.execute(query, [str(long)]).fetchall() == [(1,)] * limit
        process_threads.assert_ended(before)


@pytest.mark.own_database
@pytest.mark.parametrize("missing", ["commit", "tree"])
def test_a_missing_object_is_the_same_error_for_any_number_of_threads(con, long, missing):
    name = repositories.git_text(
        long, "rev-parse", "main~750" + {"commit": "", "tree": "^{tree}"}[missing]
    ).strip()
    object_file = long / ".git/objects" / name[:2] / name[2:]
    content = object_file.read_bytes()
    object_file.unlink()
    try:
        for count in (1, 2, 8):
            process_threads.let_work(con, count)
            with pytest.raises(
                duckdb.Error, match=f"^Invalid Input Error: tool_failed: object {name} is missing"
            ):
                con.execute(
                    "SELECT commit_id, additions FROM file_history('f', 'main', ?)", [str(long)]
                ).fetchall()
    finally:
        object_file.write_bytes(content)
    assert len(history(con, long, "f", "main")) == 150


@pytest.fixture(scope="module")
def ripgrep(tmp_path_factory) -> pathlib.Path:
    if repositories.bundle_folder() is None:
        pytest.skip("REDLINE_TEST_REPOS is not set")
    return repositories.clone_bundle("ripgrep.bundle", tmp_path_factory.mktemp("large") / "ripgrep")


def of_ripgrep(ripgrep, count: int) -> list[str]:
    return random.Random(SEED).sample(
        repositories.git_text(ripgrep, "ls-files").splitlines(), count
    )


def test_some_files_of_ripgrep_have_git_s_history(con, ripgrep):
    for file in of_ripgrep(ripgrep, 5):
        assert_same(history(con, ripgrep, file), git_follow(ripgrep, file), file)


@pytest.mark.slow
def test_two_hundred_files_of_ripgrep_have_git_s_history(con, ripgrep):
    for file in of_ripgrep(ripgrep, 200):
        assert_same(history(con, ripgrep, file), git_follow(ripgrep, file), file)

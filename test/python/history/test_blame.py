"""file_blame says of every line what `git blame --line-porcelain` says: commit, original path and line, boundary."""

import functools
import pathlib
import random

import duckdb
import pytest
import repositories
from histories import Clock, write

SEED = 20_261_126


def git_blame(repo, file: str, *options: str, contents: bytes | None = None) -> list[tuple]:
    """Returns line, content, commit, author, address, time, subject, original path and line, boundary."""
    printed = repositories.git(
        repo, "blame", "--line-porcelain", "--encoding=UTF-8", *options, "--", file
    )
    subjects = all_subjects(repo)
    rows, commit, fields = [], None, {}
    for line in printed.split(b"\n")[:-1]:
        if line.startswith(b"\t"):
            oid, original, final = commit
            is_committed = set(oid) != {"0"}
            text = lambda name: repositories.lossy(fields[name])
            who = (
                (
                    text(b"author"),
                    text(b"author-mail")[1:-1],
                    int(fields[b"author-time"]),
                    subjects[oid],
                )
                if is_committed
                else (None,) * 4
            )
            path = repositories.lossy(unquoted(fields[b"filename"]))
            rows.append(
                (
                    final,
                    repositories.lossy(line[1:]),
                    oid if is_committed else None,
                    *who,
                    path,
                    original,
                    b"boundary" in fields,
                )
            )
            commit, fields = None, {}
        elif commit is None:
            oid, original, final, *_ = line.decode().split()
            commit = (oid, int(original), int(final))
        else:
            name, _, value = line.partition(b" ")
            fields[name] = value
    return rows


# Of a repository that no test changes: two tests ask for the same lines.
kept_blame = functools.cache(git_blame)


@functools.cache
def all_subjects(repo) -> dict[str, str]:
    """Returns git's %s of each commit: blame's own summary is the first line alone, or the id where there is none."""
    printed = repositories.git(repo, "log", "--all", "--encoding=UTF-8", "--format=%H %s").decode(
        errors="replace"
    )
    return dict(line.split(" ", 1) for line in printed.splitlines())


def unquoted(path: bytes) -> bytes:
    if not path.startswith(b'"'):
        return path
    return path[1:-1].decode("unicode_escape").encode("latin-1")


def blame(con, repo, file: str, rev: str = "HEAD", **options) -> list[tuple]:
    arguments = "".join(
        f", {name} := make_timestamptz(${name}::BIGINT)"
        if name == "since"
        else f", {name} := ${name}"
        for name in options
    )
    return con.execute(
        "SELECT line, content, commit_id, author_name, author_email, epoch(author_date)::BIGINT, subject, original_path, original_line, is_boundary"
        f" FROM file_blame($file, $rev, $repo{arguments})",
        {"file": file, "rev": rev, "repo": str(repo), **options},
    ).fetchall()


def assert_same(got, wanted, what=""):
    difference = repositories.first_differences(got, wanted)
    assert not difference, f"{what} against {repositories.git_version()}\n{difference}"


def files(repo, rev: str) -> list[str]:
    listed = repositories.git(repo, "ls-tree", "-r", "-z", "--full-tree", rev).split(b"\0")[:-1]
    return [
        path.decode()
        for head, path in (entry.split(b"\t", 1) for entry in listed)
        if not head.startswith((b"160000", b"120000"))
    ]


OPTIONS = [
    ([], {}),
    (["-w"], {"ignore_whitespace": "all"}),
    (["--first-parent"], {"first_parent": True}),
    (["-M"], {"moves": True}),
    (["-C"], {"copies": 1}),
    (["-C", "-C"], {"copies": 2}),
    (["-C", "-C", "-C"], {"copies": 3}),
]
NAMES = ["plain", "w", "first-parent", "M", "C", "CC", "CCC"]


@pytest.mark.parametrize("git, options", OPTIONS, ids=NAMES)
def test_every_file_of_the_cases_is_blamed_as_git_does_it(con, cases, git, options):
    compared = 0
    for rev in ("main", "orphan", "middle", "middle..main"):
        for file in files(cases, rev.split("..")[-1]):
            wanted = git_blame(cases, file, *git, rev)
            assert_same(blame(con, cases, file, rev, **options), wanted, (file, rev))
            compared += len(wanted)
    assert compared > 60


@pytest.fixture(scope="module")
def shuffled(tmp_path_factory) -> pathlib.Path:
    """Returns a repository in which blocks of lines move within and between files, on branches that are merged."""
    repo = tmp_path_factory.mktemp("shuffled")
    chance = random.Random(SEED)
    write(repo, "init --quiet --initial-branch=main .")
    clock = Clock(repo)
    block = lambda: [
        f"{' ' * chance.randrange(3)}word{chance.randrange(60)} value {chance.randrange(9)};"
        for _ in range(chance.randrange(1, 9))
    ]
    text = {name: [line for _ in range(5) for line in block()] for name in ("a.c", "b.c", "d/c.c")}
    save = lambda: {name: "".join(f"{line}\n" for line in lines) for name, lines in text.items()}
    clock.commit("root", files=save())
    branches = []
    for number in range(60):
        name, other = chance.choice(list(text)), chance.choice(list(text))
        lines = text[name]
        at = chance.randrange(len(lines) + 1)
        end = min(len(lines), at + chance.randrange(1, 12))
        action = chance.choice(
            [
                "insert",
                "delete",
                "move",
                "copy",
                "indent",
                "edit",
                "rename",
                "branch",
                "merge",
                "new",
            ]
        )
        if action == "insert":
            lines[at:at] = block()
        elif action == "delete" and len(lines) > 20:
            del lines[at:end]
        elif action == "move":
            part = lines[at:end]
            del lines[at:end]
            text[other][chance.randrange(len(text[other]) + 1) : 0] = part
        elif action == "copy":
            text[other][len(text[other]) : 0] = lines[at:end]
        elif action == "indent":
            lines[at:end] = ["    " + line.strip() for line in lines[at:end]]
        elif action == "edit":
            lines[at:end] = [line + "!" for line in lines[at:end]]
        elif action == "rename":
            target = f"r{number}.c"
            repositories.git(repo, "mv", name, target)
            text[target] = text.pop(name)
        elif action == "new":
            text[f"n{number}.c"] = block() + lines[at:end]
        elif action == "branch":
            branches.append((f"b{number}", {name: list(lines) for name, lines in text.items()}))
            write(repo, f"branch b{number}")
            continue
        elif action == "merge" and branches:
            branch, kept = branches.pop(chance.randrange(len(branches)))
            tip = clock.commit("before a merge", files=save())
            other_name = chance.choice(list(kept))
            kept[other_name][1:1] = block()
            write(repo, f"checkout --quiet {branch}")
            clock.commit(
                "on a branch", files={other_name: "".join(f"{line}\n" for line in kept[other_name])}
            )
            write(repo, "checkout --quiet main")
            clock.now += 60
            when = {f"GIT_{role}_DATE": f"{clock.now} +0000" for role in ("AUTHOR", "COMMITTER")}
            who = {
                f"GIT_{role}_{part}": "m@example.com"
                for role in ("AUTHOR", "COMMITTER")
                for part in ("NAME", "EMAIL")
            }
            if other_name in text:
                text[other_name][1:1] = kept[other_name][1:3]
            write(repo, f"merge --quiet --no-commit --strategy=ours {branch}", **who, **when)
            for path, content in save().items():
                (repo / path).write_text(content)
            write(repo, "add --all")
            repositories.git(
                repo,
                "commit",
                "--quiet",
                "-m",
                f"merge {tip[:7]}",
                env=repositories.environment(**who, **when),
            )
            continue
        clock.commit(f"{action} {number}", files=save())
    return repo


@pytest.mark.parametrize("git, options", OPTIONS, ids=NAMES)
def test_lines_that_move_are_blamed_as_git_does_it(con, shuffled, git, options):
    compared = other = 0
    for rev in ("HEAD", "HEAD~7", "HEAD~20..HEAD"):
        for file in files(shuffled, rev.split("..")[-1]):
            wanted = kept_blame(shuffled, file, *git, rev)
            assert_same(blame(con, shuffled, file, rev, **options), wanted, (file, rev))
            compared += len(wanted)
            other += wanted != kept_blame(shuffled, file, rev)
    assert compared > 200
    assert other > 0 or not git


def test_ignored_commits_pass_their_lines_on_as_in_git(con, shuffled):
    chance = random.Random(SEED)
    commits = repositories.git_text(shuffled, "rev-list", "--no-merges", "HEAD").splitlines()
    other = 0
    for number in range(12):
        ignored = chance.sample(commits, chance.choice([1, 1, 3, 10, 30]))
        options = [word for commit in ignored for word in ("--ignore-rev", commit)]
        git, ours = OPTIONS[number % 2 * 3]
        for file in files(shuffled, "HEAD"):
            wanted = git_blame(shuffled, file, *git, *options, "HEAD")
            assert_same(
                blame(con, shuffled, file, "HEAD", ignore_revs=ignored, **ours),
                wanted,
                (file, ignored),
            )
            other += wanted != kept_blame(shuffled, file, *git, "HEAD")
    assert other > 5
    with pytest.raises(duckdb.Error, match="not_found: "):
        blame(con, shuffled, files(shuffled, "HEAD")[0], ignore_revs=["no-such"])


def test_a_part_of_the_lines_is_blamed(con, shuffled):
    file = max(files(shuffled, "HEAD"), key=lambda file: (shuffled / file).stat().st_size)
    count = len(git_blame(shuffled, file, "HEAD"))
    for first, last in ((1, 1), (3, 9), (count, count), (2, count + 50)):
        for git, options in OPTIONS:
            wanted = git_blame(shuffled, file, *git, f"-L{first},{min(last, count)}", "HEAD")
            assert_same(
                blame(con, shuffled, file, "HEAD", lines=[first, last], **options),
                wanted,
                (first, last, git),
            )
    for lines in ([count + 1, count + 1], [0, 1], [3, 2], [1], [1, None]):
        with pytest.raises(duckdb.Error, match="invalid_args: "):
            blame(con, shuffled, file, "HEAD", lines=lines)


def test_since_ends_what_is_followed(con, shuffled):
    dates = [
        int(date) for date in repositories.git_text(shuffled, "log", "--format=%ct", "HEAD").split()
    ]
    for date in dates[:: len(dates) // 5]:
        for file in files(shuffled, "HEAD"):
            wanted = git_blame(shuffled, file, f"--since={date} +0000", "HEAD")
            assert_same(
                blame(con, shuffled, file, "HEAD", since=date * 1_000_000), wanted, (file, date)
            )


def test_lines_that_are_not_committed_have_no_commit(con, shuffled, tmp_path):
    repo = tmp_path / "repo"
    repositories.git(tmp_path, "clone", "--quiet", str(shuffled), str(repo))
    first, second, *_ = sorted(files(repo, "HEAD"))
    (repo / first).write_text("new\n" + (repo / first).read_text() + "last without a newline")
    repositories.git(repo, "mv", second, "moved.c")
    for git, options in OPTIONS:
        assert_same(
            blame(con, repo, first, "WORKTREE", **options), git_blame(repo, first, *git), git
        )
        assert_same(
            blame(con, repo, "moved.c", "WORKTREE", **options),
            git_blame(repo, "moved.c", *git),
            git,
        )
    assert {row[2] for row in blame(con, repo, first, "WORKTREE")} > {None}
    assert_same(blame(con, repo, first, "INDEX"), git_blame(repo, first, "HEAD"))
    repositories.git(repo, "add", first)
    assert_same(blame(con, repo, first, "INDEX"), git_blame(repo, first))


def test_a_file_that_is_not_there_is_refused_with_its_neighbours(con, shuffled):
    for file in ("a.d", "d", "no/such"):
        with pytest.raises(duckdb.Error, match=f"not_found: there is no file '{file}' in 'HEAD'"):
            blame(con, shuffled, file)
    with pytest.raises(duckdb.Error, match="invalid_args: copies is 4"):
        blame(con, shuffled, "a.c", copies=4)
    with pytest.raises(duckdb.Error, match="invalid_args: "):
        blame(con, shuffled, "a.c", "HEAD...HEAD~3")


# -- large repositories -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def ripgrep(tmp_path_factory) -> pathlib.Path:
    if repositories.bundle_folder() is None:
        pytest.skip("REDLINE_TEST_REPOS is not set")
    return repositories.clone_bundle("ripgrep.bundle", tmp_path_factory.mktemp("large") / "ripgrep")


def test_some_files_of_ripgrep_are_blamed_as_git_does_it(con, ripgrep):
    listed = [file for file in files(ripgrep, "HEAD") if file.endswith(".rs")]
    for file in random.Random(SEED).sample(listed, 12):
        assert_same(blame(con, ripgrep, file), git_blame(ripgrep, file, "HEAD"), file)


@pytest.mark.slow
@pytest.mark.parametrize("rev", ["HEAD", "13.0.0", "0.10.0", "11.0.0"])
def test_every_file_of_ripgrep_is_blamed_as_git_does_it(con, ripgrep, rev):
    for file in files(ripgrep, rev):
        assert_same(blame(con, ripgrep, file, rev), git_blame(ripgrep, file, rev), file)


@pytest.mark.slow
@pytest.mark.parametrize("git, options", OPTIONS[1:], ids=NAMES[1:])
def test_files_of_ripgrep_are_blamed_with_each_option(con, ripgrep, git, options):
    listed = [file for file in files(ripgrep, "HEAD") if file.endswith(".rs")]
    for file in random.Random(SEED).sample(listed, 10):
        assert_same(
            blame(con, ripgrep, file, **options), git_blame(ripgrep, file, *git, "HEAD"), file
        )


@pytest.mark.slow
def test_files_of_ripgrep_are_blamed_without_ignored_commits(con, ripgrep):
    chance = random.Random(SEED)
    listed = [file for file in files(ripgrep, "HEAD") if file.endswith(".rs")]
    for file in chance.sample(listed, 12):
        commits = repositories.git_text(ripgrep, "rev-list", "HEAD", "--", file).splitlines()
        ignored = chance.sample(commits, min(len(commits), 4))
        options = [word for commit in ignored for word in ("--ignore-rev", commit)]
        assert_same(
            blame(con, ripgrep, file, ignore_revs=ignored),
            git_blame(ripgrep, file, *options, "HEAD"),
            (file, ignored),
        )


@pytest.mark.slow
def test_random_files_of_cargo_are_blamed_as_git_does_it(con, tmp_path):
    if repositories.bundle_folder() is None:
        pytest.skip("REDLINE_TEST_REPOS is not set")
    repo = repositories.clone_bundle("cargo.bundle", tmp_path / "cargo")
    chance = random.Random(SEED)
    commits = repositories.git_text(repo, "rev-list", "--all").splitlines()
    for rev in chance.sample(commits, 60):
        for file in chance.sample(files(repo, rev), 5):
            assert_same(blame(con, repo, file, rev), git_blame(repo, file, rev), (file, rev))


# -- whole trees ------------------------------------------------------------------------------


def tree_blame(con, repo, rev: str, **options) -> list[tuple]:
    arguments = "".join(f", {name} := ${name}" for name in options)
    return con.execute(
        "SELECT file_path, first_line, lines, commit_id, author_name, author_email, epoch(author_date)::BIGINT, subject, original_path, original_line, is_boundary"
        f" FROM tree_blame($rev, $repo{arguments})",
        {"rev": rev, "repo": str(repo), **options},
    ).fetchall()


def runs(file: str, lines: list[tuple]) -> list[tuple]:
    """Joins the lines of a file that follow one another in one version."""
    found = []
    for line, _, *commit, path, original, boundary in lines:
        same = (*commit, path, boundary)
        if found and found[-1][0] == same and found[-1][2] + found[-1][3] == original:
            found[-1][3] += 1
        else:
            found.append([same, line, original, 1])
    return [
        (file, first, count, *same[:-2], same[-2], original, same[-1])
        for same, first, original, count in found
    ]


@pytest.mark.parametrize("git, options", OPTIONS, ids=NAMES)
def test_a_tree_is_blamed_as_its_files_are(con, shuffled, git, options):
    wanted = [
        run
        for file in sorted(files(shuffled, "HEAD"))
        for run in runs(file, git_blame(shuffled, file, *git, "HEAD"))
    ]
    assert_same(tree_blame(con, shuffled, "HEAD", **options), wanted)
    assert len(wanted) > 40


def test_paths_limit_the_tree_and_the_work_tree_is_blamed(con, cases):
    listed = sorted(
        file for file in files(cases, "main") if file.endswith(".txt") and file != "c.txt"
    )
    wanted = [run for file in listed for run in runs(file, git_blame(cases, file, "main"))]
    assert_same(tree_blame(con, cases, "main", paths=["*.txt", ":!c.txt"]), wanted)
    assert_same(tree_blame(con, cases, "WORKTREE", paths=["*.txt", ":!c.txt"]), wanted)


@pytest.mark.slow
def test_the_tree_of_ripgrep_is_blamed_as_git_does_it(con, ripgrep):
    wanted = [
        run
        for file in sorted(files(ripgrep, "HEAD"))
        for run in runs(file, git_blame(ripgrep, file, "HEAD"))
    ]
    got = [row for row in tree_blame(con, ripgrep, "HEAD") if row[0] in {run[0] for run in wanted}]
    assert_same(sorted(got), sorted(wanted))

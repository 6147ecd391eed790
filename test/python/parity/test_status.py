"""file_status lists what `git status --porcelain=v2` lists, in its order, for work trees in every state."""

import os
import pathlib
import random

import pytest
import repositories
from histories import Clock, write

SEED = 20_261_125
WORDS = {
    ".": None,
    "M": "modified",
    "T": "type_changed",
    "A": "added",
    "D": "deleted",
    "R": "renamed",
    "C": "copied",
    "U": "unmerged",
}
CONFLICTS = {
    "DD": "both_deleted", "AU": "added_by_us", "UD": "deleted_by_them", "UA": "added_by_them",
    "DU": "deleted_by_us", "AA": "both_added", "UU": "both_modified",
}  # fmt: skip


def git_status(repo, *options: str) -> list[tuple]:
    printed = repositories.git(
        repo, "status", "--porcelain=v2", "-z", "--untracked-files=all", *options
    )
    fields = iter(printed.split(b"\0")[:-1])
    rows = []
    for field in fields:
        kind, _, rest = field.partition(b" ")
        if kind in (b"?", b"!"):
            rows.append(
                (
                    repositories.lossy(rest),
                    None,
                    None,
                    {b"?": "untracked", b"!": "ignored"}[kind],
                    None,
                    False,
                    None,
                    None,
                )
            )
            continue
        count = {b"1": 7, b"2": 8, b"u": 9}[kind]
        *values, path = rest.split(b" ", count)
        letters, submodule = values[0].decode(), values[1].decode()
        old, score = None, None
        if kind == b"2":
            old, score = next(fields), int(values[7][1:])
        conflict = CONFLICTS[letters] if kind == b"u" else None
        is_submodule = submodule[0] == "S" and conflict is None
        rows.append(
            (
                repositories.lossy(path),
                None if old is None else repositories.lossy(old),
                WORDS[letters[0]],
                WORDS[letters[1]],
                conflict,
                is_submodule,
                score,
                submodule_change(submodule) if is_submodule else None,
            )
        )
    return rows


def submodule_change(letters: str) -> str | None:
    """Returns the first of what differs, of a field such as `SCMU`."""
    words = {"C": "commits", "M": "content", "U": "untracked"}
    return next((words[letter] for letter in letters[1:] if letter in words), None)


def status(con, repo, **options) -> list[tuple]:
    arguments = "".join(f", {name} := ${name}" for name in options)
    return con.execute(
        f"SELECT * FROM file_status($repo{arguments})", {"repo": str(repo), **options}
    ).fetchall()


def assert_same(con, repo, minimum=1):
    wanted = git_status(repo)
    assert len(wanted) >= minimum
    assert not repositories.first_differences(status(con, repo), wanted)
    assert not repositories.first_differences(
        status(con, repo, ignored=True), git_status(repo, "--ignored")
    )
    assert not repositories.first_differences(
        status(con, repo, renames=False), git_status(repo, "--no-renames")
    )


def make(folder: pathlib.Path) -> None:
    write(folder, "init --quiet --initial-branch=main .")
    files = {
        f"d{number % 3}/f{number}": "".join(f"{number} {line}\n" for line in range(20))
        for number in range(30)
    }
    Clock(folder).commit(
        "root", files=files | {".gitignore": "*.log\nbuild/\n", "d0/.gitignore": "!keep.log\n"}
    )


@pytest.fixture
def repo(tmp_path) -> pathlib.Path:
    return repositories.copied(tmp_path, make)


def test_every_state_of_a_file_is_listed(con, repo):
    write(repo, "mv d0/f0 moved", "rm --quiet d0/f3", "mv d1/f1 d2/renamed-and-edited")
    (repo / "d2/renamed-and-edited").write_text(
        (repo / "d2/renamed-and-edited").read_text() + "more\n"
    )
    (repo / "d0/f6").write_text("staged\n")
    write(repo, "add d0/f6")
    (repo / "d0/f6").write_text("edited\n")
    (repo / "d0/f9").unlink()
    (repo / "d0/f12").unlink()
    os.symlink("x", repo / "d0/f12")
    (repo / "d0/f15").chmod(0o755)
    (repo / "d1/f4").unlink()
    (repo / "d1/f4").mkdir()
    (repo / "d1/f4/inside").write_text("x\n")
    (repo / "intended").write_text((repo / "d2/f2").read_text())
    (repo / "d2/f2").unlink()
    write(repo, "add --intent-to-add intended")
    (repo / "new dir/deep").mkdir(parents=True)
    (repo / "new dir/deep/é\n").write_text("x\n")
    for name in ("a.log", "d0/keep.log", "d1/x.log", "build/deep/out", "build/keep.log"):
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text("x\n")
    write(repo, "init --quiet nested", "init --quiet build/nested")
    for name in ("d1/f7", "d1/f10"):
        (repo / name).unlink()
        write(repo, f"init --quiet {name}")
    Clock(repo / "d1/f10").commit("a repository in place of a file")
    (repo / "nested/file").write_text("x\n")
    (repo / "nested.txt").write_text("x\n")
    (repo / "empty").mkdir()
    assert_same(con, repo, 14)
    wanted = list(git_status(repo, "--", "d0", "*.txt"))
    assert status(con, repo, paths=["d0", "*.txt"]) == wanted
    assert status(con, repo / "d1") == git_status(repo)
    assert {row[3] for row in status(con, repo, untracked=False)} == {
        row[3] for row in git_status(repo, "--untracked-files=no")
    }


def test_every_kind_of_conflict_is_listed(con, repo):
    blobs = [
        repositories.git(repo, "hash-object", "-w", "--stdin", stdin=f"{number}\n".encode())
        .decode()
        .strip()
        for number in range(4)
    ]
    lines = []
    for stages in range(1, 8):
        lines += [
            f"100644 {blobs[stage]} {stage}\tconflict{stages}"
            for stage in (1, 2, 3)
            if stages & (1 << (stage - 1))
        ]
        if stages % 2:
            (repo / f"conflict{stages}").write_text("1\n")
    repositories.git(repo, "update-index", "--index-info", stdin=("\n".join(lines) + "\n").encode())
    assert_same(con, repo, 7)


def test_a_repository_before_its_first_commit_and_one_without_an_index(con, tmp_path):
    write(tmp_path, "init --quiet --initial-branch=main .")
    (tmp_path / "a").write_text("a\n")
    assert_same(con, tmp_path)
    write(tmp_path, "add a")
    (tmp_path / "b").write_text("b\n")
    assert_same(con, tmp_path, 2)
    Clock(tmp_path).commit("root")
    (tmp_path / ".git/index").unlink()
    assert_same(con, tmp_path, 2)


def test_a_submodule_is_changed_by_commits_contents_and_untracked_files(
    con, repo, tmp_path_factory
):
    other = tmp_path_factory.mktemp("other")
    write(other, "init --quiet --initial-branch=main .")
    clock = Clock(other)
    clock.commit("one", files={"file": "1\n"})
    for name in ("commits", "edited", "untracked", "both", "staged", "clean", "nested", "deep"):
        repositories.git(
            repo,
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "add",
            str(other),
            name,
        )
    Clock(repo).commit("submodules")
    assert status(con, repo) == []
    Clock(repo / "commits").commit("two", files={"file": "2\n"})
    (repo / "edited/file").write_text("edited\n")
    (repo / "untracked/new").write_text("new\n")
    (repo / "both/new").write_text("new\n")
    write(repo / "both", "rm --quiet file")
    Clock(repo / "staged").commit("two", files={"file": "2\n"})
    write(repo, "add staged")
    write(repo / "nested", "init --quiet inside")
    # A submodule in a submodule: its untracked files are those of both.
    repositories.git(
        repo / "deep", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other)
    )
    Clock(repo / "deep").commit("a submodule in it")
    write(repo, "add deep")
    (repo / "deep" / other.name / "new").write_text("new\n")
    assert_same(con, repo, 7)
    changes = {row[0]: row[7] for row in status(con, repo)}
    assert [changes[name] for name in ("commits", "both", "nested", "deep")] == [
        "commits", "content", "untracked", "untracked",
    ]  # fmt: skip
    (repo / "deep" / other.name / "file").write_text("edited\n")
    assert_same(con, repo, 7)
    assert [row[0] for row in status(con, repo, untracked=False)] == [
        row[0] for row in git_status(repo, "--untracked-files=no")
    ]


def test_patterns_that_a_sparse_checkout_leaves_out_count(con, repo):
    write(repo, "sparse-checkout set --no-cone /d1/ /d2/ /d0/f0")
    assert not (repo / ".gitignore").exists() and not (repo / "d0/.gitignore").exists()
    for name in (
        "d0/keep.log",
        "d0/x.log",
        "d1/x.log",
        "d1/new",
        "x.log",
        "build/out",
        "d2/.gitignore",
    ):
        (repo / name).parent.mkdir(exist_ok=True)
        (repo / name).write_text("new\n")
    assert_same(con, repo, minimum=2)
    # Neither a link nor a directory is a list of patterns, and what is there is not absent. Whether git writes that down
    # depends on whether its index is older than a second.
    os.symlink("d2/f2", repo / ".gitignore")
    os.utime(repo / ".git/index", (2_000_000_000, 2_000_000_000))
    assert_same(con, repo)
    (repo / ".gitignore").unlink()
    (repo / ".gitignore").mkdir()
    (repo / ".gitignore/f").write_text("x\n")
    assert_same(con, repo)


def test_a_repository_in_a_directory_with_tracked_files_is_a_directory(con, repo):
    for name in ("d1", "other", "d2/deep"):
        write(repo, f"init --quiet {name}")
        (repo / name / "new").write_text("x\n")
    assert_same(con, repo, minimum=3)
    assert "d1/new" in [row[0] for row in status(con, repo)]
    changes = con.execute(
        "SELECT file_path, new_mode FROM file_changes('INDEX', 'WORKTREE', ?, untracked := true)",
        [str(repo)],
    ).fetchall()
    assert ("d1/new", "100644") in changes and "d1" not in dict(changes)


def test_a_file_of_which_only_line_ends_changed_has_no_row(con, repo):
    """git lists it as modified where `git diff` is empty: docs/limitations.md."""
    (repo / ".gitattributes").write_text("* text=auto\n")
    write(repo, "add .gitattributes")
    assert_same(con, repo, 1)
    (repo / "d1/f1").write_bytes((repo / "d1/f1").read_bytes().replace(b"\n", b"\r\n"))
    assert repositories.git(repo, "diff") == b""
    theirs, ours = git_status(repo), status(con, repo)
    assert [row[0] for row in theirs if row not in ours] == ["d1/f1"]
    assert [row for row in theirs if row[0] != "d1/f1"] == ours


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_what_git_does_not_look_at_is_read_where_it_is_asked_for_itself(con, repo, flag):
    (repo / "intended").write_text("x\n")
    write(repo, "add --intent-to-add intended", f"update-index {flag} intended d1/f1 d1/f4")
    (repo / "d1/f1").write_text("on disk\n" + (repo / "d1/f1").read_text())
    (repo / "d1/f4").unlink()
    assert_same(con, repo, minimum=0)
    content = con.execute("SELECT file_content('d1/f1', 'WORKTREE', ?)", [str(repo)]).fetchone()[0]
    assert content == (repo / "d1/f1").read_text()
    blamed = con.execute(
        "SELECT commit_id, count(*) FROM file_blame('d1/f1', 'WORKTREE', ?) GROUP BY ALL ORDER BY 2",
        [str(repo)],
    ).fetchall()
    theirs = [
        line.split()[0].lstrip("^")
        for line in repositories.git_text(repo, "blame", "--abbrev=64", "d1/f1").splitlines()
    ]
    assert (
        [count for _, count in blamed]
        == [theirs.count("0" * len(theirs[0])), len(theirs) - 1]
        == [1, 20]
    )


def test_random_work_trees_have_git_s_status(con, repo):
    chance = random.Random(SEED)
    compared = 0
    for _ in range(25):
        files = [
            pathlib.Path(name) for name in repositories.git_text(repo, "ls-files").splitlines()
        ]
        for _ in range(4):
            file = chance.choice(files)
            action = chance.choice(["edit", "remove", "add", "move", "link", "reset", "unstage"])
            path = repo / file
            if action == "edit" and path.is_file():
                path.write_text(path.read_text() + f"{chance.random()}\n")
            elif action == "remove" and path.exists():
                path.unlink()
            elif action == "add":
                repositories.git(repo, "add", "--all", str(file.parent))
            elif action == "move" and path.is_file() and not path.is_symlink():
                target = f"d{chance.randrange(3)}/m{chance.randrange(1000)}"
                path.rename(repo / target)
            elif action == "link" and path.is_file():
                path.unlink()
                os.symlink("target", path)
            elif action == "reset":
                repositories.git(repo, "checkout", "--quiet", "HEAD", "--", "d0")
            else:
                repositories.git(repo, "reset", "--quiet", "HEAD", "--", "d1")
        wanted = git_status(repo)
        assert not repositories.first_differences(status(con, repo), wanted)
        compared += len(wanted)
    assert compared > 100


@pytest.mark.parametrize(
    "name",
    [
        "basic",
        "super",
        "sparse",
        "sparse-index",
        "split-index",
        "index-4",
        "marked-index",
        "linked-worktree",
        "sha256",
        "unborn",
        "embedded",
    ],
)
def test_the_work_trees_of_the_fixtures_have_git_s_status(con, fixtures, name):
    assert_same(con, fixtures / name, 0)

"""Files of a revision: tree_files lists what `git ls-tree -r -l` lists, file_bytes gives what `git cat-file` gives."""

import pathlib
import random

import duckdb
import pytest
import repositories
from histories import Clock, write

KINDS = {"100644": "file", "100755": "executable", "120000": "symlink", "160000": "submodule"}
SEED = 20_261_124


def ls_tree(repo, rev: str, *paths: str) -> list[tuple]:
    printed = repositories.git(repo, "ls-tree", "-r", "-l", "-z", "--full-tree", rev)
    rows = []
    for entry in printed.split(b"\0")[:-1]:
        head, path = entry.split(b"\t", 1)
        mode, _, oid, size = head.decode().split()
        rows.append(
            (repositories.lossy(path), KINDS[mode], mode, None if size == "-" else int(size), oid)
        )
    return rows


def tree_files(con, repo, rev: str, **options) -> list[tuple]:
    arguments = "".join(f", {name} := ${name}" for name in options)
    return con.execute(
        f"SELECT * FROM tree_files($rev, $repo{arguments})",
        {"rev": rev, "repo": str(repo), **options},
    ).fetchall()


@pytest.mark.parametrize("name", ["basic", "super", "quote-path", "sha256", "deep", "readme"])
def test_every_file_of_a_fixture_is_listed_and_read(con, fixtures, name):
    repo = fixtures / name
    revisions = repositories.git_text(repo, "rev-list", "--max-count=2", "--all").split()
    assert revisions
    for rev in revisions:
        wanted = ls_tree(repo, rev)
        assert tree_files(con, repo, rev) == wanted
        names = [row[:3] + row[4:] for row in wanted]
        assert (
            con.execute(
                "SELECT file_path, kind, mode, oid FROM tree_files(?, ?)", [rev, str(repo)]
            ).fetchall()
            == names
        )
        read = con.execute(
            "SELECT oid, file_bytes(file_path, ?, ?) FROM tree_files(?, ?) WHERE kind <> 'submodule'",
            [rev, str(repo)] * 2,
        ).fetchall()
        for oid, content in read:
            assert content is None or content == repositories.git(repo, "cat-file", "blob", oid)
        # A name that is no UTF-8 cannot be given as text.
        assert sum(content is None for _, content in read) == sum(
            "\ufffd" in row[0] for row in wanted
        )


@pytest.fixture
def edited(cases, tmp_path) -> pathlib.Path:
    """Returns a clone with a staged, an edited, a deleted, an untracked and an ignored file, and a conflict."""
    repo = tmp_path / "edited"
    repositories.git(tmp_path, "clone", "--quiet", "--branch=main", str(cases), str(repo))
    (repo / "third.txt").write_text("staged\n")
    repositories.git(repo, "add", "third.txt")
    (repo / "third.txt").write_text("edited\r\n")
    (repo / "side.txt").unlink()
    (repo / "new.txt").write_text("new\n")
    (repo / ".git/info/exclude").write_text("*.log\n")
    (repo / "a.log").write_text("log\n")
    return repo


def test_the_index_and_the_work_tree_are_listed_and_read(con, edited):
    staged = repositories.git_text(edited, "ls-files", "-s").splitlines()
    assert [
        f"{mode} {oid} 0\t{path}" for path, _, mode, _, oid in tree_files(con, edited, "INDEX")
    ] == staged
    on_disk = {path: size for path, _, _, size, _ in tree_files(con, edited, "WORKTREE")}
    tracked = set(repositories.git_text(edited, "ls-files").splitlines())
    assert set(on_disk) == tracked - {"side.txt"}
    assert on_disk["third.txt"] == len("edited\r\n")
    read = "SELECT file_content(?, ?, ?)"
    for file, rev, wanted in [
        ("third.txt", "INDEX", "staged\n"),
        ("third.txt", "staged", "staged\n"),
        ("third.txt", "WORKTREE", "edited\r\n"),
        ("side.txt", "INDEX", "t\n"),
        ("side.txt", "WORKTREE", None),
        ("new.txt", "WORKTREE", "new\n"),
        ("new.txt", "INDEX", None),
        ("a.log", "WORKTREE", "log\n"),
        ("c.txt", "WORKTREE", "a"),
        ("a", "WORKTREE", None),
        ("a", "HEAD", None),
        ("", "HEAD", None),
        ("a/../c.txt", "WORKTREE", None),
        (".git/HEAD", "WORKTREE", None),
        (".GIT/config", "WORKTREE", None),
        ("/etc/passwd", "WORKTREE", None),
        ("third.txt", "EMPTY", None),
    ]:
        assert con.execute(read, [file, rev, str(edited)]).fetchone() == (wanted,), (file, rev)


def test_of_a_conflict_in_the_index_ours_is_read(con, tmp_path):
    write(tmp_path, "init --quiet --initial-branch=main .")
    clock = Clock(tmp_path)
    clock.commit("root", files={"a": "base\n"})
    write(tmp_path, "checkout --quiet -b side")
    clock.commit("side", files={"a": "theirs\n"})
    write(tmp_path, "checkout --quiet main")
    clock.commit("main", files={"a": "ours\n"})
    with pytest.raises(repositories.GitFailed):
        write(tmp_path, "merge side", GIT_COMMITTER_NAME="x", GIT_COMMITTER_EMAIL="x")
    assert tree_files(con, tmp_path, "INDEX") == [("a", None, None, None, None)]
    assert con.execute("SELECT file_content('a', 'INDEX', ?)", [str(tmp_path)]).fetchone() == (
        "ours\n",
    )


@pytest.mark.own_database
def test_a_file_is_read_as_text_or_as_bytes_up_to_the_limit(con, tmp_path):
    write(tmp_path, "init --quiet --initial-branch=main .")
    Clock(tmp_path).commit("root", files={"a": b"\xff\0b\r\n", "large": b"x" * 1001})
    repo = str(tmp_path)
    assert con.execute(
        "SELECT file_bytes('a', 'HEAD', ?), file_content('a', 'HEAD', ?)", [repo, repo]
    ).fetchone() == (b"\xff\0b\r\n", "\ufffd\0b\r\n")
    con.execute("SET redline_max_read_bytes = 1000")
    for function in ("file_content", "file_bytes"):
        with pytest.raises(duckdb.Error, match="too_large: the file 'large' has 1001 bytes there"):
            con.execute(f"SELECT {function}('large', 'HEAD', ?)", [repo])


def test_paths_limit_the_files(con, cases):
    wanted = [
        row for row in ls_tree(cases, "main") if row[0].startswith("a/") or row[0].endswith("txt")
    ]
    assert tree_files(con, cases, "main", paths=["a", "*.txt"]) == wanted


def test_ripgrep_s_files_are_those_of_git_at_many_revisions(con, tmp_path):
    if repositories.bundle_folder() is None:
        pytest.skip("REDLINE_TEST_REPOS is not set")
    repo = repositories.clone_bundle("ripgrep.bundle", tmp_path / "ripgrep")
    commits = repositories.git_text(repo, "rev-list", "--all").splitlines()
    compared = 0
    for rev in random.Random(SEED).sample(commits, 20):
        wanted = ls_tree(repo, rev)
        assert tree_files(con, repo, rev) == wanted
        compared += len(wanted)
    assert compared > 1000


@pytest.mark.slow
def test_cargo_s_files_are_those_of_git_at_two_hundred_revisions(con, tmp_path):
    if repositories.bundle_folder() is None:
        pytest.skip("REDLINE_TEST_REPOS is not set")
    repo = repositories.clone_bundle("cargo.bundle", tmp_path / "cargo")
    commits = repositories.git_text(repo, "rev-list", "--all").splitlines()
    for rev in random.Random(SEED).sample(commits, 200):
        assert tree_files(con, repo, rev) == ls_tree(repo, rev)

"""The copies of files at revisions under attack: names, links, other users, limits of the host, and disks that are full."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import duckdb
import loose_objects
import pytest
import repositories
from answers import answer, assert_refused
from repositories import git

pytestmark = pytest.mark.own_database

WHO = "-c", "user.name=n", "-c", "user.email=e"
SECRET = "the secret outside"


@pytest.fixture
def repo(tmp_path) -> pathlib.Path:
    repo = tmp_path / "in/repo"
    repo.mkdir(parents=True)
    git(repo, "init", "--quiet", "--initial-branch=main", ".")
    (repo / "a.csv").write_text("n\n1\n")
    (repo / ".env").write_text(SECRET)
    (repo / "b.secret").write_text(SECRET)
    git(repo, "add", "a.csv")
    git(repo, *WHO, "commit", "--quiet", "-m", "first")
    return repo


def path(con, repo, file: str = "a.csv", rev: str = "HEAD") -> pathlib.Path:
    return pathlib.Path(
        con.execute("SELECT file_at(?, ?, ?)", [file, rev, str(repo)]).fetchone()[0]
    )


def limited(con, repo, temp) -> None:
    con.execute(f"SET temp_directory = '{temp}'")
    con.execute(f"SET allowed_directories = ['{repo}']")
    con.execute("SET enable_external_access = false")


# Promise (copies): No name of a repository leads a copy out of its directory or means a pattern, a device or a hidden file: `..`,
# separators, control and invisible characters, names of 4,000 bytes. With
# `test_a_name_that_is_no_name_is_damage`, `a_name_keeps_its_ending_and_cannot_mean_anything_else`.
@pytest.mark.parametrize(
    "name",
    [
        ".hidden.csv", "~", "~root.csv", "-rf.csv", "a*?[b]{c}.csv", "back\\..\\slash.csv", "CON", "nul.csv", "s3:x.csv",
        "new", "lock", "a\nb.csv", "a\x1b[31m.csv", "a\u202evsc.exe", "a\u200b.csv", "'; DROP TABLE t; --.csv", " ", "x" * 4000 + ".csv",
        "%2e%2e.csv", "a b.csv", "UPPER.CSV",
    ],
)  # fmt: skip
def test_a_hostile_name_names_a_plain_file_in_the_directory(connect, tmp_path, name):
    repo = tmp_path / "repo"
    git(tmp_path, "init", "--quiet", str(repo))
    blob = loose_objects.loose(repo, "blob", b"n\n1\n")
    tree = loose_objects.tree(repo, ("100644", name, blob))
    con = connect()
    (tmp_path / "temp").mkdir()
    con.execute(f"SET temp_directory = '{tmp_path}/temp'")
    paths = con.execute("SELECT files_at('*', ?, ?)", [tree, str(repo)]).fetchone()[0]
    found = [entry for entry in (tmp_path / "temp").rglob("*") if not entry.is_dir()]
    assert [str(entry) for entry in found] == paths
    [copy] = found
    assert copy.parent.name == blob and copy.parents[2] == tmp_path / "temp"
    assert (
        copy.name.isprintable() and not set(copy.name) & set("*?[]{}\\:'\"") and copy.name[0] != "."
    )
    assert len(copy.name.encode()) <= 255 and copy.name.lower() not in ("con", "nul.csv")
    assert copy.name.endswith(".csv") == name.lower().endswith(".csv") or name.endswith(".CSV")
    assert con.execute("FROM read_csv(?)", [paths]).fetchall() == [(1,)]


@pytest.mark.parametrize("name", ["..", ".", "", "a/b"])
def test_a_name_that_is_no_name_is_damage(connect, tmp_path, name):
    repo = tmp_path / "repo"
    git(tmp_path, "init", "--quiet", str(repo))
    tree = loose_objects.tree(repo, ("100644", name, loose_objects.loose(repo, "blob", b"n\n1\n")))
    (tmp_path / "temp").mkdir()
    con = connect()
    con.execute(f"SET temp_directory = '{tmp_path}/temp'")
    assert_refused(answer(con, "SELECT files_at('*', ?, ?)", tree, str(repo)), "tool_failed")
    assert not list((tmp_path / "temp").iterdir())


# Promise (copies): A link, a directory or another file in the place of a copy, or of its directory, is replaced and not followed, and
# what it leads to is neither read nor changed. With `whatever_lies_in_the_place_of_a_copy_is_replaced`.
@pytest.mark.parametrize("place", ["file", "directory", "whole"])
def test_a_link_in_the_place_of_a_copy_is_not_followed(connect, repo, tmp_path, place):
    outside = tmp_path / "outside"
    outside.mkdir()
    con = connect()
    copy = path(con, repo)
    for name in ("a.csv", copy.parent.name, "new"):
        (outside / name).write_text(SECRET)
    target, victim = {
        "file": (outside / "a.csv", copy),
        "directory": (outside, copy.parent),
        "whole": (outside, copy.parents[1]),
    }[place]
    victim.rename(tmp_path / "moved")
    victim.symlink_to(target)
    again = path(con, repo)
    assert (
        again.read_text() == "n\n1\n" and not again.is_symlink() and not again.parent.is_symlink()
    )
    for name in ("a.csv", copy.parent.name, "new"):
        assert (outside / name).read_text() == SECRET
    con.close()
    assert sorted(entry.name for entry in outside.iterdir()) == sorted(
        ["a.csv", copy.parent.name, "new"]
    )
    if victim.is_symlink():
        victim.unlink()


# Promise (copies): Where external access is off, a copy is made only where DuckDB may read; without such a directory it is
# `permission_denied:`, and the error names the settings.
def test_a_host_that_allows_no_directory_makes_no_copy(connect, repo, tmp_path):
    con = connect(load=True)
    con.execute("SET temp_directory = ''")
    con.execute(f"SET allowed_directories = ['{repo}']")
    con.execute("SET enable_external_access = false")
    # The repository itself may be read, but no file is written into a directory that is not for temporary ones.
    for call in [
        "file_at('a.csv', 'HEAD', ?)",
        "files_at('*', 'HEAD', ?)",
        "file_versions_at('a.csv', 'HEAD', ?)",
    ]:
        words = assert_refused(answer(con, f"SELECT {call}", str(repo)), "permission_denied")
        assert "temp_directory" in words and "allowed_directories" in words
    assert git(repo, "status", "--porcelain") == b"?? .env\n?? b.secret\n"


def test_a_limited_host_reads_copies_in_its_directory_of_temporary_files(connect, repo, tmp_path):
    con = connect()
    limited(con, repo, tmp_path / "temp")
    assert con.execute("FROM read_csv(file_at('a.csv', 'HEAD', ?))", [str(repo)]).fetchall() == [
        (1,)
    ]
    copy = path(con, repo, rev="WORKTREE")
    # Not the file itself, which could become a link.
    assert copy.is_relative_to(tmp_path / "temp") and copy.read_text() == "n\n1\n"
    con.close()
    assert not (tmp_path / "temp").exists()


# Promise (copies): What may not be read is not copied: a repository outside, a file that its sandbox hides, and, where nothing is
# granted, any.
def test_what_may_not_be_read_is_not_copied(connect, repo, tmp_path):
    other = tmp_path / "other"
    git(tmp_path, "clone", "--quiet", str(repo), str(other))
    con = connect()
    limited(con, repo, tmp_path / "temp")
    for call in [
        "file_at('a.csv', 'HEAD', ?)",
        "files_at('*', 'HEAD', ?)",
        "file_versions_at('a.csv', 'HEAD', ?)",
    ]:
        assert_refused(answer(con, f"SELECT {call}", str(other)), "fs_denied")
    sandboxed = connect()
    policy = json.dumps([{"name": "in", "root": str(tmp_path / "in"), "suffixes": [".csv"]}])
    sandboxed.execute("SET redline_sandboxes = ?", [policy])
    assert path(sandboxed, "in/repo").read_text() == "n\n1\n"
    assert path(sandboxed, "in/repo", rev="WORKTREE").is_relative_to(repo) is False
    for file in [".env", "b.secret"]:
        assert_refused(
            answer(sandboxed, "SELECT file_at(?, 'WORKTREE', 'in/repo')", file), "fs_denied"
        )
    assert_refused(answer(sandboxed, "SELECT files_at('*', 'WORKTREE', 'in/repo')"), "fs_denied")
    assert answer(sandboxed, "SELECT file_at('.git/config', 'WORKTREE', 'in/repo')").rows in (
        None,
        [(None,)],
    )
    sandboxed.execute("SET redline_tool_grants = ['Diff']")
    assert_refused(
        answer(sandboxed, "SELECT file_at('a.csv', 'HEAD', 'in/repo')"), "permission_denied"
    )
    # The directory of the copies is in no sandbox.
    inside = connect()
    inside.execute("SET redline_sandboxes = ?", [policy])
    (tmp_path / "in/temp").mkdir()
    inside.execute(f"SET temp_directory = '{tmp_path}/in/temp'")
    assert not path(inside, "in/repo").is_relative_to(tmp_path / "in")


def test_a_directory_that_others_can_change_holds_no_copies(connect, repo, tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o777)
    con = connect()
    con.execute(f"SET temp_directory = '{tmp_path}/shared'")
    assert not path(con, repo).is_relative_to(tmp_path / "shared")
    assert not list((tmp_path / "shared").iterdir())


ALONE = """
import datetime, decimal, duckdb, os, resource, sys, uuid
extension, repo, temp, file, user = sys.argv[1:]
con = duckdb.connect(config={"allow_unsigned_extensions": True})
con.execute(f"LOAD '{extension}'")
con.execute(f"SET temp_directory = '{temp}'")
if user == "full":
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
elif user:
    os.setgroups([])
    os.setgid(int(user))
    os.setuid(int(user))
try:
    print(con.execute("SELECT file_at(?, 'HEAD', ?)", [file, repo]).fetchone()[0])
except duckdb.Error as error:
    print(error)
"""


def alone(extension, repo, temp, file: str, user: str = "") -> str:
    command = [sys.executable, "-c", ALONE, *map(str, (extension, repo, temp, file)), user]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_a_directory_that_takes_no_file_is_passed_over(connect, repo, monkeypatch):
    """/proc is of a kind in which nobody may make a directory."""
    con = connect()
    con.execute("SET temp_directory = '/proc/redline'")
    assert path(con, repo).read_text() == "n\n1\n"
    monkeypatch.setenv("TMPDIR", "/proc")
    con = connect()
    con.execute("SET temp_directory = '/proc/redline'")
    with pytest.raises(
        duckdb.Error,
        match="tool_failed: there is no directory for a copy .*'/proc' cannot be written",
    ):
        path(con, repo)


# Promise (copies): A disk that is full, or a limit of the system, ends in an error, and leaves no part of a file.
def test_a_disk_that_is_full_leaves_no_part_of_a_copy(extension, repo, tmp_path):
    (repo / "large.csv").write_text("n\n" * 5000)
    git(repo, "add", "large.csv")
    git(repo, *WHO, "commit", "--quiet", "-m", "large")
    (tmp_path / "temp").mkdir()
    words = alone(extension, repo, tmp_path / "temp", "large.csv", "full")
    code, words = repositories.code_and_words(words)
    assert code == "tool_failed" and "larger than the system lets this process write" in words
    assert not list((tmp_path / "temp").iterdir())


@pytest.fixture
def everybody():
    """Returns a directory that every user reaches."""
    with tempfile.TemporaryDirectory() as path:
        pathlib.Path(path).chmod(0o755)
        yield pathlib.Path(path)


# Promise (copies): The copies of another user are neither used nor removed.
@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_the_copies_of_another_user_stay(extension, repo, everybody):
    temp = everybody / "temp"
    temp.mkdir()
    temp.chmod(0o1777)
    git(everybody, "clone", "--quiet", str(repo), "repo")
    repo = everybody / "repo"
    left = temp / "redline-copies-0123456789abcdef"
    left.mkdir(mode=0o700)
    (left / "a.csv").write_text(SECRET)
    words = alone(extension, repo, temp, "a.csv", "65534")
    assert words.startswith(f"{temp}/redline-copies-"), words
    assert [entry.name for entry in temp.iterdir()] == [left.name]
    # Their owner removes them.
    alone(extension, repo, temp, "a.csv")
    assert not list(temp.iterdir())

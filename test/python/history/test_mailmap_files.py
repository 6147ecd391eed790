"""A mailmap of one's own, beside the repository's: the names are those of git with mailmap.file."""

import json
import pathlib
import subprocess

import duckdb
import pytest

OWN = "Ann Proper <ann@proper> <ann@x>\nBen Proper <ben@proper> Ben <ben@x>\n"
MORE = "Ann Preferred <ann@preferred> <ann@x>\n# Two names of one person.\nCleo Whole <cleo@x> C <c@y>\n"
PEOPLE = [("Ann", "ann@x"), ("Ben", "ben@x"), ("C", "c@y"), ("Cleo", "cleo@x")]


def git(repo: pathlib.Path, *words: str) -> str:
    return subprocess.run(
        ["git", "-C", repo, *words], check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture
def repo(tmp_path) -> pathlib.Path:
    """Returns a repository of four people with a .mailmap, beside which another one is."""
    folder = tmp_path / "repo"
    git(tmp_path, "init", "-q", "-b", "main", str(folder))
    for number, (name, email) in enumerate(PEOPLE):
        (folder / "a.txt").write_text("".join(f"{line}\n" for line in range(number + 1)))
        (folder / ".mailmap").write_text(OWN)
        git(folder, "add", ".")
        who = ("-c", f"user.name={name}", "-c", f"user.email={email}")
        git(folder, *who, "commit", "-qm", f"By {name}")
    (tmp_path / "team.mailmap").write_text(MORE)
    return folder


def shown_by_git(repo: pathlib.Path, *config: str) -> list[str]:
    return git(repo, *config, "log", "--format=%aN <%aE>").splitlines()


NAMES = "author_name || ' <' || author_email || '>'"


def test_names_are_those_of_git_with_the_same_files(con, repo):
    file = str(repo.parent / "team.mailmap")
    wanted = shown_by_git(repo, "-c", f"mailmap.file={file}")
    assert wanted != shown_by_git(repo) and "Ann Preferred <ann@preferred>" in wanted
    for function in ("commits", "commit_changes"):
        query = f"SELECT {NAMES} FROM {function}('HEAD', ?, mailmap_file := ?{{more}})"
        rows = con.execute(query.format(more=""), [str(repo), file]).fetchall()
        assert list(dict.fromkeys(row[0] for row in rows)) == list(dict.fromkeys(wanted))
    blamed = con.execute(
        f"SELECT {NAMES} FROM file_blame('a.txt', 'HEAD', ?, mailmap_file := ?)", [str(repo), file]
    ).fetchall()
    assert [row[0] for row in blamed] == wanted[::-1]
    for call in ("tree_blame('HEAD', $1, mailmap_file := $2)", "file_history('a.txt', 'HEAD', $1, mailmap_file := $2)",
                 "line_history('a.txt', 1, 4, 'HEAD', $1, mailmap_file := $2)"):  # fmt: skip
        rows = con.execute(f"SELECT DISTINCT {NAMES} FROM {call}", [str(repo), file]).fetchall()
        assert {row[0] for row in rows} >= {wanted[0], "Ann Preferred <ann@preferred>"}, call


def test_without_the_repository_s_own_the_other_one_counts_alone(con, repo):
    file = str(repo.parent / "team.mailmap")
    query = "SELECT author_name FROM commits('HEAD', ?, mailmap := false, mailmap_file := ?)"
    names = [row[0] for row in con.execute(query, [str(repo), file]).fetchall()]
    assert names == ["Cleo", "Cleo Whole", "Ben", "Ann Preferred"]


def test_list_functions_and_macros_take_the_file(con, repo):
    from repositories import ROOT

    file = str(repo.parent / "team.mailmap")
    listed = "SELECT list_distinct([c.author_name FOR c IN commits_list('HEAD', ?, {'mailmap_file': ?})])"
    assert "Ann Preferred" in con.execute(listed, [str(repo), file]).fetchone()[0]
    for script in ("macros", "git", "analytics"):
        con.execute((ROOT / f"sql/{script}.sql").read_text())
    for call in ("authors(repo := $1, mailmap_file := $2)", "author_churn(repo := $1, mailmap_file := $2)",
                 "author_activity(repo := $1, mailmap_file := $2)", "file_owners(repo := $1, mailmap_file := $2)",
                 "git_log(repo := $1, mailmap_file := $2)"):  # fmt: skip
        rows = con.execute(f"SELECT DISTINCT author_name FROM {call}", [str(repo), file]).fetchall()
        assert ("Ann Preferred",) in rows and ("Ann Proper",) not in rows, call
    (owners,) = con.execute(
        "SELECT owners FROM bus_factor(repo := ?, threshold := 1, mailmap_file := ?)",
        [str(repo), file],
    ).fetchone()
    assert "Ann Preferred" in owners


@pytest.mark.parametrize(
    "file, words",
    [
        ("none.mailmap", "not_found: there is no file '.*none.mailmap', which mailmap_file names"),
        ("", "invalid_args: .*which mailmap_file names, is not a file|not_found"),
        ("repo", "which mailmap_file names, is not a file"),
    ],
)
def test_a_file_that_is_none_is_said(con, repo, file, words):
    given = str(repo.parent / file) if file else ""
    with pytest.raises(duckdb.Error, match=words):
        con.execute(
            f"SELECT author_name FROM commits('HEAD', '{repo}', mailmap_file := '{given}')"
        ).fetchall()


def test_a_file_outside_of_what_may_be_read_is_refused(connect, repo):
    con = connect()
    con.execute(f"SET allowed_directories = ['{repo}/']; SET enable_external_access = false")
    ask = lambda file: con.execute(
        f"SELECT author_name FROM commits('HEAD', '{repo}', mailmap_file := '{file}')"
    ).fetchall()
    (repo / "inner.mailmap").write_text(MORE)
    assert ("Ann Preferred",) in ask(repo / "inner.mailmap")
    (repo / "link.mailmap").symlink_to(repo.parent / "team.mailmap")
    for file in (
        repo.parent / "team.mailmap",
        repo / "link.mailmap",
        repo / "../team.mailmap",
        "/etc/passwd",
    ):
        with pytest.raises(duckdb.Error, match="fs_denied: "):
            ask(file)


def test_a_sandbox_decides_about_the_file(connect, repo):
    (repo / "inner.mailmap").write_text(MORE)
    team = repo.parent / "team"
    team.mkdir()
    (team / "team.mailmap").write_text(MORE)
    con = connect()
    sandboxes = [
        {"name": "work", "root": str(repo)},
        {"name": "team", "root": str(team), "read_approval": True},
    ]
    con.execute("SET GLOBAL redline_sandboxes = ?", [json.dumps(sandboxes)])
    ask = lambda file: con.execute(
        f"SELECT author_name FROM commits('HEAD', 'work', mailmap_file := '{file}')"
    ).fetchall()
    assert ("Ann Preferred",) in ask("work/inner.mailmap")
    with pytest.raises(duckdb.Error, match="reading 'team/team.mailmap' must be approved"):
        ask("team/team.mailmap")
    for file in (repo.parent / "team.mailmap", "work/../team.mailmap", "/etc/passwd"):
        with pytest.raises(duckdb.Error, match="fs_denied|invalid_args|not_found"):
            ask(file)

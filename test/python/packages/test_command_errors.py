"""Errors of the command redline as a person reads them: what was typed, the code and the sentence, and nothing of the inside."""

import pathlib
import re

import pytest
import repositories
from commands import in_process

pytest.importorskip("click", reason="`make test` installs the packages of the commands")

# Each list of wrong arguments with the exit code and a part of what is said.
WRONG = [
    (["diff", "mian"], 2, "no revision 'mian'"),
    (["diff", "a..b"], 1, "not_found: no revision 'a' in 'a..b'"),
    (["diff", "HEAD~9"], 2, "'HEAD' exists, but has no such ancestor"),
    (["diff", "HEAD:a.txt", "HEAD"], 1, "'HEAD:a.txt' is a file's content"),
    (["diff", "HEAD", "--", ":(nosuch)x"], 1, "invalid_args: the pathspec ':(nosuch)x'"),
    (["stat", "--", ":(nosuch)x"], 1, "invalid_args: the pathspec ':(nosuch)x'"),
    (["stat", "-C", "/no/such"], 1, "not_found: there is no directory '/no/such'"),
    (["data", "mian"], 2, "no revision 'mian'"),
    (["data", "HEAD", "HEAD"], 2, "name one file of data"),
    (["review", "HEAD", "-o", "/no/such/page.html"], 1, "No such file or directory: /no/such/page.html"),
    (["log", "--since", "junk"], 1, "invalid_args: since is 'junk'"),
    (["log", "--author", "("], 2, "--author takes a regular expression, which '(' is not"),
    (["log", "--grep", "["], 2, "--grep takes a regular expression, which '[' is not"),
    (["log", "-G", "("], 1, "invalid_args: changed_lines is '('"),
    (["log", "HEAD:a.txt"], 1, "invalid_args: 'HEAD:a.txt' does not lead to a commit"),
    (["show", "nope"], 2, "no revision 'nope'"),
    (["show", "HEAD^{tree}"], 1, "invalid_args: 'HEAD^{tree}' does not lead to a commit"),
    (["blame", "nofile"], 1, "not_found: there is no file 'nofile'"),
    (["blame", "a.txt", "nope"], 1, "not_found: no revision 'nope'"),
    (["blame", "-L", "0,5", "a.txt"], 1, "invalid_args: lines is [0, 5]"),
    (["status", ":(bad)"], 1, "the unknown magic 'bad'"),
    (["report", "nope"], 2, "no revision 'nope'"),
    (["report", "--since", "junk", "-o", "/no/x"], 1, "invalid_args: since is 'junk'"),
    (["report", "HEAD^{tree}", "-o", "/no/x"], 1, "invalid_args: 'HEAD^{tree}' does not lead to a commit"),
    (["help", "nosuch"], 1, "not_found: redline has no function 'nosuch'"),
    (["sql", "FROM changes('nope')"], 1, "redline: not_found: no revision 'nope'"),
    (["sql", "SELECT file_content('a.txt', 'nope', '.')"], 1, "redline: not_found: no revision 'nope'"),
    (["sql", "-o", "/no/such/x.md", "SELECT 1"], 1, "No such file or directory: /no/such/x.md"),
    (["sql", "-f", "csv", "SELECT 'a'::INT"], 1, "Could not convert string 'a' to INT32"),
    (["sql", "--database", "/no/such/x", "SELECT 1"], 1, 'Cannot open file "/no/such/x"'),
    (["approve", "/no/such", "x"], 2, "'/no/such' does not exist"),
    (["shell", "--", "-nosuch"], 2, "-nosuch is for the program duckdb"),
    (["setup", "--completion", "csh"], 2, "'csh'"),
]  # fmt: skip
# DuckDB's classes, its marks below a query of ours, names of temporary files, and what is added to a revision.
INSIDE = re.compile(r"(Invalid Input|Binder|Permission) Error|LINE \d|system\.main|\.redline-|\^!|\^\{commit\}|Traceback|redline_rows")  # fmt: skip


@pytest.fixture(scope="module")
def ours(extension):
    with in_process(extension) as run:
        yield run


@pytest.fixture(scope="module")
def repo(tmp_path_factory) -> pathlib.Path:
    repo = tmp_path_factory.mktemp("repo")
    repositories.git(repo, "init", "-q", "-b", "main", ".")
    (repo / "a.txt").write_text("one\n")
    repositories.git(repo, "add", ".")
    who = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    repositories.git(repo, *who, "commit", "-qm", "first")
    return repo


@pytest.mark.parametrize("words, code, part", WRONG, ids=lambda it: " ".join(it) if isinstance(it, list) else "")  # fmt: skip
def test_an_error_names_what_was_typed_and_nothing_of_the_inside(
    ours, repo, monkeypatch, words, code, part
):
    if words[0] == "report":
        pytest.importorskip("matplotlib", reason="report draws by matplotlib")
    monkeypatch.chdir(repo)
    monkeypatch.setenv("PATH", "")
    said = ours(*words, code=code)
    assert part in said and not INSIDE.search(said), said
    assert said.count("\n") == (1 if code == 1 else 4 if "Usage: " in said else 1), said


def test_every_command_has_a_wrong_argument_above():
    from duckdb_redline.command.main import main

    assert {words[0] for words, *_ in WRONG} == set(main.commands)


def test_a_person_s_own_query_is_shown_where_it_is_wrong(ours):
    for query in ("SELEC 1", "SELECT 1;\n\nSELEC 2"):
        said = ours("sql", query, code=1)
        assert said.startswith("redline: ") and "LINE " in said and "\n" in said.strip(), said


def test_a_value_that_is_asked_for_rows_is_named_as_one(ours):
    said = ours("sql", "FROM ahead_behind('HEAD', 'HEAD', '.')", code=1)
    assert said == "redline: ahead_behind() returns a value, not rows: SELECT ahead_behind(…)\n"
    assert "does not exist" in ours("sql", "FROM ahead_behinds('HEAD')", code=1)

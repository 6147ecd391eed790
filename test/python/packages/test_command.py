"""The command redline: what it prints in a pipe and on a terminal, and its exit codes."""

import json
import os
import pathlib
import pty
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable

import duckdb
import pytest
import repositories
from commands import in_process
from repositories import ROOT

pytest.importorskip("click", reason="`make test` installs the packages of the commands")

ENVIRONMENT = {
    "PYTHONPATH": str(ROOT / "python"),
    "PATH": os.environ["PATH"],
    "COLUMNS": "80",
    "LINES": "24",
    "TERM": "xterm",
}
AUTHOR = ("-c", "user.name=Ann", "-c", "user.email=ann@example.com")


def make(folder: pathlib.Path) -> None:
    git(folder, "init", "-q", "-b", "main")
    (folder / "src").mkdir()
    (folder / "src/a.txt").write_text("one\ntwo\nthree\n")
    (folder / "old.txt").write_text("a file that moves\nof two lines\n")
    commit(folder, "Start")
    (folder / "src/a.txt").write_text("one\n2\nthree\nfour\n")
    (folder / "old.txt").rename(folder / "new.txt")
    (folder / "b.bin").write_bytes(b"\0\1")
    commit(folder, "Change")
    (folder / "src/a.txt").write_text("staged\n")
    git(folder, "add", ".")
    (folder / "new.txt").write_text("not staged\x1b[2J\u202e\n")


@pytest.fixture
def repo(tmp_path) -> pathlib.Path:
    """Returns a repository of two commits, with one change that is staged and one that is not."""
    return repositories.copied(tmp_path, make)


def git(folder: pathlib.Path, *words: str) -> str:
    return subprocess.run(
        ["git", "-C", folder, *AUTHOR, *words], check=True, capture_output=True, text=True
    ).stdout


def commit(folder: pathlib.Path, subject: str) -> None:
    git(folder, "add", ".")
    git(folder, "commit", "-qm", subject)


@pytest.fixture(scope="module")
def in_this_process(extension):
    with in_process(extension) as run:
        yield run


@pytest.fixture
def redline(in_this_process, repo, monkeypatch):
    """Returns a function that runs the command in the repository, in the process of the test."""

    def run(*arguments: object, code: int = 0, cwd: pathlib.Path = repo) -> str:
        with monkeypatch.context() as patch:
            patch.chdir(cwd)
            for name, given in ENVIRONMENT.items():
                patch.setenv(name, given)
            said = in_this_process(*arguments, code=code)
        return said if code else said.decode()

    return run


@pytest.fixture
def redline_apart(extension, repo):
    """Returns the same as a program: for what is read from stdin, or replaces the program."""

    def run(*arguments: object, code: int = 0, cwd: pathlib.Path = repo, **more) -> str:
        command = [sys.executable, "-m", "duckdb_redline", "--extension", extension, *arguments]
        done = subprocess.run(
            list(map(str, command)),
            cwd=cwd,
            capture_output=True,
            text=True,
            env=ENVIRONMENT,
            timeout=60,
            **more,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stderr if code else done.stdout

    return run


def on_a_terminal(extension, repo, *arguments: str, **environment: str) -> str:
    """Returns what the command prints on a terminal of 80 columns."""
    ours, its = pty.openpty()
    command = [sys.executable, "-m", "duckdb_redline", "--extension", str(extension), *arguments]
    running = subprocess.Popen(
        command, cwd=repo, stdin=its, stdout=its, stderr=its, env=ENVIRONMENT | environment
    )
    os.close(its)
    shown = b""
    try:
        while part := os.read(ours, 65536):
            shown += part
    except OSError:
        pass  # Linux says so when the other end is closed.
    os.close(ours)
    assert running.wait(60) == 0, shown
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(
    "arguments, same",
    [
        ([], ["diff"]),
        (["--staged"], ["diff", "--staged"]),
        (["HEAD"], ["diff", "-M", "HEAD"]),
        (["HEAD~1", "HEAD"], ["diff", "-M", "HEAD~1", "HEAD"]),
        (["HEAD~1..HEAD"], ["diff", "-M", "HEAD~1..HEAD"]),
        (["HEAD~1..HEAD", "src"], ["diff", "HEAD~1..HEAD", "--", "src"]),
        (["HEAD~1..HEAD", "--", "gone"], ["diff", "HEAD~1..HEAD", "--", "gone"]),
        (["src"], ["diff", "--", "src"]),
        (["HEAD~1", "--no-renames"], ["diff", "--no-renames", "HEAD~1"]),
        (["HEAD~1", "-U", "0"], ["diff", "-M", "-U0", "HEAD~1"]),
        (["HEAD~1", "INDEX"], ["diff", "-M", "--cached", "HEAD~1"]),
    ],
    ids=lambda words: " ".join(words) or "nothing",
)
def test_a_diff_in_a_pipe_is_that_of_git(redline, repo, arguments, same):
    assert redline("diff", *arguments) == git(repo, *same)


def test_a_repository_is_named_from_elsewhere(redline, repo, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    assert redline("diff", "--repo", repo, "HEAD~1", "--", "src", cwd=elsewhere) == git(
        repo, "diff", "HEAD~1", "--", "src"
    )


def test_stat_and_log_print_cells_between_tabs_in_a_pipe(redline):
    assert (
        redline("stat", "HEAD~1", "HEAD")
        == "added\t-\t-\tb.bin\nrenamed\t0\t0\told.txt => new.txt\nmodified\t2\t1\tsrc/a.txt\n"
    )
    lines = [line.split("\t") for line in redline("log").splitlines()]
    assert [
        (author, files, added, removed, subject)
        for _, _, author, files, added, removed, subject in lines
    ] == [
        ("Ann", "3", "2", "1", "Change"),
        ("Ann", "2", "5", "0", "Start"),
    ]
    assert [line.split("\t")[-1] for line in redline("log", "-n", "1").splitlines()] == ["Change"]
    assert [line.split("\t")[-1] for line in redline("log", "HEAD~1").splitlines()] == ["Start"]
    assert [line.split("\t")[-1] for line in redline("log", "--", "b.bin").splitlines()] == [
        "Change"
    ]


def test_a_terminal_gets_colour_and_no_control_characters_of_a_file(extension, repo):
    shown = on_a_terminal(extension, repo, "--no-pager", "diff")
    assert "\x1b[1mdiff --git a/new.txt b/new.txt\x1b[0m\n" in shown
    assert (
        "\x1b[32m+not staged\x1b[0m\x1b[33m\x1b[1m\x1b[7m<U+001B>\x1b[0m\x1b[32m[2J\x1b[0m" in shown
        and "\x1b[2J" not in shown
        and "\u202e" not in shown
    )
    plain = on_a_terminal(extension, repo, "--no-pager", "diff", NO_COLOR="1")
    assert "\x1b" not in plain and "+not staged<U+001B>[2J<U+202E>\n" in plain


def test_a_terminal_gets_tables_within_its_width(extension, repo):
    shown = on_a_terminal(extension, repo, "--no-pager", "stat", "HEAD~1", "HEAD")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert (
        "old.txt => new.txt" in plain
        and "3 files changed, 2 insertions(+), 1 deletion(-)" in plain
        and all(len(line) <= 80 for line in plain.splitlines())
    )
    assert "Change" in on_a_terminal(extension, repo, "--no-pager", "log")
    assert "│   a   │" in on_a_terminal(
        extension, repo, "--no-pager", "--color", "never", "sql", "SELECT 1 AS a"
    )


def test_a_terminal_gets_a_pager(extension, repo, tmp_path_factory):
    seen = tmp_path_factory.mktemp("pager") / "seen"
    on_a_terminal(extension, repo, "diff", "HEAD~1", PAGER=f"tee {seen}")
    assert "diff --git a/src/a.txt b/src/a.txt" in seen.read_text()


@pytest.mark.slow
def test_a_query_is_written_in_every_format(redline, redline_apart, repo):
    query = "FROM file_changes('HEAD~1', 'HEAD', '.') SELECT file_path, additions"
    assert redline("sql", query).splitlines() == [
        "file_path,additions",
        "b.bin,",
        "new.txt,2",
        "old.txt,0",
        "src/a.txt,2",
    ]
    rows = [json.loads(line) for line in redline("sql", "-f", "jsonl", query).splitlines()]
    assert (
        rows[3] == {"file_path": "src/a.txt", "additions": 2}
        and json.loads(redline("sql", "-f", "json", query)) == rows
    )
    assert "│ src/a.txt │" in redline("sql", "-f", "table", query)
    for ending in ("parquet", "csv"):
        assert redline("sql", "-o", f"out.{ending}", query) == ""
        assert duckdb.sql(
            f"SELECT count(*), sum(additions) FROM '{repo}/out.{ending}'"
        ).fetchall() == [(4, 4)]
    # Statements that return nothing, statements from stdin, the macros, a database on disk.
    assert redline_apart("sql", "-", input="CREATE TABLE t AS SELECT 1 AS a; FROM t;") == "a\n1\n"
    assert redline("sql", "CREATE TABLE t AS SELECT 1 AS a", "--database", "x.duckdb") == ""
    assert redline("sql", "FROM t", "--database", "x.duckdb") == "a\n1\n"
    assert redline("sql", "SELECT count(*) AS n FROM changes()") == "n\n2\n"
    # Several statements to DuckDB, some without a text; of several of a person's, the last.
    pivot = "PIVOT (SELECT 1 AS a, 'x' AS b, 3 AS c) ON b USING sum(c) GROUP BY a"
    for query in (
        pivot,
        f"FROM ({pivot});",
        f"SELECT 2; {pivot}",
        f"{pivot}; SELECT 1 AS a, 3 AS x",
    ):
        assert redline("sql", query) == "a,x\n1,3\n"
    assert redline("sql", "-o", "pivot.csv", pivot) == ""
    assert (repo / "pivot.csv").read_text() == "a,x\n1,3\n"
    made = f"CREATE TABLE made AS {pivot}"
    assert redline("sql", made, "--database", "x.duckdb") == ""
    assert redline("sql", "FROM made", "--database", "x.duckdb") == "a,x\n1,3\n"


def test_errors_have_exit_codes_and_one_reason_on_stderr(redline, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for arguments, code, words in [
        (
            ["diff", "mian"],
            2,
            "no revision 'mian' can be resolved in the repository at '.'. Did you mean 'main'?",
        ),
        (["diff", "HEAD~1", "HEAD", "HEAD"], 2, "'HEAD' is one revision too many, and no path"),
        (["diff", "mian..main"], 1, "not_found: no revision 'mian"),
        (["diff", "--staged", "a..b"], 2, "--staged compares one revision"),
        (["stat", "-U", "1"], 2, "No such option"),
        (["sql", "SELEC"], 1, "Parser Error"),
        (["sql", "-f", "xml", "SELECT 1"], 2, "'xml' is not a format"),
        (["sql", "-o", "x.txt", "SELECT 1"], 2, "'txt' is not a format"),
        (["approve"], 2, "give a directory and a file of proposals"),
        (["nothing"], 2, "No such command"),
    ]:
        said = redline(*arguments, code=code)
        assert words in said and "Traceback" not in said, said
    assert "not_found: neither '.' nor a directory above it is a git repository" in redline(
        "diff", code=1, cwd=elsewhere
    )


def test_every_command_explains_itself(redline_apart):
    assert "Exit codes: 0 done, 1" in redline_apart("--help")
    for command in (
        "diff",
        "stat",
        "log",
        "show",
        "blame",
        "status",
        "sql",
        "shell",
        "setup",
        "help",
        "approve",
    ):
        assert redline_apart(command, "--help").startswith(f"Usage: redline {command} [OPTIONS]")
    assert redline_apart("--version").startswith("redline, version 0.")


def test_the_commands_of_the_readme_answer(extension, repo, tmp_path_factory):
    """In any repository, as a reader types them; the package is that of the checkout, with the extension under test."""
    readme = (ROOT / "README.md").read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    # pip installs it, and make is for a checkout of redline.
    script = "".join(
        line for line in "".join(blocks).splitlines(True) if not line.startswith(("pip ", "make "))
    )
    folder = tmp_path_factory.mktemp("installed")
    (folder / "duckdb_redline").symlink_to(ROOT / "python/duckdb_redline")
    (folder / "sitecustomize.py").write_text(
        f"import pathlib\nimport duckdb_redline.extension as e\ne.extension_path = lambda: pathlib.Path({str(extension)!r})\n"
        "import duckdb_redline.connection as c\nc.extension_path = e.extension_path\n"
    )
    (folder / "redline").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m duckdb_redline "$@"\n')
    (folder / "python").symlink_to(sys.executable)
    (folder / "redline").chmod(0o755)
    environment = ENVIRONMENT | {
        "PATH": f"{folder}:{ENVIRONMENT['PATH']}",
        "PYTHONPATH": f"{folder}:{os.pathsep.join(sys.path)}",
    }
    done = subprocess.run(
        ["sh", "-e", "-c", script],
        cwd=repo,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "modified\t1\t3\tsrc/a.txt\n" in done.stdout and "\nsrc/a.txt,modified," in done.stdout
    subject = git(repo, "log", "-1", "--format=%s").strip()
    assert re.search(rf"│ {subject} +│", done.stdout), done.stdout


def test_files_are_listed_as_git_lists_them(redline, repo):
    for words in (["HEAD~1", "HEAD"], ["--cached"]):
        assert redline("diff", "--name-only", *words) == git(
            repo, "diff", "-M", "--name-only", *words
        )
    assert redline("diff", "--markdown", "HEAD~1", "HEAD").splitlines()[2:] == [
        "| b.bin | added | - | - |",
        "| old.txt => new.txt | renamed | 0 | 0 |",
        "| src/a.txt | modified | 2 | 1 |",
    ]
    assert redline("status") == git(repo, "status", "--short")


def test_a_commit_is_shown_with_its_patch_or_its_files(redline, repo):
    for words in ([], ["HEAD~1"]):
        shown, gits = redline("show", *words), git(repo, "show", "-M", "--format=medium", *words)
        assert shown.partition("\ndiff --git")[2] == gits.partition("\ndiff --git")[2] != ""
        assert shown.splitlines()[1] == "Author: Ann <ann@example.com>"
    assert redline("show", "--name-only").splitlines()[-3:] == ["b.bin", "new.txt", "src/a.txt"]
    assert "\ndiff --git a/b.bin" not in redline("show", "--", "src")


def test_a_log_shows_the_commits_that_are_asked_for(redline, repo):
    subjects = lambda *words: [line.split("\t")[-1] for line in redline("log", *words).splitlines()]
    assert subjects("-S", "four") == ["Change"] and subjects("-G", "^thr") == ["Start"]
    assert (
        subjects("--author", "^Ann <ann@") == ["Change", "Start"]
        and subjects("--author", "Bob") == []
    )
    assert subjects("--grep", "^Cha") == ["Change"] and subjects("--until", "2001-01-01") == []
    assert (
        redline("log", "-p", "-n", "1").partition("\ndiff --git")[2]
        == git(repo, "show", "-M").partition("\ndiff --git")[2]
    )
    assert redline("log", "--name-only", "HEAD~1").splitlines()[-2:] == ["old.txt", "src/a.txt"]


def test_a_blame_names_the_commit_of_each_line(redline, repo):
    lines = [line.split("\t") for line in redline("blame", "src/a.txt", "HEAD").splitlines()]
    start, change = git(repo, "log", "--format=%H", "--abbrev=10", "--reverse").split()
    assert [(line[0], *line[3:]) for line in lines] == [
        (start[:10], "1", "one"),
        (change[:10], "2", "2"),
        (start[:10], "3", "three"),
        (change[:10], "4", "four"),
    ]
    assert redline("blame", "src/a.txt").split("\t")[0] == "0" * 10
    assert len(redline("blame", "-L", "2,3", "src/a.txt", "HEAD").splitlines()) == 2
    assert "-L takes FIRST,LAST" in redline("blame", "-L", "x", "src/a.txt", code=2)


@pytest.mark.parametrize(
    "date",
    [
        pytest.param("1464343200 -0600", marks=pytest.mark.slow),
        "1464343200 +1345",
        "1464390000 +0000",
    ],
)
def test_a_date_is_that_of_the_author_s_clock(extension, tmp_path, monkeypatch, date):
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "a.txt").write_text("one\n")
    git(tmp_path, "add", ".")
    monkeypatch.setitem(ENVIRONMENT, "GIT_AUTHOR_DATE", date)
    monkeypatch.setitem(ENVIRONMENT, "TZ", "Asia/Tokyo")
    git(tmp_path, "commit", "-qm", "Start")
    command = [sys.executable, "-m", "duckdb_redline", "--extension", str(extension)]
    run = lambda *words: (
        subprocess.run(
            [*command, *words],
            cwd=tmp_path,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    )
    day, whole = git(tmp_path, "log", "--date=short", "--format=%ad"), git(tmp_path, "log")
    assert run("log").split("\t")[1] == run("blame", "a.txt").split("\t")[2] == day.strip()
    (line,) = re.findall(r"^Date: .*$", whole, re.MULTILINE)
    assert line in run("show").splitlines() and line in run("log", "-p").splitlines()


def test_a_query_is_a_table_in_markdown(redline):
    assert (
        redline("sql", "-f", "markdown", "SELECT 1 AS a, 'x|y' AS b")
        == "| a | b |\n|---:|---|\n| 1 | x\\|y |\n"
    )


def test_a_table_shows_what_says_most_at_the_width_of_a_terminal(extension, repo):
    shown = on_a_terminal(
        extension, repo, "--no-pager", "--color", "never", "sql", "FROM changes('HEAD~1', 'HEAD')"
    )
    lines = shown.splitlines()
    names = [name.strip() for name in lines[1].strip("│").split("│")]
    assert names[:2] == ["file_path", "status"] and {"additions", "deletions"} <= set(names)
    assert all(len(line) <= 80 for line in lines) and "old_oid" not in names
    assert lines[-1].startswith("not shown at 80 columns: ")
    # A column that says nothing goes first; no row is lost.
    assert [line.split("│")[1].strip() for line in lines[4:7]] == ["b.bin", "new.txt", "old.txt"]
    wide = on_a_terminal(
        extension, repo, "--no-pager", "sql", "SELECT 'x' AS a, NULL AS b", COLUMNS="20"
    )
    assert "NULL" in wide and "not shown" not in wide
    ids = "SELECT new_oid, [new_oid] AS l FROM changes('HEAD~1', 'HEAD') LIMIT 1"
    oid = git(repo, "rev-parse", "HEAD:b.bin").strip()
    whole = on_a_terminal(extension, repo, "--no-pager", "sql", ids, COLUMNS="200")
    assert f" {oid} " in whole and f"[{oid}]" in whole
    short = on_a_terminal(extension, repo, "--no-pager", "sql", ids)
    assert f" {oid[:10]} " in short and f"[{oid[:10]}]" in short
    many = on_a_terminal(extension, repo, "--no-pager", "sql", "FROM range(1001)")
    assert "only the first 1000 rows" in many and "│   999 │" in many and "│  1000 │" not in many


def test_a_query_is_a_page_of_html(redline, repo):
    query = "SELECT 1 AS a, '<b>x' || chr(10) || chr(8238) AS b, NULL AS c"
    page = redline("sql", "-f", "html", query)
    assert page.startswith("<!DOCTYPE html>") and "<b>" not in page
    cells = re.findall(r"<t[dh](?: [^>]*)?>(.*?)</t[dh]>", page, re.DOTALL)
    assert cells == ["a", "b", "c", "1", "&lt;b&gt;x\n&lt;U+202E&gt;", ""]
    assert redline("sql", "-o", "out.html", query) == ""
    assert (repo / "out.html").read_text() == page


def test_help_tells_of_one_function(redline):
    assert "file_changes" in redline("help") and "file_diff(file VARCHAR" in redline(
        "help", "file_diff"
    )
    assert "Did you mean 'file_diff'" in redline("help", "file_dif", code=1)
    macro = redline("help", "git_blame")
    assert macro.startswith("git_blame(file, rev := 'WORKTREE', ") and "None" not in macro
    assert "\n  rev ['WORKTREE']\n" in macro and "git_blame " in redline("help")
    assert "Did you mean 'git_log'" in redline("help", "git_logg", code=1)


@pytest.fixture
def home(tmp_path_factory, monkeypatch) -> pathlib.Path:
    """Returns the home directory of the commands of a test."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setitem(ENVIRONMENT, "HOME", str(home))
    return home


BASH_COMPLETION = ".local/share/bash-completion/completions/redline"


def test_setup_writes_a_completion_and_nothing_that_duckdb_reads(redline, home, monkeypatch):
    monkeypatch.setitem(ENVIRONMENT, "SHELL", "/usr/bin/zsh")
    assert "fpath+=(~/.zfunc)" in redline("setup")
    said = redline("setup", "--completion", "bash")
    assert "_REDLINE_COMPLETE" in (home / BASH_COMPLETION).read_text()
    has_loader = any(map(os.path.exists, ["/usr/share/bash-completion/bash_completion", "/etc/bash_completion"]))  # fmt: skip
    assert ("let ~/.bashrc have: source" in said) != has_loader
    assert sorted(path.name for path in home.iterdir()) == [".local", ".zfunc"]
    monkeypatch.setitem(ENVIRONMENT, "SHELL", "/bin/csh")
    assert "no completion for 'csh': name bash, zsh or fish" in redline("setup", code=2)


def test_setup_shows_a_person_what_it_writes_and_asks(extension, repo, home):
    for answer, is_written in (("n\n", False), ("\n", True)):
        ours, its = pty.openpty()
        os.write(ours, answer.encode())
        command = [sys.executable, "-m", "duckdb_redline", "--extension", str(extension)]
        done = subprocess.run(
            [*command, "setup", "--completion", "bash"],
            cwd=repo,
            env=ENVIRONMENT,
            stdin=its,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        os.close(its), os.close(ours)
        assert f"{home / BASH_COMPLETION} will have:\n\n    _redline_completion()" in done.stdout
        assert "Write it? [Y/n]" in done.stdout + done.stderr
        assert (home / BASH_COMPLETION).exists() == is_written


def test_setup_takes_back_what_it_wrote(redline, home):
    old = "-- redline: begin\n.bail on\nLOAD '/gone';\n-- redline: end\n"
    for undo in (["setup", "--undo"], ["setup", "--completion", "fish"]):
        (home / ".duckdbrc").write_text(".timer on\n" + old + ".mode csv\n")
        redline("setup", "--completion", "bash")
        assert (home / ".duckdbrc").read_text() == ".timer on\n.mode csv\n"
        (home / ".duckdbrc").write_text(".timer on\n" + old)
        assert "no longer loads redline" in redline(*undo)
        assert (home / ".duckdbrc").read_text() == ".timer on\n"
    # A file of another's stays.
    (home / BASH_COMPLETION).write_text("complete -F mine redline\n")
    assert ".config/fish/completions/redline.fish is removed." in redline("setup", "--undo")
    assert redline("setup", "--undo") == "There is nothing of redline's to remove.\n"
    assert (home / BASH_COMPLETION).exists()


DUCKDB = pathlib.Path(sys.executable).parent / "duckdb"
needs_duckdb = pytest.mark.skipif(not DUCKDB.exists(), reason="the program duckdb is not here")


@needs_duckdb
def test_after_setup_duckdb_starts_as_before(redline, home):
    """Also where an earlier version has kept it from starting; scripts/try_clients.py has older versions and Harlequin."""

    def asked(*options: str) -> tuple[int, str]:
        command = [DUCKDB, *options, "-csv", "-noheader", "-c", "SELECT 40 + 2"]
        done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout

    (home / ".duckdbrc").write_text("-- redline: begin\nLOAD '/gone';\n-- redline: end\n")
    assert asked()[0] != 0
    for shell in ("bash", "zsh", "fish"):
        redline("setup", "--completion", shell)
    (home / "start.sql").write_text("SET threads = 2;\n")
    for options in ([], ["-unsigned"], ["-init", str(home / "start.sql")]):
        assert asked(*options) == (0, "42\n"), options


@needs_duckdb
def test_the_script_of_the_shell_can_be_split_at_its_semicolons(redline, home, repo):
    """As Harlequin does; in one piece it runs in DuckDB's command line."""
    script = redline("shell", "--script")
    statements = [statement.strip() for statement in script.split(";") if statement.strip()]
    assert {statement.split()[0] for statement in statements} == {"LOAD", "CREATE", "COMMENT"}
    query = f"SELECT count(*) > 0 FROM git_log(repo := '{repo}')"
    with duckdb.connect(config={"allow_unsigned_extensions": True}) as con:
        for statement in statements:
            con.execute(statement)
        assert con.execute(query).fetchone() == (True,)
    (home / "start.sql").write_text(script)
    words = ["-unsigned", "-init", home / "start.sql", "-csv", "-noheader", "-c"]
    done = subprocess.run([DUCKDB, *words, query], capture_output=True, text=True, env=ENVIRONMENT)
    assert done.stdout == "true\n", done.stderr


@needs_duckdb
def test_the_shell_is_duckdb_s_own_with_its_options_and_leaves_no_file(
    redline_apart, home, repo, monkeypatch
):
    monkeypatch.setitem(ENVIRONMENT, "PATH", f"{DUCKDB.parent}:{ENVIRONMENT['PATH']}")
    (home / ".duckdbrc").write_text(".nullvalue mine\n")
    query = "SELECT subject, NULL FROM git_log() LIMIT 1; SELECT count(*) >= 1 FROM hotspots()"
    subject = git(repo, "log", "-1", "--format=%s").strip()
    shown = redline_apart("shell", "--", "-csv", "-noheader", "-c", query)
    assert shown.splitlines() == [f"{subject},mine", "true"]
    assert redline_apart("shell", "made.db", "--", "-csv", "-noheader", "-c", "SELECT 1") == "1\n"
    assert (repo / "made.db").exists() and os.listdir(home) == [".duckdbrc"]


def test_a_shell_without_duckdb_names_what_it_cannot_take(redline_apart, monkeypatch):
    monkeypatch.setitem(ENVIRONMENT, "PATH", "")
    said = redline_apart("shell", "--", "-csv", code=2)
    assert "-csv is for the program duckdb, which is not here" in said
    assert redline_apart("shell", input="SELECT 41 + 1;\n").splitlines()[-1] == "42"


def test_revisions_are_completed(extension, repo):
    words = f"redline --extension {extension} diff ma"
    environment = ENVIRONMENT | {
        "_REDLINE_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": "4",
    }
    command = [
        sys.executable,
        "-c",
        "from duckdb_redline.command.main import main; main(prog_name='redline')",
    ]
    done = subprocess.run(
        command, cwd=repo, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert "plain,main" in done.stdout.splitlines(), done.stderr


def completing(extension, repo: pathlib.Path, folder: pathlib.Path) -> Callable[..., list[str]]:
    """Returns a function that gives what bash would offer for the last word, by the script that `setup` writes."""
    (folder / "redline").write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m duckdb_redline --extension "{extension}" "$@"\n'
    )
    (folder / "redline").chmod(0o755)
    environment = ENVIRONMENT | {"PATH": f"{folder}:{ENVIRONMENT['PATH']}", "HOME": str(folder)}
    setup = [folder / "redline", "setup", "--completion", "bash"]
    subprocess.run(setup, env=environment, check=True, stdout=subprocess.DEVNULL)

    def completed(*words: str) -> list[str]:
        given = " ".join(map(shlex.quote, ["redline", "--extension", str(extension), *words]))
        script = (
            f"source ~/.local/share/bash-completion/completions/redline\n"
            f"COMP_WORDS=({given}); COMP_CWORD={len(words) + 2}\n"
            "_redline_completion redline; printf '%s\\n' \"${COMPREPLY[@]}\""
        )
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=repo,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr == ""
        return sorted(done.stdout.splitlines())

    return completed


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_offers_revisions_and_paths(extension, repo, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bin")
    # A path that begins as a branch does, one with a blank, and a directory.
    (repo / "maybe.txt").write_text("")
    (repo / "ma be").mkdir()
    offered = completing(extension, repo, folder)
    assert offered("stat", "ma") == ["ma\\ be/", "main", "maybe.txt"]
    assert offered("show", "HEAD..ma") == ["HEAD..main"]
    assert offered("diff", "main", "sr") == ["src/"]
    assert offered("stat", "-C", "s") == ["src/"]
    assert offered("sql", "-f", "j") == ["json", "jsonl"]
    assert offered("help", "file_pat") == ["file_patches", "file_patches_each", "file_patches_list"]
    assert offered("bla") == ["blame"]


def test_nothing_to_show_is_said_on_a_terminal_alone(extension, redline, repo):
    assert "Nothing differs between HEAD and INDEX" in on_a_terminal(
        extension, repo, "--no-pager", "stat", "HEAD", "INDEX", "--", "gone"
    )
    assert redline("stat", "HEAD", "INDEX", "--", "gone") == ""


# Each command that prints, for what becomes of its output; at night other forms, which print as these do.
PRINTING = [["diff", "HEAD~1"], ["stat", "HEAD~1"], ["log", "-p"], ["show"], ["blame", "src/a.txt"], ["status"], ["sql", "SELECT 1"],
            ["review", "HEAD~1", "--no-open", "-o", "/dev/stdout"], ["review", "HEAD~1"], ["help"], ["setup", "--undo"],
            ["--help"]]  # fmt: skip
FORMS = [["log"], ["sql", "-f", "html", "SELECT 1"], ["--version"]]


@pytest.fixture
def printing(extension, repo, home):
    """Returns a function that runs the command, whose words follow those of a shell's script."""

    def run(words: list[str], *script: str, **more) -> subprocess.CompletedProcess:
        command = [sys.executable, "-m", "duckdb_redline", "--extension", str(extension), *words]
        return subprocess.run(
            [*script, *command],
            cwd=repo,
            env=ENVIRONMENT,
            text=True,
            timeout=60,
            check=False,
            **more,
        )

    return run


@pytest.mark.parametrize(
    "words",
    [*PRINTING, *(pytest.param(words, marks=pytest.mark.slow) for words in FORMS)],
    ids=" ".join,
)
def test_a_full_disk_and_a_closed_pipe_are_no_traceback(printing, words):
    with open("/dev/full", "wb") as full:
        done = printing(words, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1 and done.stderr.startswith("redline: No space left on device")
    assert done.stderr.count("\n") == 1
    piped = printing(words, "sh", "-c", '"$@" | true', "sh", capture_output=True)
    assert piped.stderr == ""


# It is seen before the command is read: one does for all.
@pytest.mark.parametrize(
    "words",
    [
        PRINTING[0],
        *(pytest.param(words, marks=pytest.mark.slow) for words in [*PRINTING[1:], *FORMS]),
    ],
    ids=" ".join,
)
def test_a_closed_output_is_no_traceback(printing, words):
    closed = printing(words, "sh", "-c", '"$@" >&-', "sh", capture_output=True)
    assert closed.returncode == 1 and closed.stderr == "redline: stdout is closed\n"


def test_review_prints_the_page_in_a_pipe_and_writes_it_where_it_is_told(
    redline, repo, extension, tmp_path_factory
):
    page = redline("review", "HEAD~1..HEAD")
    assert page.startswith("<!DOCTYPE html>") and "old.txt → new.txt" in page
    assert "src/a.txt" in page and "src/a.txt" not in redline("review", "HEAD~1..HEAD", "new.txt")
    folder = tmp_path_factory.mktemp("pages")
    path = folder / "page.html"
    assert redline("review", "HEAD~1..HEAD", "-o", path) == f"{path}\n"
    assert path.read_text() == page and os.listdir(folder) == ["page.html"]
    shown = on_a_terminal(
        extension, repo, "review", "--no-open", "HEAD~1..HEAD", TMPDIR=str(folder)
    )
    made = pathlib.Path(shown.strip())
    assert made.read_text() == page and made.parent.parent == folder
    assert made.stat().st_mode & 0o777 == 0o600 and made.parent.stat().st_mode & 0o777 == 0o700
    assert "no_such" in redline("review", "no_such", code=2)


def test_review_opens_the_page_in_a_browser(extension, repo, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    opened = folder / "opened"
    shown = on_a_terminal(
        extension, repo, "review", TMPDIR=str(folder), BROWSER=f"sh -c 'echo \"$0\" > {opened}' %s"
    )
    assert opened.read_text().strip() == pathlib.Path(shown.strip()).as_uri()


MOVED = re.compile(r"\x1b\[(35|36|34|33)m\x1b\[1m[-+]|\x1b\[2m[-+]")


@pytest.mark.parametrize("mode", ["plain", "blocks", "zebra", "dimmed-zebra"])
def test_moved_lines_are_coloured_as_git_colours_them(redline, repo, mode):
    first, second = (
        "".join(f"let {name}{at} = compute({at});\n" for at in range(5)) for name in ("one", "two")
    )
    for name, text in {"a.rs": first + "fn a() {}\n" + second, "b.rs": "fn b() {}\n"}.items():
        (repo / name).write_text(text)
    commit(repo, "Before")
    for name, text in {"a.rs": "fn a() {}\n", "b.rs": second + first + "fn b() {}\n}\n"}.items():
        (repo / name).write_text(text)
    commit(repo, "After")
    shown = redline("--color", "always", "diff", "HEAD~1", "HEAD", "--color-moved", mode)
    names = {"35": "old", "36": "new", "34": "oldOther", "33": "newOther", None: "dim"}
    ours = [
        (names[found[1]], found.string[found.end() :].partition("\x1b")[0])
        for line in shown.split("\n")
        if (found := MOVED.match(line))
    ]
    colours = [
        "color.diff.oldMoved=bold magenta",
        "color.diff.newMoved=bold cyan",
        "color.diff.oldMovedAlternative=bold blue",
        "color.diff.newMovedAlternative=bold yellow",
    ]
    colours += [
        f"color.diff.{side}Moved{kind}Dimmed=dim"
        for side in ("old", "new")
        for kind in ("", "Alternative")
    ]
    words = [word for colour in colours for word in ("-c", colour)]
    theirs = git(
        repo,
        *words,
        "diff",
        "--color=always",
        f"--color-moved={mode}",
        "--ws-error-highlight=none",
        "HEAD~1",
        "HEAD",
    )
    codes = {"1;35": "old", "1;36": "new", "1;34": "oldOther", "1;33": "newOther", "2": "dim"}
    expected = [
        (codes[found[1]], re.sub(r"\x1b\[[0-9;]*m", "", found[2]))
        for line in theirs.split("\n")
        if (found := re.match(r"\x1b\[(1;3[3456]|2)m[-+](.*)", line))
    ]
    assert ours == expected and len(ours) == 20
    plain = redline("--color", "always", "diff", "HEAD~1", "HEAD", "--color-moved", "no")
    assert not MOVED.search(plain)
    strip = lambda text: re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert strip(plain) == strip(shown) == git(repo, "diff", "HEAD~1", "HEAD")


@pytest.fixture
def prices(repo) -> pathlib.Path:
    """Returns the repository with three versions of a file of data, the last of which is not committed."""
    for version in ("id,a|b\n1,x\n2,y\n", "id,a|b\n1,x\n2,z\n3,w\n"):
        (repo / "src/prices.csv").write_text(version)
        commit(repo, "Prices")
    (repo / "src/prices.csv").write_text("id,a|b\n2,\x1b[2J\n3,w\n")
    return repo


SIDES_OF_DATA = ["HEAD~1", "HEAD", "--", "src/prices.csv"]
PRINTED = """change,id,column_name,old_value,new_value
changed,2,a|b,y,z
added,3,,,"{'id': 3, 'a|b': w}"
"""


def test_changed_rows_and_cells_of_a_file_are_printed_in_each_format(redline, prices, tmp_path):
    sides = SIDES_OF_DATA
    cells = [["changed", 2, "a|b", "y", "z"], ["added", 3, None, None, "{'id': 3, 'a|b': w}"]]
    assert [
        list(row.values()) for row in json.loads(redline("data", "-f", "json", *sides))
    ] == cells
    assert "| changed | 2 | a\\|b | y | z |" in redline("data", "-f", "markdown", *sides)
    redline("data", "-o", tmp_path / "cells.html", *sides)
    assert "<td" in (tmp_path / "cells.html").read_text()


def test_the_sides_the_file_and_the_key_of_data_are_chosen(redline, prices):
    assert redline("data", *SIDES_OF_DATA) == PRINTED
    assert redline("data", "HEAD~1..HEAD", "--", "src/prices.csv") == PRINTED
    assert redline("data", "HEAD~1", "HEAD", "--", "prices.csv", cwd=prices / "src") == PRINTED
    assert redline("data", "-k", "a|b", *SIDES_OF_DATA).startswith(
        "change,a|b,column_name,old_value,new_value\nadded,w,"
    )


def test_changed_cells_are_drawn_on_a_terminal(extension, prices):
    # On a busy machine the command says for how long it has worked, and then removes that.
    drawn = lambda shown: re.sub(r"\rcomparing … \d+ s|\r\x1b\[K", "", shown)
    shown = on_a_terminal(
        extension, prices, "--no-pager", "data", "HEAD", "--", "src/prices.csv", NO_COLOR="1"
    )
    assert drawn(shown) == (
        "src/prices.csv between HEAD and WORKTREE, compared by id\n"
        "- id=1  {'id': 1, 'a|b': x}\n"
        "~ id=2  a|b: z → <U+001B>[2J\n"
        "1 removed, 1 changed\n"
    )
    shown = on_a_terminal(
        extension, prices, "--no-pager", "data", "HEAD", "HEAD", "--", "src/prices.csv"
    )
    assert drawn(shown) == "No row differs between HEAD and HEAD, compared by id.\n"


def test_a_file_of_data_is_named_and_there(redline, prices):
    assert "name one file of data" in redline("data", "HEAD~1", "HEAD", code=2)
    assert "not_found: 'HEAD~3' has no file './src/prices.csv'" in redline(
        "data", "HEAD~3", "HEAD", "--", "src/prices.csv", code=1
    )

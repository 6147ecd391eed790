"""redline in DuckDB for Windows, which runs in Wine: what it answers there is what it answers here, and nothing is written. Skipped
where REDLINE_TEST_WINDOWS does not name what `make test-windows` makes. The command without what Python lacks there."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest
from histories import one_of_each
from repositories import ROOT, git

PLACE = os.environ.get("REDLINE_TEST_WINDOWS")
without_windows = pytest.mark.skipif(not PLACE, reason="REDLINE_TEST_WINDOWS is not set")
# {bare} and {work} are the paths of repositories.
QUESTIONS = [
    "SELECT * FROM file_changes('EMPTY', 'HEAD', '{bare}')",
    "SELECT * FROM file_changes('HEAD~2', 'HEAD', '{bare}', copies := true)",
    "SELECT * FROM diff_lines('EMPTY', 'HEAD', '{bare}')",
    "SELECT * FROM diff_hunks('HEAD~1', 'HEAD', '{bare}')",
    "SELECT * FROM file_diff('b/moved.txt', 'EMPTY', 'HEAD', '{bare}')",
    "SELECT * FROM commit_changes('ALL', '{bare}', merges := 'combined')",
    "SELECT * FROM commits('ALL', '{bare}')",
    "SELECT * FROM refs('{bare}')",
    "SELECT * FROM tree_files('HEAD', '{bare}')",
    "SELECT * FROM file_blame('b/moved.txt', 'HEAD', '{bare}')",
    "SELECT * FROM file_history('b/moved.txt', 'HEAD', '{bare}')",
    "SELECT * FROM line_history('b/moved.txt', 1, 1, 'HEAD', '{bare}')",
    "SELECT * FROM range_diff('HEAD~2..HEAD', 'HEAD~1..HEAD', '{bare}')",
    "SELECT file_content('b/moved.txt', 'HEAD', '{bare}') AS content",
    "SELECT ahead_behind('HEAD~1', 'side', '{bare}') AS counts, merge_base('HEAD', 'side', '{bare}') AS base",
    "SELECT resolve_revision('no-such', '{bare}')",
    "SELECT * FROM file_changes('HEAD', 'WORKTREE', '{work}', untracked := true)",
    "SELECT * FROM file_status('{work}')",
    "SELECT unified_diff(E'a\\nb\\n', E'a\\nc\\n'), diff_stats('a', 'b'), merge_texts('a', 'b', 'a')",
]
# What leads out of a sandbox, or is no name on Windows; a word of each refusal.
REFUSED = [
    ("read_file('work/../bare/HEAD')", "fs_denied"),
    ("read_file('work/.git/config')", "fs_denied"),
    ("read_file('work/.GIT/config')", "fs_denied"),
    ("read_file('work/GIT~1/config')", "fs_denied"),
    ("read_file('work/new.txt::$DATA')", "fs_denied"),
    ("read_file('work/new.txt:stream')", "fs_denied"),
    (r"read_file('work/..\bare\HEAD')", "fs_denied"),
    (r"read_file('\\?\{bare}\HEAD')", "fs_denied"),
    ("read_file('{bare}/HEAD')", "fs_denied"),
    ("read_file('work/NUL')", "not_found"),
    ("read_file('work/con.txt')", "not_found"),
    ("read_file('work/new.txt.')", "fs_denied|not_found"),
    ("read_file('work/new.txt ')", "fs_denied|not_found"),
    ("file_at('HEAD', 'WORKTREE', '{bare}')", "fs_denied"),
    ("write_file('work/other.txt', 'x')", "fs_denied"),
    ("edit_file('work/new.txt', 'new', 'old')", "fs_denied"),
]


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> pathlib.Path:
    """A bare repository with each kind of commit, and a work tree of it with a changed and a new file."""
    place = tmp_path_factory.mktemp("windows")
    (place / "source").mkdir()
    one_of_each(place / "source")
    git(place, "clone", "--quiet", "--bare", "source", "bare")
    # As git makes one for Windows: neither permissions nor links are in its files.
    kinds = ["--config", "core.fileMode=false", "--config", "core.symlinks=false"]
    git(place, "clone", "--quiet", *kinds, "bare", "work")
    (place / "work" / "new.txt").write_text("new\n")
    (place / "work" / "c.txt").write_text("changed\n")
    return place


def asked(
    world: pathlib.Path, statement: str, is_windows: bool, is_limited: bool = False
) -> tuple[str, str]:
    """Returns what DuckDB's command prints for a statement, and its error; limited to the sandbox `work` or not."""
    drive, extension = ("Z:", PLACE) if is_windows else ("", ROOT / "build/debug")
    command = (
        ["wine", f"{PLACE}/duckdb.exe"] if is_windows else [ROOT / "build/venv/1.5.6/bin/duckdb"]
    )
    sandboxes = json.dumps([{"name": "work", "root": f"{drive}{world}/work"}])
    script = [f"LOAD '{drive}{os.path.abspath(extension)}/redline.duckdb_extension'"]
    if is_limited:
        script.append(f"SET redline_sandboxes = '{sandboxes}'")
    for name in ("bare", "work"):
        statement = statement.replace(f"{{{name}}}", f"{drive}{world}/{name}")
    done = subprocess.run(
        [*command, "-unsigned", "-json", "-c", "; ".join([*script, statement])],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        env=os.environ | {"WINEDEBUG": "-all", "WINEPREFIX": f"{os.path.abspath(PLACE)}/wine"},
    )
    return done.stdout, done.stderr.replace(f"Z:{world}", str(world))


@pytest.mark.slow
@without_windows
@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer_in_windows_is_that_of_this_system(world, question):
    here = asked(world, question, False)
    assert "".join(here).strip()
    assert asked(world, question, True) == here


@pytest.mark.slow
@without_windows
def test_a_file_of_a_sandbox_is_read(world):
    call = "SELECT read_file('work/new.txt').content"
    assert asked(world, call, True, True) == asked(world, call, False, True)
    assert "new\\n" in asked(world, call, True, True)[0]


@pytest.mark.slow
@without_windows
@pytest.mark.parametrize(("call", "code"), REFUSED)
def test_no_name_of_windows_leads_out_of_a_sandbox_and_nothing_is_written(world, call, code):
    printed, error = asked(world, f"SELECT {call}", True, True)
    assert not printed.strip() and re.search(f"Error: ({code}):", error), error
    assert not (world / "work" / "other.txt").exists()
    assert (world / "work" / "new.txt").read_text() == "new\n"


@pytest.mark.slow
@without_windows
def test_what_must_be_written_is_refused_in_words(world):
    assert (
        "does not write on Windows"
        in asked(world, "SELECT file_at('c.txt', 'HEAD', '{bare}')", True)[1]
    )
    for field in ('"mode": "rw"', '"git": "commit"'):
        sandboxes = f'[{{"name": "work", "root": "Z:{world}/work", {field}}}]'
        call = f"SET redline_sandboxes = '{sandboxes}'; SELECT write_file('w/x', 'x')"
        assert "redline does not write on Windows" in asked(world, call, True)[1]


# The command as it starts, without what Python has on Unix alone.
PROGRAM = """
import os, signal, sys
sys.modules.update(dict.fromkeys(["fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"]))
lacking = {
    signal: ["SIGALRM", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGTSTP", "SIGWINCH", "pthread_kill"],
    os: ["fchmod", "fork", "geteuid", "getuid", "killpg", "openpty", "setsid", "ttyname"],
}
for module, names in lacking.items():
    for name in names:
        delattr(module, name)
from duckdb_redline.command.interrupts import run
run()
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> pathlib.Path:
    """A repository with each kind of commit and a new file, which all commands read."""
    place = tmp_path_factory.mktemp("repository")
    one_of_each(place)
    (place / "new.txt").write_text("new\n")
    return place


@pytest.mark.parametrize(
    "words",
    [
        "stat HEAD~1", "diff HEAD~1", "log -n 1", "show", "blame c.txt", "status",
        "review HEAD~1 -o {place}/page.html",
    ],
)  # fmt: skip
def test_commands_that_read_need_nothing_that_windows_lacks(place, tmp_path, words):
    extension = os.environ.get("REDLINE_EXTENSION", ROOT / "build/debug/redline.duckdb_extension")
    options = ["--extension", os.path.abspath(extension), "--no-pager"]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *options, *words.format(place=tmp_path).split()],
        capture_output=True,
        text=True,
        cwd=place,
        env=os.environ | {"PYTHONPATH": str(ROOT / "python")},
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout or (tmp_path / "page.html").exists()

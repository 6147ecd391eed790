"""Ctrl-C and its like in the command redline: whatever it is doing, it ends soon with one line, and leaves the terminal as it was."""

import os
import pathlib
import pty
import random
import select
import shutil
import signal
import subprocess
import sys
import termios

import pytest
import repositories
import waiting
from repositories import ROOT

sys.path.insert(0, str(ROOT / "python"))

from duckdb_redline.command.main import main

pytest.importorskip("click", reason="`make test` installs the packages of the commands")

# Seconds of processor time that a command may use from the signal to its end, with two threads.
MOST_SECONDS = 2.0
# Those after which DuckDB's own query runs, once the extension is loaded: the macros take 0.1 of them.
OWN_SECONDS = 0.5
LINES, FILES = 12_000, 16
# The signals that end a command, with the word that it says.
ENDING = {
    signal.SIGINT: "interrupted",
    signal.SIGTERM: "terminated",
    signal.SIGHUP: "hung up",
}
# Those that last here; for the others see `test_a_signal_at_any_moment_is_no_traceback`.
COMMANDS = {
    "diff": ["diff", "HEAD~1", "HEAD"],
    "diff in colour, with moved lines": ["--color", "always", "diff", "HEAD~1", "HEAD"],
    "stat": ["stat", "HEAD~1", "HEAD"],
    "review": ["review", "HEAD~1", "HEAD", "-o", "{out}"],
    "show": ["show", "HEAD"],
    "log": ["log", "-G", "(a|b|9)+7.*3 4[0-9]$", "-p"],
    "report": ["report", "-o", "{out}"],
    "sql": ["sql", "SELECT length(diff_html('HEAD~1', 'HEAD', '.'))"],
    "sql, a table": ["sql", "FROM moved_lines('HEAD~1', 'HEAD', '.')"],
    "sql, range_diff": ["sql", "FROM range_diff('HEAD~1..HEAD', 'HEAD~1..HEAD', '.')"],
    "sql, a tool": ["sql", "SELECT redline_call_text('GitDiff', '{\"repo\": \".\", \"from\": \"HEAD~1\", \"to\": \"HEAD\"}')"],
    "sql, DuckDB's own": ["sql", "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b"],
}  # fmt: skip


@pytest.fixture(scope="module")
def repo(tmp_path_factory) -> pathlib.Path:
    """Returns a repository whose last commit has changed all lines of its large files, and its work tree again."""
    repo = tmp_path_factory.mktemp("repo")
    repositories.git(repo, "init", "-q", "-b", "main", ".")
    chosen = random.Random(1)
    for _ in range(3):
        for number in range(FILES):
            lines = (f"{chosen.random()} {chosen.randrange(50)}\n" for _ in range(LINES))
            (repo / f"file-{number}").write_text("".join(lines))
        if _ < 2:
            who = ("-c", "user.name=A", "-c", "user.email=a@example.com")
            repositories.git(repo, "add", ".")
            repositories.git(repo, *who, "commit", "-qm", "a commit")
    return repo


def seconds_of(pid: int) -> float:
    """Returns the processor time of a process so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def works_in(pid: int, repo: pathlib.Path) -> bool:
    """Tells whether a process has something of a repository open: the query runs."""
    for handle in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            if str(repo / ".git") in os.readlink(handle):
                return True
        except OSError:
            continue  # It is closed meanwhile.
    return False


class Running:
    """A command on a terminal of its own, or in a pipe."""

    def __init__(self, extension, repo, words: list[str], folder, terminal: bool):
        self.repo, self.opened = repo, None
        # Of DuckDB's own work there is no file: it begins soon after the extension is loaded.
        self.is_own, self.extension = "range(10000000)" in words[-1], str(extension)
        command = [sys.executable, "-m", "duckdb_redline", "--extension", str(extension)]
        command += ["--no-pager"] * terminal
        words = [
            word.format(out=folder / "page.html") if "{out}" in word else word for word in words
        ]
        environment = {
            "PYTHONPATH": str(ROOT / "python"),
            "PATH": os.environ["PATH"],
            "TERM": "xterm",
            "TMPDIR": str(folder),
        }
        self.ours, its = pty.openpty() if terminal else (None, None)
        self.its = os.dup(its) if terminal else None
        self.before = termios.tcgetattr(its) if terminal else None
        out = its if terminal else subprocess.DEVNULL
        self.process = subprocess.Popen(
            command + words,
            cwd=repo,
            env=environment,
            stdin=its if terminal else subprocess.DEVNULL,
            stdout=out,
            stderr=its if terminal else subprocess.PIPE,
            # A shell that has started the tests in the background has let them ignore it.
            preexec_fn=lambda: [signal.signal(number, signal.SIG_DFL) for number in ENDING],
        )
        if its is not None:
            os.close(its)

    def drained(self) -> bytes:
        """Returns what the terminal shows now, so that the command never waits for it."""
        shown = b""
        while self.ours is not None and select.select([self.ours], [], [], 0)[0]:
            shown += os.read(self.ours, 1 << 16)
        return shown

    def has_begun(self) -> bool:
        if self.is_own:
            return self.extension in pathlib.Path(f"/proc/{self.process.pid}/maps").read_text()
        return works_in(self.process.pid, self.repo)

    def works(self, seconds: float) -> bool:
        """Drains the terminal; tells whether the command has worked for so long on what it has opened, if on anything."""
        assert self.process.poll() is None, "the command has ended before the signal"
        self.drained()
        now = seconds_of(self.process.pid)
        if self.opened is None and self.has_begun():
            self.opened = now
        return self.opened is not None and now - self.opened > seconds

    def interrupted(self, *numbers: int) -> tuple[int, bytes, float]:
        """Sends signals; returns the exit code, what the command said since, and its processor time since."""
        self.drained()
        before = seconds_of(self.process.pid)
        for number in numbers or [signal.SIGINT]:
            os.kill(self.process.pid, number)
        said = b""

        def ended() -> tuple[int, object] | None:
            nonlocal said
            pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            said += self.drained()
            return (status, usage) if pid else None

        status, usage = waiting.until(ended)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        if self.process.stderr is not None:
            said += self.process.stderr.read()
        return self.process.returncode, said, usage.ru_utime + usage.ru_stime - before


# Promise (command): Ctrl-C ends each sub-command with exit code 130, one line and the terminal as it was, whatever function
# it waits for. With `test_a_second_signal_and_others_end_it_in_the_same_way` and
# `test_a_signal_at_any_moment_is_no_traceback`.
@pytest.mark.parametrize(
    "name, terminal",
    # Each command on a terminal or in a pipe, by turns; the other way at night.
    [
        pytest.param(
            name,
            terminal,
            marks=[pytest.mark.slow] * (number % 2 == terminal),
            id=f"{name}-{'terminal' if terminal else 'pipe'}",
        )
        for number, name in enumerate(COMMANDS)
        for terminal in (True, False)
    ],
)
def test_an_interrupt_ends_a_command_with_one_line(extension, repo, tmp_path, name, terminal):
    running = Running(extension, repo, COMMANDS[name], tmp_path, terminal)
    waiting.until(lambda: running.works(OWN_SECONDS if running.is_own else 0.02))
    code, said, seconds = running.interrupted()
    assert code == 130 and b"Traceback" not in said, said[-2000:]
    lines = said.replace(b"\r\n", b"\n").split(b"\n")
    assert lines[-1] == b"" and lines[-2].endswith(b"redline: interrupted"), said[-500:]
    assert said.count(b"interrupted") == 1
    if not terminal:
        assert said == b"redline: interrupted\n"
    assert seconds < MOST_SECONDS, seconds
    if terminal:
        assert termios.tcgetattr(running.its) == running.before
    assert [path for path in tmp_path.rglob("*") if path.name.startswith(".redline-")] == []


@pytest.mark.parametrize(
    "name, numbers",
    # Each of them once in the merge gate, and each command.
    [
        pytest.param(
            name,
            numbers,
            marks=[pytest.mark.slow] * (name != chosen),
            id=f"{name}-{'-'.join(signal.Signals(number).name for number in numbers)}",
        )
        for numbers, chosen in [
            ([signal.SIGTERM], "diff"),
            ([signal.SIGHUP], "sql, a tool"),
            ([signal.SIGINT] * 5, "sql, DuckDB's own"),
            ([signal.SIGTERM, signal.SIGINT, signal.SIGINT], "diff"),
        ]
        for name in ("diff", "sql, a tool", "sql, DuckDB's own")
    ],
)
def test_a_second_signal_and_others_end_it_in_the_same_way(
    extension, repo, tmp_path, name, numbers
):
    running = Running(extension, repo, COMMANDS[name], tmp_path, False)
    waiting.until(lambda: running.works(OWN_SECONDS if running.is_own else 0.02))
    code, said, seconds = running.interrupted(*numbers)
    # Of several that come at once, the system tells of one first.
    expected = {128 + number: f"redline: {ENDING[number]}\n".encode() for number in numbers}
    assert expected.get(code) == said
    assert seconds < MOST_SECONDS, seconds
    # What a query in a pipe is written to is removed.
    assert [path.name for path in tmp_path.iterdir()] == []


# With a table of so many rows and two versions, what the others do takes seconds, too.
ROWS = 400_000
LASTING = COMMANDS | {
    "blame": ["blame", "rows.csv"],
    "data": ["data", "HEAD~1", "HEAD", "--", "rows.csv"],
    "status": ["status"],
    "log of a file": ["log", "--stat", "--", "rows.csv"],
}
# Those that ask a person, or print what they know: they have no query to wait for.
WITHOUT_QUERY = {"approve", "help", "setup", "shell"}


@pytest.fixture(scope="module")
def large(repo, tmp_path_factory) -> pathlib.Path:
    """Returns a copy of the repository with two versions of a table, which is changed in the work tree, too."""
    large = tmp_path_factory.mktemp("large") / "repo"
    shutil.copytree(repo, large)
    repositories.git(large, "checkout", "-q", "-f", ".")
    who = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    for version in range(3):
        rows = (f"{number},{(number * 7919 + version) % 1000003}\n" for number in range(ROWS))
        (large / "rows.csv").write_text("id,value\n" + "".join(rows))
        if version < 2:
            repositories.git(large, "add", ".")
            repositories.git(large, *who, "commit", "-qm", "rows")
    (large / "file-0").write_text("of the work tree\n" * ROWS)
    return large


@pytest.mark.slow
@pytest.mark.parametrize("name", LASTING)
def test_ten_interrupts_at_ten_moments_end_each_command_in_the_same_way(
    extension, large, tmp_path, name
):
    words = [word.replace("HEAD~1", "HEAD~2") for word in LASTING[name]]
    words = LASTING[name] if "rows.csv" in words else words
    told = []
    for moment in range(10):
        code = 0
        # On a busy machine a command may be done before the signal comes.
        while code == 0:
            running = Running(extension, large, words, tmp_path, moment % 2 == 0)
            begun = OWN_SECONDS if running.is_own else 0
            waiting.until(lambda: running.works(begun + 0.002 * (1 + moment)))
            code, said, seconds = running.interrupted()
        lines = said.replace(b"\r\n", b"\n").split(b"\n")
        told.append((moment, code, lines[-2:], b"Traceback" in said, seconds < MOST_SECONDS))
    assert [row for row in told if row[1] != 130 or row[3] or not row[4]] == [], told
    assert all(row[2][0].endswith(b"redline: interrupted") for row in told), told


def test_each_command_is_interrupted_somewhere():
    asked = {word for words in LASTING.values() for word in words if word in main.commands}
    assert asked | WITHOUT_QUERY == set(main.commands)


SHORT = [["--help"], ["help"], ["status"], ["stat"], ["log"], ["blame", "file-0"], ["show", "-s"],
         ["sql", "SELECT 1"], ["setup", "--undo"], ["shell", "--", "-nosuch"]]  # fmt: skip


@pytest.mark.parametrize("moments", [1, pytest.param(10, marks=pytest.mark.slow)])
@pytest.mark.parametrize("words", SHORT, ids=" ".join)
def test_a_signal_at_any_moment_is_no_traceback(extension, repo, tmp_path, words, moments):
    """From the first module of the command's own to its last line."""
    chosen = random.Random(" ".join(words))
    for _ in range(moments):
        running = Running(extension, repo, words, tmp_path, False)
        pid, begun = running.process.pid, chosen.uniform(0.02, 0.6)
        waiting.until(lambda: has_ended(pid) or (heeds_signals(pid) and seconds_of(pid) > begun))
        code, said, _ = running.interrupted()
        assert code in (0, 130, 2) and b"Traceback" not in said, said
        assert (said == b"redline: interrupted\n") == (code == 130), (code, said)


def has_ended(pid: int) -> bool:
    state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state == "Z"


def heeds_signals(pid: int) -> bool:
    """Tells whether the command has begun: it catches a signal that Python itself does not."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    caught = int(status.partition("SigCgt:\t")[2].partition("\n")[0], 16)
    return bool(caught >> (signal.SIGTERM - 1) & 1)


def test_a_prompt_goes_on_after_a_query_that_was_interrupted(extension, repo, tmp_path):
    """Also where DuckDB waits for a function, which it does not interrupt."""
    running = Running(extension, repo, ["sql"], tmp_path, True)
    shown = b""

    def has_shown(words: bytes) -> bool:
        nonlocal shown
        shown += running.drained()
        return words in shown

    waiting.until(lambda: has_shown(b"redline> "))
    for query in (COMMANDS["sql"][1], COMMANDS["sql, DuckDB's own"][1]):
        running.opened, running.is_own = None, "range(" in query
        before = seconds_of(running.process.pid)
        os.write(running.ours, query.encode() + b";\n")
        waiting.until(lambda: seconds_of(running.process.pid) - before > 0.3)
        running.process.send_signal(signal.SIGINT)
        shown = b""
        waiting.until(lambda: has_shown(b"interrupted\r\n"))
        waiting.until(lambda: has_shown(b"redline> "), lambda: shown.decode())
    os.write(running.ours, b"SELECT 40 + 2 AS answer;\n")
    waiting.until(lambda: has_shown("│     42 │".encode()))
    os.write(running.ours, b"\x04")
    assert running.process.wait(60) == 0

"""Ctrl-C in the command redline: whatever it is doing, it ends soon with exit code 130 and one line, and leaves the terminal as it was."""

import os
import pathlib
import pty
import random
import select
import signal
import subprocess
import sys
import termios

import pytest
import repositories
import waiting
from repositories import ROOT

pytest.importorskip("click", reason="`make test` installs the packages of the commands")

# Seconds of processor time that a command may use from the signal to its end, with two threads.
MOST_SECONDS = 2.0
LINES, FILES = 12_000, 16
# Those that last here: blame, log and status are over before a signal can be sure to come, and wait in the same way.
COMMANDS = {
    "diff": ["diff", "HEAD~1", "HEAD"],
    "diff in colour, with moved lines": ["--color", "always", "diff", "HEAD~1", "HEAD"],
    "stat": ["stat", "HEAD~1", "HEAD"],
    "review": ["review", "HEAD~1", "HEAD", "-o", "{out}"],
    "show": ["show", "HEAD"],
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
        # Of DuckDB's own work there is no file.
        self.is_own = "range(10000000)" in words[-1]
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
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        if its is not None:
            os.close(its)

    def drained(self) -> bytes:
        """Returns what the terminal shows now, so that the command never waits for it."""
        shown = b""
        while self.ours is not None and select.select([self.ours], [], [], 0)[0]:
            shown += os.read(self.ours, 1 << 16)
        return shown

    def works(self, seconds: float) -> bool:
        """Drains the terminal; tells whether the command has worked for so long on what it has opened, if on anything."""
        assert self.process.poll() is None, "the command has ended before the signal"
        self.drained()
        now = seconds_of(self.process.pid)
        if self.opened is None and (self.is_own or works_in(self.process.pid, self.repo)):
            self.opened = now
        return self.opened is not None and now - self.opened > seconds

    def interrupted(self) -> tuple[int, bytes, float]:
        """Sends the signal; returns the exit code, what the command said since, and its processor time since."""
        self.drained()
        before = seconds_of(self.process.pid)
        self.process.send_signal(signal.SIGINT)
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
# it waits for.
@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "pipe"])
@pytest.mark.parametrize("name", COMMANDS)
def test_an_interrupt_ends_a_command_with_one_line(extension, repo, tmp_path, name, terminal):
    running = Running(extension, repo, COMMANDS[name], tmp_path, terminal)
    waiting.until(lambda: running.works(2.0 if running.is_own else 0.02))
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

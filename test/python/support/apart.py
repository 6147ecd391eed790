"""Runs SQL in a process of its own: for what may hang, use up the memory, end the process, or needs another environment."""

from __future__ import annotations

import json
import os
import pathlib
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

MEMORY_BYTES = (
    6 << 30
)  # of address space: far over what any query here needs, far below a runaway read
# Without --seccomp-bpf, with which a signal that is to be sent at a call may not come.
STRACE = ("strace", "-f", "-qq")


class Answer(NamedTuple):
    """What one statement gave: its rows, or its error."""

    rows: list[tuple] | None
    error: str | None
    seconds: float = 0.0  # from the question to the answer


class Ended(AssertionError):
    """The process has ended, or gave no answer in time."""


class Host:
    """A process that has loaded the extension and answers one statement after another.

    What happens between two statements, or during one, is up to the caller. `memory_bytes` and `files` are limits of
    the process (RLIMIT_AS, RLIMIT_NOFILE); `more_threads` is how many threads it may start beyond those that it has
    (RLIMIT_NPROC), for which root, whom that does not bind, becomes another user.
    """

    def __init__(self, extension: pathlib.Path, *, settings: Sequence[str] = (), threads: int = 2, memory_bytes: int | None = None,
                 files: int | None = None, more_threads: int | None = None):  # fmt: skip
        self.process = subprocess.Popen(
            [sys.executable, "-B", __file__, "--host"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        limits = {"AS": memory_bytes or MEMORY_BYTES, "NOFILE": files}
        self._send(
            {
                "extension": str(extension),
                "settings": list(settings),
                "threads": threads,
                "limits": limits,
                "more_threads": more_threads,
            }
        )
        self._receive(60, "loading the extension")

    def ask(
        self, sql: str, *parameters, seconds: float = 30, interrupt_after: float | None = None
    ) -> Answer:
        """Runs a statement, interrupted after a time where one is given; raises `Ended` when the process does not answer."""
        start = time.monotonic()
        self._send(
            {
                "sql": sql,
                "parameters": [str(p) if isinstance(p, pathlib.Path) else p for p in parameters],
                "interrupt_after": interrupt_after,
            }
        )
        line = self._receive(seconds, f"{sql} {parameters}")
        rows = None if line["rows"] is None else [tuple(row) for row in line["rows"]]
        return Answer(rows, line["error"], time.monotonic() - start)

    def read_bytes(self) -> int:
        """Returns how many bytes the process has read of files so far, by all its system calls (Linux)."""
        counts = pathlib.Path(f"/proc/{self.process.pid}/io").read_text()
        return int(counts.split("rchar: ")[1].split()[0])

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def _send(self, line: dict) -> None:
        try:
            self.process.stdin.write(json.dumps(line).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise self._ended("before a question") from None

    def _receive(self, seconds: float, at: str) -> dict:
        end = time.monotonic() + seconds
        line = b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select(
                [self.process.stdout], [], [], max(0.0, end - time.monotonic())
            )
            if not ready:
                self.process.kill()
                raise Ended(f"nothing came back within {seconds} s at {at[:500]}")
            more = os.read(self.process.stdout.fileno(), 1 << 20)
            if not more:
                raise self._ended(at)
            line += more
        return json.loads(line)

    def _ended(self, at: str) -> Ended:
        self.process.stdin.close()
        words = self.process.stderr.read().decode(errors="replace")
        return Ended(f"the process ended with {self.process.wait()} at {at[:500]}\n{words[-1500:]}")


def run(
    extension: pathlib.Path,
    statements: Sequence[tuple[str, list]],
    *,
    settings: Sequence[str] = (),
    environment: dict[str, str] | None = None,
    folder: pathlib.Path | None = None,
    seconds: float = 60,
    under: Sequence[str] = (),
) -> list[Answer]:
    """Runs the statements in a new process that has loaded the extension; fails when one hangs or ends the process.

    `under` is a command that runs the process, such as strace with its options.
    """
    job = {
        "extension": str(extension),
        "settings": list(settings),
        "statements": [list(s) for s in statements],
    }
    process = subprocess.Popen(
        [*under, sys.executable, "-B", __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        cwd=folder,
    )
    try:
        output, errors = process.communicate(json.dumps(job).encode(), timeout=seconds)
        ended = f"the process ended with {process.returncode}"
    except subprocess.TimeoutExpired:
        process.kill()
        output, errors = process.communicate()
        ended = f"nothing came back within {seconds} s"
    lines = output.decode().splitlines()
    if len(lines) < len(statements):
        raise AssertionError(
            f"{ended} at {statements[len(lines)]}\n{errors.decode(errors='replace')[-2000:]}"
        )
    return [
        Answer(
            None if line["rows"] is None else [tuple(row) for row in line["rows"]], line["error"]
        )
        for line in map(json.loads, lines)
    ]


def _child() -> None:
    import resource

    # The compiled module alone: the package around it takes as long again to import.
    import _duckdb as duckdb

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    job = json.load(sys.stdin)
    con = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "2"})
    con.execute(f"LOAD '{job['extension']}'")
    for setting in job["settings"]:
        con.execute(setting)
    for sql, parameters in job["statements"]:
        rows = error = None
        try:
            rows = con.execute(sql, parameters).fetchall()
        except duckdb.Error as raised:
            error = str(raised)
            assert con.execute("SELECT 42").fetchone() == (42,), (
                "the connection is not usable after the error"
            )
        print(json.dumps({"rows": rows, "error": error}, default=str), flush=True)
    con.close()
    # Not through Python's own end: a host may simply stop, and nothing of ours may keep it alive.
    sys.stdout.flush()
    os._exit(0)


def _limit_threads(more: int) -> None:
    import resource

    if os.getuid() == 0:
        os.setuid(50_000 + os.getpid() % 10_000)
    mine = 0
    for status in pathlib.Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(
                line.split(":", 1) for line in status.read_text().splitlines() if ":" in line
            )
        except OSError:
            continue  # it has ended
        mine += int(fields["Threads"]) if int(fields["Uid"].split()[0]) == os.getuid() else 0
    resource.setrlimit(resource.RLIMIT_NPROC, (mine + more, mine + more))


def _host() -> None:
    import resource
    import threading

    import _duckdb as duckdb

    job = json.loads(sys.stdin.readline())
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    con = duckdb.connect(
        config={"allow_unsigned_extensions": "true", "threads": str(job["threads"])}
    )
    con.execute(f"LOAD '{job['extension']}'")
    for setting in job["settings"]:
        con.execute(setting)
    for name, limit in job["limits"].items():
        if limit is not None:
            kind = getattr(resource, f"RLIMIT_{name}")
            resource.setrlimit(kind, (limit, resource.getrlimit(kind)[1]))
    if job["more_threads"] is not None:
        # DuckDB's own threads start here, and the modules that it imports when it is given a value.
        con.execute("SELECT sum(i), ? FROM range(1_000_000) t(i)", [""]).fetchall()
        _limit_threads(job["more_threads"])
    print("{}", flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        rows = error = timer = None
        if asked["interrupt_after"] is not None:
            timer = threading.Timer(asked["interrupt_after"], con.interrupt)
            timer.start()
        try:
            rows = con.execute(asked["sql"], asked["parameters"]).fetchall()
        except duckdb.Error as raised:
            error = str(raised)
        finally:
            if timer:
                timer.cancel()
                timer.join()
        if error is not None:
            for _attempt in range(3):  # a late interrupt may meet this one
                try:
                    assert con.execute("SELECT 42").fetchone() == (42,), (
                        "the connection is not usable after the error"
                    )
                    break
                except duckdb.InterruptException:
                    continue
        print(json.dumps({"rows": rows, "error": error}, default=str), flush=True)
    os._exit(0)


if __name__ == "__main__":
    _host() if "--host" in sys.argv else _child()

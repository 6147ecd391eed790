"""Runs SQL in a process of its own: for what may hang, use up the memory, end the process, or needs another environment."""

import json
import os
import pathlib
import subprocess
import sys
from typing import NamedTuple, Sequence

MEMORY_BYTES = 6 << 30  # of address space: far over what any query here needs, far below a runaway read


class Answer(NamedTuple):
    """What one statement gave: its rows, or its error."""

    rows: list[tuple] | None
    error: str | None


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
    job = {"extension": str(extension), "settings": list(settings), "statements": [list(s) for s in statements]}
    process = subprocess.Popen(
        [*under, sys.executable, "-B", __file__],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, cwd=folder,
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
        raise AssertionError(f"{ended} at {statements[len(lines)]}\n{errors.decode(errors='replace')[-2000:]}")
    return [
        Answer(None if line["rows"] is None else [tuple(row) for row in line["rows"]], line["error"])
        for line in map(json.loads, lines)
    ]


def _child() -> None:
    import resource

    import duckdb

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
            assert con.execute("SELECT 42").fetchone() == (42,), "the connection is not usable after the error"
        print(json.dumps({"rows": rows, "error": error}, default=str), flush=True)
    con.close()
    # Not through Python's own end: a host may simply stop, and nothing of ours may keep it alive.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    _child()

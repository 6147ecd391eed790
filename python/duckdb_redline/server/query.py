"""The tool `query`: a SELECT of an agent, in a process of its own that has neither the host's key nor its database."""

from __future__ import annotations

import collections
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
from typing import Any

import anyio
import anyio.abc
import mcp_types as types

from .answers import ANSWER_BYTES, MAX_BYTES, is_empty
from .approver import refusal
from .host import sandboxes_of
from .querying import GRACE_SECONDS, OUT_OF_MEMORY

# Queries at a time: of all clients, and of one.
MAX_QUERIES, MAX_QUERIES_OF_SESSION = 4, 2
# What the process of a query keeps of the environment.
KEPT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TZ")
# Nothing of the current directory, or of variables for Python, is imported: it may be one that agents write.
PROGRAM = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from duckdb_redline.server.querying import main; main()"
# What other servers call an argument.
ALIASES = {"query": "sql", "statement": "sql", "max_rows": "limit", "row_limit": "limit"}
# Name -> default and range.
NUMBERS = {"limit": (1000, 1, 100_000), "max_bytes": (ANSWER_BYTES, *MAX_BYTES)}


class Wrong(Exception):
    """A wrong argument; the text is the error."""


class Queries:
    """Runs the queries of agents."""

    def __init__(
        self,
        folders: dict[str, pathlib.Path],
        extension: pathlib.Path,
        seconds: int,
        max_file_bytes: int | None = None,
    ) -> None:
        """Takes the readable directories, and the time limit of a query."""
        self.seconds = seconds
        self.served: dict[str, Any] = {
            "sandboxes": sandboxes_of(folders, write=False), "roots": list(map(str, folders.values())), "extension": str(extension),
            "seconds": seconds, "max_file_bytes": max_file_bytes,
        }  # fmt: skip
        # The process for the next query.
        self.ready: anyio.abc.Process | None = None
        self.is_open = False
        self.preparing = anyio.Lock()
        self.all = anyio.CapacityLimiter(MAX_QUERIES)
        self.sessions: dict[str, anyio.CapacityLimiter] = collections.defaultdict(
            lambda: anyio.CapacityLimiter(MAX_QUERIES_OF_SESSION)
        )

    async def run(
        self, session: str, arguments: dict[str, Any], most: int = ANSWER_BYTES
    ) -> types.CallToolResult:
        """Returns the rows, in `most` bytes where the arguments do not say, or an error with a code; a call that is cancelled ends its process."""
        try:
            asked = read(arguments, most)
        except Wrong as error:
            return refusal(f"invalid_args: {error}")
        async with self.sessions[session], self.all:
            done = None
            with anyio.move_on_after(self.seconds + 2 * GRACE_SECONDS):
                done = await self.answered(asked)
        if done is None or done.returncode == -signal.SIGALRM:
            return refusal(
                f"timeout: the query took longer than {self.seconds} seconds: ask for less, or for a part"
            )
        if done.returncode < 0 or done.returncode == OUT_OF_MEMORY:
            return refusal(
                "too_large: the query exceeded its memory limit: ask for less, or for a part"
            )
        if done.returncode != 0:
            return refusal(
                f"tool_failed: the process of the query ended with exit code {done.returncode} before it answered. Python, DuckDB or redline "
                "may have been replaced or removed since the server started: the person who runs it restarts it"
            )
        return types.CallToolResult.model_validate_json(done.stdout)

    async def answered(self, asked: dict[str, Any]) -> subprocess.CompletedProcess[bytes]:
        """Has the process that is ready answer, and then makes another one ready, which no query has used."""
        ready, self.ready = self.ready, None
        process = ready if ready is not None and ready.returncode is None else await self.start()
        try:
            assert process.stdin is not None and process.stdout is not None
            # A process that has ended says why by its code.
            with contextlib.suppress(anyio.BrokenResourceError):
                await process.stdin.send(line_of(asked))
            answer = b"".join([chunk async for chunk in process.stdout])
            code = await process.wait()
            await self.prepare()
            return subprocess.CompletedProcess([], code, answer)
        finally:
            if process.returncode is None:
                process.kill()
            with anyio.CancelScope(shield=True):
                await process.aclose()

    async def open(self) -> None:
        """Keeps a process ready from now on, until `close`."""
        self.is_open = True
        await self.prepare()

    async def prepare(self) -> None:
        """Makes a process ready for the next query."""
        async with self.preparing:
            if self.is_open and self.ready is None:
                self.ready = await self.start()

    async def start(self) -> anyio.abc.Process:
        """Starts a process, which opens its database and waits for a query; it ends with its stdin."""
        command = [
            sys.executable,
            "-I",
            "-c",
            PROGRAM,
            json.dumps([place for place in sys.path if place]),
        ]
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        process = await anyio.open_process(command, stderr=subprocess.DEVNULL, env=kept, cwd="/")
        assert process.stdin is not None
        await process.stdin.send(line_of(self.served))
        return process

    async def close(self) -> None:
        """Ends the process that is ready."""
        self.is_open = False
        ready, self.ready = self.ready, None
        if ready is not None:
            with anyio.CancelScope(shield=True), contextlib.suppress(ProcessLookupError):
                ready.kill()
                await ready.aclose()


def line_of(values: dict[str, Any]) -> bytes:
    return json.dumps(values).encode() + b"\n"


def read(arguments: dict[str, Any], most: int = ANSWER_BYTES) -> dict[str, Any]:
    """Returns the arguments of a query, each checked; raises Wrong."""
    # As of the other tools, an argument that is empty is left out.
    kept = {name: value for name, value in arguments.items() if not is_empty(value)}
    given = {ALIASES.get(name, name): value for name, value in kept.items()}
    if len(given) < len(kept):
        raise Wrong("duplicate argument of query: give sql, limit and max_bytes once each")
    unknown = sorted(set(given) - {"sql", "format", *NUMBERS})
    if unknown:
        raise Wrong(f"query has no argument {unknown[0]!r}: give sql, limit, max_bytes")
    sql, form = given.get("sql"), given.get("format", "text")
    if (
        not isinstance(sql, str)
        or not sql.strip()
        or "\0" in sql
        or any("\ud800" <= c <= "\udfff" for c in sql)
    ):
        raise Wrong("the argument 'sql' of query is one statement, as in FROM redline_help()")
    if form not in ("text", "json"):
        raise Wrong(f"format is {form!r:.40}: give text or json")
    given = {"max_bytes": most} | given
    return {"sql": sql, "format": form} | {
        name: number(name, given.get(name, NUMBERS[name][0])) for name in NUMBERS
    }


def number(name: str, value: object) -> int:
    _, least, most = NUMBERS[name]
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 10:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise Wrong(f"{name} is {value!r:.40}: give {least} to {most}")
    return value

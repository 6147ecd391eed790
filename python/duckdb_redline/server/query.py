"""The tool `query`: a SELECT of an agent, in a process of its own that has neither the host's key nor its database."""

from __future__ import annotations

import collections
import copy
import json
import os
import pathlib
import signal
import subprocess
import sys
from typing import Any

import anyio
import mcp_types as types

from .answers import ANSWER_BYTES, MAX_BYTES, is_empty
from .approver import refusal
from .host import sandboxes_of
from .querying import GRACE_SECONDS

NAME = "query"
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
DESCRIPTION = """\
Runs one SELECT in DuckDB's SQL, read-only, over redline's functions. FROM redline_help() lists them. Files and repositories are named as in \
the other tools (SANDBOX/path); read_csv and other readers of files are closed. Each row is a JSON array. Nothing is kept between calls.
Example: SELECT author_name, count(*) FROM commits('main~100..main', 'workspace') GROUP BY ALL ORDER BY 2 DESC"""
INPUT = {
    "type": "object",
    "properties": {
        "sql": {
            "type": "string",
            "description": "One statement: SELECT, FROM, WITH, VALUES, DESCRIBE, SUMMARIZE or SHOW",
        },
        "limit": {"type": "integer", "description": "Most rows. Default: 1000."},
        "max_bytes": {
            "type": "integer",
            "description": "Most bytes of the answer.",
            "default": ANSWER_BYTES,
        },
    },
    "required": ["sql"],
    "additionalProperties": False,
}
OUTPUT = {
    "type": "object",
    "properties": {
        "columns": {"type": "array", "items": {"type": "string"}},
        "rows": {"type": "array", "items": {"type": "array"}},
        "cut": {
            "type": ["string", "null"],
            "description": "The limit that has cut the rows; null where these are all",
        },
    },
    "required": ["columns", "rows", "cut"],
}


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
        self.all = anyio.CapacityLimiter(MAX_QUERIES)
        self.sessions: dict[str, anyio.CapacityLimiter] = collections.defaultdict(
            lambda: anyio.CapacityLimiter(MAX_QUERIES_OF_SESSION)
        )

    def tool(self, structured: bool) -> types.Tool:
        hints = types.ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        )
        return types.Tool(
            name=NAME,
            title="SQL query",
            description=DESCRIPTION,
            input_schema=copy.deepcopy(INPUT),
            output_schema=OUTPUT if structured else None,
            annotations=hints,
        )

    async def run(
        self, session: str, arguments: dict[str, Any], most: int = ANSWER_BYTES
    ) -> types.CallToolResult:
        """Returns the rows, in `most` bytes where the arguments do not say, or an error with a code; a call that is cancelled ends its process."""
        try:
            asked = self.served | read(arguments, most)
        except Wrong as error:
            return refusal(f"invalid_args: {error}")
        async with self.sessions[session], self.all:
            done = None
            with anyio.move_on_after(self.seconds + 2 * GRACE_SECONDS):
                done = await self.process(json.dumps(asked).encode())
        if done is None or done.returncode == -signal.SIGALRM:
            return refusal(
                f"timeout: the query took longer than {self.seconds} seconds: ask for less, or for a part"
            )
        if done.returncode != 0:
            return refusal(
                "too_large: the query exceeded its memory limit: ask for less, or for a part"
            )
        return types.CallToolResult.model_validate_json(done.stdout)

    async def process(self, given: bytes) -> subprocess.CompletedProcess[bytes]:
        command = [
            sys.executable,
            "-I",
            "-c",
            PROGRAM,
            json.dumps([place for place in sys.path if place]),
        ]
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        return await anyio.run_process(
            command, input=given, stderr=subprocess.DEVNULL, check=False, env=kept, cwd="/"
        )


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

"""The host's side of a server: a locked database, and the key that no agent has."""

from __future__ import annotations

import hashlib
import json
import pathlib
import secrets

import anyio
import anyio.to_thread
import duckdb

from .approver import Page

READING = [
    "Diff", "GitDiff", "GitDiffSummary", "GitDiffFile", "GitLog", "GitShow", "GitFile", "GitBlame", "GitStatus", "GitRefs",
    "list_files", "search", "read_file", "redline_capabilities",
]  # fmt: skip
WRITING = ["write_file", "edit_file"]
# What a person may be asked to read at most, as pages of a terminal.
MAX_PAGES = 20
# Queries that run at once: of all agents, of one of them, and of the person, who never waits behind them.
MAX_CALLS, MAX_CALLS_OF_SESSION, MAX_ANSWERS = 32, 8, 8


class Host:
    """The host's connection, and the key that no agent has."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self.con, self.key = con, secrets.token_urlsafe(32)
        self.answers, self.calls = anyio.CapacityLimiter(MAX_ANSWERS), anyio.CapacityLimiter(MAX_CALLS)
        self.sessions: dict[str, anyio.CapacityLimiter] = {}

    async def rows(self, query: str, *arguments: object) -> list[tuple[object, ...]]:
        """Returns the rows of a query that the host asks for the person."""
        return await rows(self.con, self.answers, query, *arguments)

    async def value(self, query: str, *arguments: object) -> object:
        """Returns the one value of a query that the host asks for the person."""
        return (await self.rows(query, *arguments))[0][0]

    async def called(self, session: str, query: str, *arguments: object) -> object:
        """Returns the one value of a query that an agent's call asks for."""
        share = self.sessions.setdefault(session, anyio.CapacityLimiter(MAX_CALLS_OF_SESSION))
        async with share:
            return (await rows(self.con, self.calls, query, *arguments))[0][0]

    async def pages(self, payload: str, width: int, height: int, most: int | None = MAX_PAGES) -> list[Page] | None:
        """Returns the pages that a person must see; None where there are more than anybody reads."""
        try:
            pages = await self.value("SELECT system.main.approval_pages(?, ?, ?)", payload, width, height)
        except duckdb.Error:
            return None
        assert isinstance(pages, list)
        return pages if most is None or len(pages) <= most else None

    async def approve(self, payload: str, scope: str, proof: str) -> bool:
        """Says yes to all that was shown; returns whether it counts, which it does while the payload waits."""
        return await self.decide("SELECT system.main.approve(?, ?, ?, ?)", payload, scope, self.key, proof)

    async def decline(self, payload: str) -> bool:
        """Says no, which is final for this change."""
        return await self.decide("SELECT system.main.decline(?, ?)", payload, self.key)

    async def withdraw(self, approval_id: str) -> bool:
        """Drops what waits under an id."""
        return await self.decide("SELECT system.main.withdraw(?, ?)", approval_id, self.key)

    async def decide(self, query: str, *arguments: object) -> bool:
        try:
            await self.value(query, *arguments)
        except duckdb.Error:
            return False  # It has expired, or another has decided: the answer to the call says so.
        return True


def open_database(folders: dict[str, pathlib.Path], write: bool, extension: pathlib.Path) -> Host:
    """Returns the host of a locked database; its cursors are the agents', and none of them knows the key."""
    host = Host(duckdb.connect(config={"allow_unsigned_extensions": True}))
    mode = "rw" if write else "ro"
    sandboxes = json.dumps([{"name": name, "root": str(root), "mode": mode} for name, root in folders.items()])
    host.con.execute(f"LOAD {quoted(str(extension))}")
    host.con.execute(f"SET GLOBAL redline_sandboxes = {quoted(sandboxes)}")
    host.con.execute(f"SET GLOBAL redline_tool_grants = {READING + WRITING * write}")
    host.con.execute(f"SET GLOBAL redline_approver = '{hashlib.sha256(host.key.encode()).hexdigest()}'")
    host.con.execute("SET GLOBAL lock_configuration = true")
    return host


async def rows(
    con: duckdb.DuckDBPyConnection, limiter: anyio.CapacityLimiter, query: str, *arguments: object
) -> list[tuple[object, ...]]:
    """Returns the rows of a query, run in a thread on a cursor of its own; a call that is cancelled interrupts it and nothing else."""
    cursor = con.cursor()
    try:
        return await anyio.to_thread.run_sync(
            lambda: cursor.execute(query, arguments).fetchall(), limiter=limiter, abandon_on_cancel=True
        )
    except anyio.get_cancelled_exc_class():
        # The thread keeps the cursor until the query has ended.
        cursor.interrupt()
        raise


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"

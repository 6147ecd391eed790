"""The host's side of a server: a locked database, and the key that no agent has."""

from __future__ import annotations

import asyncio
import contextlib
import pathlib
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
import duckdb

from ..locked import Locked, open_locked

if TYPE_CHECKING:
    from .approver import Page

# Questions of one client that may wait, also of calls that were given up: a person has to look through them.
MAX_PROPOSALS = 100
# What a person may be asked to read at most, as pages of a terminal.
MAX_PAGES = 20
# Queries that run at once: of all agents, of one of them, and of the person, who never waits for the others.
MAX_CALLS, MAX_CALLS_OF_SESSION, MAX_ANSWERS = 32, 8, 8


class Host:
    """The host's connection, the key that no agent has, and the tools that change files."""

    def __init__(self, locked: Locked) -> None:
        self.con, self.key = locked.con, locked.key
        self.writing = frozenset(locked.tools.writing + locked.tools.committing)
        self.answers, self.calls = (
            anyio.CapacityLimiter(MAX_ANSWERS),
            anyio.CapacityLimiter(MAX_CALLS),
        )
        self.sessions: dict[str, anyio.CapacityLimiter] = {}

    async def rows(self, query: str, *arguments: object) -> list[tuple[object, ...]]:
        """Returns the rows of a query that the host asks for the person."""
        return await rows(self.con, [self.answers], self.end_of, query, *arguments)

    async def value(self, query: str, *arguments: object) -> object:
        """Returns the one value of a query that the host asks for the person."""
        return (await self.rows(query, *arguments))[0][0]

    async def called(self, session: str, query: str, *arguments: object) -> object:
        """Returns the one value of a query that an agent's call asks for."""
        return (await self.called_rows(session, query, *arguments))[0][0]

    async def called_rows(
        self, session: str, query: str, *arguments: object
    ) -> list[tuple[object, ...]]:
        """Returns the rows of a query that an agent's call asks for."""
        share = self.sessions.setdefault(session, anyio.CapacityLimiter(MAX_CALLS_OF_SESSION))
        return await rows(self.con, [share, self.calls], self.end_of, query, *arguments)

    def end_of(self, connection: int) -> None:
        """Ends what redline does for a connection, where an interrupt of DuckDB reaches no function."""
        with contextlib.suppress(duckdb.Error):  # The database is closed.
            self.con.cursor().execute(
                "SELECT system.main.end_work(?, ?)", [connection, self.key]
            ).fetchall()

    async def pages(
        self,
        payload: str,
        width: int,
        height: int,
        most: int | None = MAX_PAGES,
        frame: bool = True,
        session: str | None = None,
    ) -> list[Page] | None:
        """Returns the pages that a person must see, framed or not; None if there are more than a person would read.

        Those that a client shows are made in the share of its `session`.
        """
        query = "SELECT system.main.approval_pages(?, ?, ?, ?)"
        given = query, payload, width, height, frame
        try:
            pages = await (self.value(*given) if session is None else self.called(session, *given))
        except duckdb.Error:
            return None
        assert isinstance(pages, list)
        return pages if most is None or len(pages) <= most else None

    async def approve(self, payload: str, scope: str, proof: str) -> bool:
        """Approves everything that was shown; returns whether the payload still waited."""
        return await self.decide(
            "SELECT system.main.approve(?, ?, ?, ?)", payload, scope, self.key, proof
        )

    async def decline(self, payload: str) -> bool:
        """Declines, which is final for this change."""
        return await self.decide("SELECT system.main.decline(?, ?)", payload, self.key)

    async def withdraw(self, approval_id: str) -> bool:
        """Drops the operation that waits under an id."""
        return await self.decide("SELECT system.main.withdraw(?, ?)", approval_id, self.key)

    async def decide(self, query: str, *arguments: object) -> bool:
        try:
            await self.value(query, *arguments)
        except duckdb.Error:
            return False  # It has expired, or another has decided: the answer to the call says so.
        return True


def sandboxes_of(
    folders: dict[str, pathlib.Path], write: bool, git: Mapping[str, object] | None = None
) -> list[dict[str, object]]:
    """Returns the directories for agents, as the setting `redline_sandboxes` has them; `git` are its fields about commits."""
    mode = "rw" if write or git else "ro"
    return [
        {"name": name, "root": str(root), "mode": mode, **(git or {})}
        for name, root in folders.items()
    ]


def open_database(
    folders: dict[str, pathlib.Path],
    write: bool,
    extension: pathlib.Path,
    max_file_bytes: int | None = None,
    git: Mapping[str, object] | None = None,
) -> Host:
    """Returns the host of a locked database; its cursors are the agents', and none of them knows the key."""
    settings = {"redline_max_proposals": MAX_PROPOSALS}
    if max_file_bytes is not None:
        settings["redline_max_read_bytes"] = max_file_bytes
    sandboxes = sandboxes_of(folders, write, git)
    return Host(open_locked(extension, sandboxes, settings=settings, write=write))


class Places:
    """Places in several limits, of one query: they are kept until it has ended, even if its caller is gone."""

    def __init__(self, limiters: list[anyio.CapacityLimiter]) -> None:
        self.limiters, self.taken = limiters, list[anyio.CapacityLimiter]()
        self.loop = asyncio.get_running_loop()

    async def take(self) -> None:
        try:
            for limiter in self.limiters:
                await limiter.acquire_on_behalf_of(self)
                self.taken.append(limiter)
        except BaseException:
            self.free()
            raise

    def free(self) -> None:
        while self.taken:
            self.taken.pop().release_on_behalf_of(self)

    def free_from_thread(self) -> None:
        # The server may have ended meanwhile.
        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self.free)


async def rows(
    con: duckdb.DuckDBPyConnection,
    limiters: list[anyio.CapacityLimiter],
    end_of: Callable[[int], None],
    query: str,
    *arguments: object,
) -> list[tuple[object, ...]]:
    """Returns the rows of a query, run in a thread on a cursor of its own; a call that is cancelled ends it and nothing else."""
    places, cursor = Places(limiters), con.cursor()
    await places.take()
    # The thread that takes the ticket frees the places, or this call if it is cancelled before the thread begins.
    ticket = [places]
    ended = threading.Event()
    connection: list[int] = []

    def run() -> list[tuple[object, ...]]:
        try:
            ticket.pop()
        except IndexError:
            return []
        try:
            found = cursor.execute("SELECT system.main.current_connection_id()").fetchall()
            connection.append(found[0][0])
            return cursor.execute(query, arguments).fetchall()
        finally:
            ended.set()
            places.free_from_thread()

    try:
        return await anyio.to_thread.run_sync(
            run, limiter=anyio.CapacityLimiter(1), abandon_on_cancel=True
        )
    except anyio.get_cancelled_exc_class():
        # The thread keeps the cursor until the query has ended.
        given = (cursor, connection, end_of, ended)
        threading.Thread(target=interrupt, args=given, daemon=True).start()
        raise
    finally:
        with contextlib.suppress(IndexError):
            ticket.pop().free()
            ended.set()


def interrupt(
    cursor: duckdb.DuckDBPyConnection,
    connection: list[int],
    end_of: Callable[[int], None],
    ended: threading.Event,
) -> None:
    """Interrupts the query of a cursor, and the function that it waits for, until it has ended: what comes before it begins is lost."""
    while not ended.is_set():
        cursor.interrupt()
        for number in connection:
            end_of(number)
        ended.wait(0.02)

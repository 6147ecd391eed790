"""The host's side of a server: a locked database, and the key that no agent has."""

import hashlib
import json
import pathlib
import secrets

import anyio
import anyio.to_thread
import duckdb

READING = ["Diff", "GitDiff", "GitDiffSummary", "GitDiffFile", "list_files", "search", "read_file", "redline_capabilities"]
WRITING = ["write_file", "edit_file"]


class Host:
    """The host's connection, and the key that no agent has."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self.con, self.key, self.asking = con, secrets.token_urlsafe(32), anyio.Lock()

    async def value(self, query: str, *arguments: object) -> object:
        """Returns the one value of a query; the connection runs one query at a time."""
        async with self.asking:
            return await value(self.con, query, *arguments)


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


async def value(con: duckdb.DuckDBPyConnection, query: str, *arguments: object) -> object:
    """Returns the one value of a query, run in a thread; a call that is cancelled interrupts it."""
    try:
        return await anyio.to_thread.run_sync(lambda: con.execute(query, arguments).fetchone()[0], abandon_on_cancel=True)
    except anyio.get_cancelled_exc_class():
        con.interrupt()
        raise


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"

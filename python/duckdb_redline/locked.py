"""A database that is locked before an agent may ask it anything, and the key of the person who approves."""

import hashlib
import json
import os
import secrets
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import duckdb

from .connection import connect, literal

# The tools that write into a git directory, of those that change something.
COMMITTING = {"GitStage", "GitCommit"}


class Tools(NamedTuple):
    """The names of the tools, as the registry of the extension describes them."""

    reading: list[str]
    writing: list[str]
    committing: list[str]


class Locked(NamedTuple):
    """A connection to a locked database, and the key, of which redline has only the SHA-256."""

    con: duckdb.DuckDBPyConnection
    key: str
    tools: Tools


def tools_of(con: duckdb.DuckDBPyConnection) -> Tools:
    """Returns the tools that only read, those that change files, and those that write into a git directory."""
    tools = Tools([], [], [])
    for name, hints in con.execute(
        "SELECT name, annotations FROM system.main.redline_tools()"
    ).fetchall():
        if name in COMMITTING:
            tools.committing.append(name)
        else:
            (tools.reading if json.loads(hints)["readOnlyHint"] else tools.writing).append(name)
    return tools


def open_locked(
    extension: str | os.PathLike[str],
    sandboxes: Sequence[Mapping[str, object]],
    tools: Sequence[str] | None = None,
    settings: Mapping[str, int] | None = None,
    write: bool = True,
) -> Locked:
    """Returns a new database in which no setting can be changed any more.

    `sandboxes` are those of the setting `redline_sandboxes`. `tools` are the granted ones, by default all that only read,
    those that change files where a sandbox can be written, unless `write` is false, and those that commit where one allows it.
    """
    key = secrets.token_urlsafe(32)
    con = connect(macros=False, extension=extension, by_caller=True)
    known = tools_of(con)
    if tools is None:
        is_writable = write and any(sandbox["mode"] == "rw" for sandbox in sandboxes)
        commits = any(sandbox.get("git") == "commit" for sandbox in sandboxes)
        tools = known.reading + known.writing * is_writable + known.committing * commits
    lock(
        con,
        {
            "redline_sandboxes": literal(json.dumps(list(sandboxes))),
            "redline_tool_grants": str(list(tools)),
            "redline_approver": literal(hashlib.sha256(key.encode()).hexdigest()),
            **(settings or {}),
        },
    )
    return Locked(con, key, known)


def lock(con: duckdb.DuckDBPyConnection, settings: Mapping[str, object]) -> None:
    """Sets settings to values in SQL, in this order, and locks the configuration."""
    for name, value in {**settings, "lock_configuration": "true"}.items():
        con.execute(f"SET GLOBAL {name} = {value}")

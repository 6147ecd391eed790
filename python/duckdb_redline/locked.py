"""A database that is locked before an agent may ask it anything, and the key of the person who approves."""

import hashlib
import json
import os
import secrets
from collections.abc import Mapping, Sequence

import duckdb

from .connection import UNSIGNED, literal, run_by_caller


def open_locked(
    extension: str | os.PathLike[str],
    sandboxes: Sequence[Mapping[str, object]],
    tools: Sequence[str],
    settings: Mapping[str, int] | None = None,
) -> tuple[duckdb.DuckDBPyConnection, str]:
    """Returns a connection to a new database, and the key: redline has its SHA-256 alone, and nothing can be set any more.

    `sandboxes` are those of the setting `redline_sandboxes`; `tools` are granted, all others are not.
    """
    key = secrets.token_urlsafe(32)
    con = duckdb.connect(config={UNSIGNED: True})
    run_by_caller(con)
    con.execute(f"LOAD {literal(os.fspath(extension))}")
    for name, value in {
        "redline_sandboxes": literal(json.dumps(list(sandboxes))),
        "redline_tool_grants": str(list(tools)),
        "redline_approver": literal(hashlib.sha256(key.encode()).hexdigest()),
        **(settings or {}),
        "lock_configuration": "true",
    }.items():
        con.execute(f"SET GLOBAL {name} = {value}")
    return con, key

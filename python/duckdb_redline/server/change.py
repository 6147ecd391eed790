"""The two sides of a change that waits: the file as it is, and as it would be."""

from __future__ import annotations

import json

import duckdb

from .approver import Call
from .host import Host

# Bytes of both texts of a diff block at most; a larger change has none.
MAX_BLOCK_BYTES = 64 << 10
# The key of a question's `_meta` that has the block.
BLOCK_KEY = "redline/diff"


async def sides(host: Host, call: Call) -> tuple[str | None, str] | None:
    """Returns the file before (None for a missing file) and after; None if either is not text, or has changed since.

    U+FFFD may stand for bytes that are no text, and these would look unchanged.
    """
    shown = json.loads(call.payload)
    if shown["type"] not in ("write", "edit"):
        return None
    try:
        query = "SELECT system.main.approval_file(?, ?)"
        old = await host.called(call.session, query, call.payload, host.key)
        if old is not None and "\ufffd" in str(old):
            return None
        if shown["type"] == "write":
            return (None if old is None else str(old)), shown["content"]
        query = "SELECT system.main.apply_patch(?, ?)"
        new = await host.called(call.session, query, old, shown["unified_diff"])
    except duckdb.Error:
        return None
    return str(old), str(new)


async def diff_block(host: Host, call: Call) -> dict[str, object] | None:
    """Returns the change as a diff block of the Agent Client Protocol, for clients that draw one; None for another change.

    The client is the agent's: it gets no text of a file that the agent may not read. What it may, the payload
    without the key tells.
    """
    asked = call.tool, call.arguments, call.session
    seen = await host.called(call.session, "SELECT system.main.needs_approval(?, ?, ?)", *asked)
    if seen is None or json.loads(str(seen))["type"] == "hidden":
        return None
    texts = await sides(host, call)
    if texts is None:
        return None
    old, new = texts
    if len((old or "").encode()) + len(new.encode()) > MAX_BLOCK_BYTES:
        return None
    return {
        "type": "diff",
        "path": json.loads(call.payload)["path"],
        "oldText": old,
        "newText": new,
    }

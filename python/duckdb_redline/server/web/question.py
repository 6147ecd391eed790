"""What waits, as it is shown: what the extension says of it, in parts, and whether that is all."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any

import anyio.to_thread
import duckdb

from ...pieces import Piece, pieces_of, rows_of
from ..host import Host
from .lines import Row, in_parts, side_by_side

TOO_LARGE = "This is too large to be shown whole, so it cannot be approved on this page."
UNKNOWN = "This page does not know what this would do, so it cannot be approved here."
# What is drawn of one change at most, and in one part of it.
MAX_PIECES, PART_PIECES, PART_ROWS = 100_000, 20_000, 500
TYPES = ("read", "write", "edit", "patch", "commit")

# Asks for the one value of a query.
Ask = Callable[..., Awaitable[object]]


@dataclass(frozen=True)
class Waiting:
    """A payload that waits for a person."""

    approval_id: str
    description: str
    session: str
    payload: str
    # The description with nothing in it unseen.
    said: tuple[Piece, ...] = field(default=(), compare=False)
    # Seconds for which it has waited; None where that is not known.
    age: float | None = field(default=None, compare=False)

    @functools.cached_property
    def fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = json.loads(self.payload)
        return fields


@dataclass(frozen=True)
class View:
    """A change as it is drawn; a problem says why it cannot be approved."""

    title: tuple[Piece, ...] = ()
    name: tuple[Piece, ...] = ()
    parts: tuple[tuple[Row, ...], ...] = ((),)
    warnings: tuple[tuple[Piece, ...], ...] = ()
    has_old: bool = False
    problem: str | None = None

    @functools.cached_property
    def digest(self) -> str:
        """Names exactly these rows, so that parts of two views are never mixed."""
        return hashlib.sha256(
            repr((self.has_old, self.parts)).encode("utf-8", "surrogatepass")
        ).hexdigest()


async def waiting(host: Host, *only: str) -> list[Waiting]:
    """Returns the waiting changes, the oldest first; or the one under an id."""
    query = (
        "SELECT approval_id, description, session, payload, system.main.visible_pieces(description) "
        f"FROM system.main.pending_approvals(?{', id := ?' if only else ''})"
    )
    return [
        Waiting(str(approval_id), str(description), str(session), str(payload), pieces_of(said))
        for approval_id, description, session, payload, said in await host.rows(
            query, host.key, *only
        )
    ]


async def waiting_ids(host: Host) -> list[str]:
    """Returns the ids of the waiting changes, the oldest first; no payload is made for that."""
    query = "SELECT approval_id FROM system.main.pending_approvals(?)"
    return [str(approval_id) for (approval_id,) in await host.rows(query, host.key)]


async def view(ask: Ask, question: Waiting, most: int = MAX_PIECES) -> View:
    """Returns a change as it is drawn, with at most so many pieces."""
    name = str(question.fields.get("path", ""))
    found = await ask("SELECT system.main.approval_pieces(?, ?)", question.payload, most)
    named = await ask("SELECT system.main.visible_pieces(?)", name)
    # Making the rows of a large change holds up no other request.
    return await anyio.to_thread.run_sync(made, question.fields, found, named)


def made(fields: dict[str, Any], found: object, named: object) -> View:
    rows = rows_of(found)
    title, *body = [row for row in rows if row.kind not in ("warning", "question")]
    parts = in_parts(side_by_side(body), PART_ROWS, PART_PIECES)
    is_cut = any(row.kind == "cut" for row in body)
    problem = None
    if (
        fields.get("content_truncated")
        or is_cut
        or any(row.size > PART_PIECES for part in parts for row in part)
    ):
        problem = TOO_LARGE
    elif fields.get("type") not in TYPES:
        problem = UNKNOWN
    return View(
        title=title.pieces,
        name=pieces_of(named),
        parts=parts,
        warnings=tuple(row.pieces for row in rows if row.kind == "warning"),
        has_old=any(row.kind in ("removed", "context", "hunk", "header") for row in body),
        problem=problem,
    )


async def whole(host: Host, question: Waiting) -> Waiting:
    """Returns an edit as one of its whole file, for which it is shown; the same where the file is not text, or has changed since."""
    fields = question.fields
    if fields.get("type") != "edit":
        return question
    try:
        old = await host.value("SELECT system.main.approval_file(?, ?)", question.payload, host.key)
        if "\ufffd" in str(old):
            return question  # Perhaps bytes that are no text: the change alone shows them.
        new = await host.value("SELECT system.main.apply_patch(?, ?)", old, fields["unified_diff"])
        diff = await host.value("SELECT system.main.unified_diff(?, ?, ?)", old, new, -1)
    except duckdb.Error:
        return question
    return replace(question, payload=json.dumps(fields | {"unified_diff": str(diff)}))


async def is_stale(host: Host, question: Waiting) -> bool:
    """Tells whether the file has changed since the change was proposed."""
    try:
        await host.value("SELECT system.main.approval_file(?, ?)", question.payload, host.key)
    except duckdb.Error as error:
        return any(code in str(error) for code in ("stale: ", "not_found: ", "fs_denied: "))
    return False

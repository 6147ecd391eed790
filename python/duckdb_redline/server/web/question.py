"""What waits, as it is shown: the rows of its change, and whether that is all of it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import duckdb

from ..change import sides
from ..host import Host
from .rows import Row, new_text, of_diff, of_text, with_words
from .visible import hidden

TOO_LARGE = "This is too large to be shown whole, so it cannot be approved on this page."
UNKNOWN = "This page does not know what this would do, so it cannot be approved here."
UNREADABLE = "This change cannot be shown whole, so it cannot be approved on this page."


@dataclass(frozen=True)
class Waiting:
    """A payload that waits for a person."""

    approval_id: str
    description: str
    session: str
    payload: str

    @property
    def fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = json.loads(self.payload)
        return fields


@dataclass(frozen=True)
class View:
    """A change as rows; a problem says why it cannot be approved."""

    rows: tuple[Row, ...] = ()
    has_old: bool = False
    problem: str | None = None
    note: str | None = None
    # Characters that would not be seen.
    unseen: int = 0

    @property
    def digest(self) -> str:
        """Names exactly these rows, so that parts of two views are never taken for parts of one."""
        return hashlib.sha256(repr((self.has_old, self.rows)).encode("utf-8", "surrogatepass")).hexdigest()


async def waiting(host: Host) -> list[Waiting]:
    """Returns what waits, the oldest first."""
    query = "SELECT approval_id, description, session, payload FROM system.main.pending_approvals(?)"
    return [Waiting(*map(str, row)) for row in await host.rows(query, host.key)]


async def view(host: Host, question: Waiting, whole: bool) -> View:
    """Returns all of a change; of an edit the whole file with the change in it, where that is wanted."""
    fields = question.fields
    kind = fields.get("type")
    if kind == "read":
        return View()
    if kind not in ("write", "edit"):
        return View(problem=TOO_LARGE if fields.get("content_truncated") else UNKNOWN)
    texts = await sides(host, question.payload) if kind == "write" or whole else None
    try:
        found = await of_file(host, texts) if texts else None
        if found is None and kind == "edit":
            found = View(tuple(of_diff(fields["unified_diff"])), has_old=True)
    except ValueError:
        return View(problem=UNREADABLE)
    found = found or View(tuple(of_text(fields["content"])))
    note = "The file will be empty." if kind == "write" and not fields["content"] else found.note
    rows = await with_words(host, list(found.rows))
    cells = (cell for row in rows for cell in (row.old if found.has_old else None, row.new))
    return View(tuple(rows), found.has_old, note=note, unseen=sum(hidden(cell.text) for cell in cells if cell))


async def of_file(host: Host, texts: tuple[str | None, str]) -> View | None:
    """Returns a whole file before and after; None where its rows would not hold all of it."""
    old, new = texts
    if old is None:
        return None
    diff = str(await host.value("SELECT system.main.unified_diff(?, ?, ?)", old, new, -1))
    if not diff:
        return View(tuple(of_text(new)), note="The file has this content already.")
    rows = of_diff(diff)
    return View(tuple(rows), has_old=True) if new_text(rows) == new else None


async def is_stale(host: Host, question: Waiting) -> bool:
    """Tells whether the file has changed since the change was proposed."""
    try:
        await host.value("SELECT system.main.approval_file(?, ?)", question.payload, host.key)
    except duckdb.Error as error:
        return any(code in str(error) for code in ("stale: ", "not_found: ", "fs_denied: "))
    return False

"""What waits, as it is shown: the rows of its change, and whether that is all of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import anyio.to_thread
import duckdb

from ..change import sides
from ..host import Host
from .rows import Row, new_text, of_diff, of_text, with_words
from .visible import hidden

Made = TypeVar("Made")

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
    # Seconds for which it has waited; None where that is not known.
    age: float | None = field(default=None, compare=False)

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
    # Whether there are more rows, which were not made.
    is_cut: bool = False

    @property
    def digest(self) -> str:
        """Names exactly these rows, so that parts of two views are never mixed."""
        return hashlib.sha256(
            repr((self.has_old, self.rows)).encode("utf-8", "surrogatepass")
        ).hexdigest()


async def waiting(host: Host) -> list[Waiting]:
    """Returns the waiting changes, the oldest first."""
    query = (
        "SELECT approval_id, description, session, payload FROM system.main.pending_approvals(?)"
    )
    rows = await host.rows(query, host.key)
    return [
        Waiting(str(approval_id), str(description), str(session), str(payload))
        for approval_id, description, session, payload in rows
    ]


async def view(host: Host, question: Waiting, whole: bool, most: int | None = None) -> View:
    """Returns all of a change, or its first rows; of an edit the whole file with the change in it, where that is wanted."""
    fields = question.fields
    kind = fields.get("type")
    if kind == "read":
        return View()
    if kind == "patch":
        # A git diff of several files is shown line by line, as it is.
        rows = await in_thread(of_text, fields["unified_diff"], most)
        shown = tuple(rows if most is None else rows[:most])
        unseen = await in_thread(unseen_in, list(shown), False)
        return View(shown, unseen=unseen, is_cut=len(shown) < len(rows))
    if kind not in ("write", "edit"):
        return View(problem=TOO_LARGE if fields.get("content_truncated") else UNKNOWN)
    texts = await sides(host, question.payload) if kind == "write" or whole else None
    old, new = texts or (None, None)
    diff = (
        None
        if old is None
        else str(await host.value("SELECT system.main.unified_diff(?, ?, ?)", old, new, -1))
    )
    try:
        found = await in_thread(rows_of, fields, diff, new, most)
    except ValueError:
        return View(problem=UNREADABLE)
    rows = await with_words(host, list(found.rows))
    unseen = await in_thread(unseen_in, rows, found.has_old)
    return replace(found, rows=tuple(rows), unseen=unseen)


async def in_thread(work: Callable[..., Made], *arguments: object) -> Made:
    """Does the slow work for a large change without holding up other requests."""
    return await anyio.to_thread.run_sync(work, *arguments)


def rows_of(fields: dict[str, Any], diff: str | None, new: str | None, most: int | None) -> View:
    """Returns the rows of a change: of `diff`, which is that of the whole file, or as the payload has it."""
    is_write = fields["type"] == "write"
    found = None
    if diff:
        rows = of_diff(diff, most)
        if most is not None and len(rows) > most:
            return View(tuple(rows[:most]), has_old=True, is_cut=True)
        # Where a row would not hold all of its line, the change is shown as the payload has it.
        found = View(tuple(rows), has_old=True) if new_text(rows) == new else None
    elif diff is not None:
        found = View(tuple(of_text(str(new), most)), note="The file has this content already.")
    if found is None and not is_write:
        found = View(tuple(of_diff(fields["unified_diff"], most)), has_old=True)
    found = found or View(tuple(of_text(fields["content"], most)))
    if most is not None and len(found.rows) > most:
        found = replace(found, rows=found.rows[:most], is_cut=True)
    return (
        replace(found, note="The file will be empty.")
        if is_write and not fields["content"]
        else found
    )


def unseen_in(rows: list[Row], has_old: bool) -> int:
    """Returns how many characters of the rows would not be seen."""
    cells = (cell for row in rows for cell in (row.old if has_old else None, row.new))
    return sum(hidden(cell.text) for cell in cells if cell)


async def is_stale(host: Host, question: Waiting) -> bool:
    """Tells whether the file has changed since the change was proposed."""
    try:
        await host.value("SELECT system.main.approval_file(?, ?)", question.payload, host.key)
    except duckdb.Error as error:
        return any(code in str(error) for code in ("stale: ", "not_found: ", "fs_denied: "))
    return False

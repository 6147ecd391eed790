"""A change as the extension tells it (`approval_pieces`), side by side: nothing is compared or made harmless here."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ...pieces import Piece, Shown, text_of

# What is left out of a file before and after its changes is told by the numbers of its lines.
NO_NEWLINE = "\\ No newline at end of file"
# The kinds of rows that are lines of a file.
LINES = ("context", "removed", "added")


@dataclass(frozen=True)
class Cell:
    """A line of one side."""

    number: int | None
    pieces: tuple[Piece, ...]
    is_changed: bool
    has_newline: bool = True


@dataclass(frozen=True)
class Row:
    """A line of each side, or a row of redline's own over both: a header, a remark, or where unchanged lines are left out."""

    old: Cell | None = None
    new: Cell | None = None
    own: tuple[Piece, ...] | None = None
    is_gap: bool = False

    @property
    def size(self) -> int:
        """The elements that it is drawn with, about."""
        return (
            1 + sum(len(cell.pieces) for cell in (self.old, self.new) if cell) + len(self.own or ())
        )


def side_by_side(rows: list[Shown]) -> Iterator[Row]:
    """Returns the rows of a body, the removed lines of a block beside the added ones."""
    old: list[Cell] = []
    new: list[Cell] = []

    def block() -> Iterator[Row]:
        made = [Row(*sides) for sides in itertools.zip_longest(old, new)]
        old.clear()
        new.clear()
        return iter(made)

    for at, row in enumerate(rows):
        has_newline = at + 1 == len(rows) or not is_no_newline(rows[at + 1])
        cell = Cell(row.old, row.pieces, row.kind != "context", has_newline)
        if row.kind == "removed":
            if new:
                yield from block()
            old.append(cell)
        elif row.kind == "added":
            new.append(replace(cell, number=row.new))
        elif not is_no_newline(row):
            yield from block()
            if row.kind == "context":
                yield Row(cell, replace(cell, number=row.new))
            elif row.kind != "hunk":
                yield Row(own=row.pieces)
            elif at and rows[at - 1].kind in LINES or starts_late(rows[at + 1 : at + 2]):
                yield Row(own=row.pieces, is_gap=True)
    yield from block()


def is_no_newline(row: Shown) -> bool:
    return row.kind == "remark" and text_of(row.pieces) == NO_NEWLINE


def starts_late(first: list[Shown]) -> bool:
    """Tells whether lines are left out before a hunk."""
    return any((number or 0) > 1 for row in first for number in (row.old, row.new))


def in_parts(rows: Iterable[Row], most_rows: int, most_pieces: int) -> tuple[tuple[Row, ...], ...]:
    """Returns rows in parts, each with at most so many rows and pieces; a row alone may have more."""
    parts: list[list[Row]] = [[]]
    left = most_pieces
    for row in rows:
        if parts[-1] and (len(parts[-1]) == most_rows or row.size > left):
            parts.append([])
            left = most_pieces
        parts[-1].append(row)
        left -= row.size
    return tuple(tuple(part) for part in parts)

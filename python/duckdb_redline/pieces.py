"""A change as the extension tells it, in rows of pieces (docs/functions/approvals.md): whoever shows it only draws them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple


class Piece(NamedTuple):
    """Characters that are shown in the same way."""

    kind: str  # plain, mark for whitespace that matters, or number for what would not be seen
    text: str
    changed: bool = False


class Shown(NamedTuple):
    """A row of what a payload shows."""

    kind: str
    old: int | None
    new: int | None
    pieces: tuple[Piece, ...]


def pieces_of(found: Any) -> tuple[Piece, ...]:
    """Returns pieces that a query has returned."""
    return tuple(Piece(one["kind"], one["text"], one.get("changed", False)) for one in found)


def rows_of(found: Any) -> list[Shown]:
    """Returns the rows that a query has returned."""
    return [
        Shown(row["kind"], row["old_line"], row["new_line"], pieces_of(row["pieces"]))
        for row in found
    ]


def text_of(pieces: Iterable[Piece]) -> str:
    """Returns what is shown as plain text, for a title."""
    return "".join(piece.text for piece in pieces)

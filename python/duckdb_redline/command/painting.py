"""How a patch is drawn for a person: each line in parts with styles, one below the other or in two columns.

What a line shows is told by the extension in pieces; this gives them styles.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..pieces import Piece, Shown, rows_of, text_of
from .screen import Screen
from .syntax import Part, Syntax

if TYPE_CHECKING:
    import duckdb

# The style of a moved line by its sign and its number.
Moved = dict[tuple[str, int], dict[str, Any]]
# The signs of a patch, git's own colours, and those of the box of an approval for what is shown by a mark or a number.
SIGNS = {"removed": "-", "added": "+", "context": " "}
STYLES: dict[str, dict[str, Any]] = {"header": {"bold": True}, "removed": {"fg": "red"}, "added": {"fg": "green"}}  # fmt: skip
KINDS: dict[str, dict[str, Any]] = {"mark": {"dim": True}, "number": {"fg": "yellow", "bold": True, "reverse": True}}  # fmt: skip
# Rows that are read at once, if a hunk has not more.
READ_ROWS = 1000


@dataclass
class Line:
    """A line of a patch; one of a header and the first of a hunk have no sign."""

    parts: list[Part]
    kind: str
    style: dict[str, Any]
    old: int | None
    new: int | None

    def whole(self) -> list[Part]:
        """Returns the parts of the line with its sign."""
        return [(SIGNS.get(self.kind, ""), self.style), *self.parts]


@dataclass
class Drawing:
    """How patches are drawn: with syntax colours, in two columns, and which lines of which file were moved."""

    has_syntax: bool = False
    in_columns: bool = False
    moved: dict[str, Moved] = field(default_factory=dict)

    def of(
        self, con: "duckdb.DuckDBPyConnection", patch: bytes, path: str, screen: Screen
    ) -> Iterator[str]:
        """Yields the lines of one file's patch with nothing in them unseen and, where there is colour, painted."""
        syntax = Syntax(path) if self.has_syntax and screen.colour else None
        lines = lines_of(con, patch, self.moved.get(path, {}), syntax)
        if self.in_columns:
            from .columns import in_columns

            return in_columns(lines, screen)
        return (painted(line.whole(), screen) + "\n" for line in lines)


def painted(parts: list[Part], screen: Screen) -> str:
    """Returns parts as one text; those next to each other in one style are one run."""
    runs = itertools.groupby((part for part in parts if part[0]), lambda part: part[1])
    return "".join(styled("".join(text for text, _ in run), style, screen) for style, run in runs)


def styled(text: str, style: dict[str, Any], screen: Screen) -> str:
    return screen.styled(text, **style) if style else text


def lines_of(
    con: "duckdb.DuckDBPyConnection", patch: bytes, moved: Moved, syntax: Syntax | None
) -> Iterator[Line]:
    """Yields the lines of one file's patch; those of a hunk together where its language is coloured."""
    rows = shown_rows(con, patch)
    if syntax is None:
        yield from (line_of(row, None, moved) for row in rows)
        return
    for is_hunk, group in itertools.groupby(rows, lambda row: row.kind not in ("header", "hunk")):
        own = list(group)
        texts = [SIGNS.get(row.kind, "\\") + text_of(row.pieces) for row in own]
        known = syntax.of_hunk(texts) if is_hunk else itertools.repeat(None)
        yield from (line_of(row, parts, moved) for row, parts in zip(own, known))


def shown_rows(con: "duckdb.DuckDBPyConnection", patch: bytes) -> Iterator[Shown]:
    found = con.cursor().execute("SELECT unnest(system.main.patch_pieces(?))", [patch])
    while rows := found.fetchmany(READ_ROWS):
        yield from rows_of(row for (row,) in rows)


def line_of(row: Shown, known: list[Part] | None, moved: Moved) -> Line:
    """Returns a row as a line; `known` are the parts of its text by its language."""
    number = row.old if row.kind == "removed" else row.new
    style = moved.get((SIGNS.get(row.kind, ""), number or 0))
    base = style or STYLES.get(row.kind, {})
    if row.kind == "hunk":
        range_, end, section = text_of(row.pieces).partition(" @@")
        known = [(range_ + end, {"fg": "cyan"}), (section, {})]
    parts: list[Part] = []
    for piece, own in spans(row.pieces, known if style is None else None):
        emphasis = {"reverse": True} if piece.changed and not style else {}
        # What differs keeps the colour of its side.
        own = {} if emphasis or piece.kind in KINDS else own
        parts.append((piece.text, base | own | KINDS.get(piece.kind, {}) | emphasis))
    return Line(parts, row.kind, base, row.old, row.new)


def spans(
    pieces: tuple[Piece, ...], known: list[Part] | None
) -> Iterator[tuple[Piece, dict[str, Any]]]:
    """Yields pieces with the styles of a language, cut where either ends; both have one text."""
    if known is None:
        yield from ((piece, {}) for piece in pieces)
        return
    tokens = iter(known)
    text = ""
    style: dict[str, Any] = {}
    for piece in pieces:
        rest = piece.text
        while rest:
            while not text:
                text, style = next(tokens)
            taken = min(len(rest), len(text))
            yield piece._replace(text=rest[:taken]), style
            rest, text = rest[taken:], text[taken:]

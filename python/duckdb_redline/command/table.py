"""Rows as a table for a person, which fits a terminal's width."""

import itertools
import re
from collections.abc import Iterable, Iterator

from ..visible import harmless
from .screen import Screen, cut, padded, width_of

Cells = list[str | None]

# A column is never narrower than the first; with the second it says enough for another one to stay beside it.
LEAST, MOST = 8, 18
# An id, or a list of them.
ID = re.compile("[0-9a-f]{40}(?:[0-9a-f]{24})?")
IDS = re.compile(rf"{ID.pattern}|\[(?:{ID.pattern}(?:, )?)*\]")
SHORT_ID = 10


class Column:
    """A column: its name, its type, and its cells."""

    def __init__(self, name: str, kind: str, is_number: bool, cells: Cells) -> None:
        self.name, self.kind, self.is_number = harmless(name), harmless(kind), is_number
        self.cells = [None if text is None else harmless(text) for text in cells]
        texts = [text for text in self.cells if text is not None]
        self.is_empty = bool(self.cells) and not any(texts)
        self.is_id = bool(texts) and all(map(IDS.fullmatch, texts))
        self.fit()

    def fit(self) -> None:
        self.width = max(map(width_of, [self.name, self.kind, *map(shown, self.cells)]))

    def abbreviate(self) -> None:
        self.cells = [text and ID.sub(lambda id: id[0][:SHORT_ID], text) for text in self.cells]
        self.fit()

    def line(self, text: str | None) -> str:
        return padded(cut(shown(text), self.width), self.width, right=self.is_number)

    def title(self, text: str) -> str:
        blanks = self.width - width_of(text)
        return " " * (blanks // 2) + text + " " * (blanks - blanks // 2) if blanks > 0 else cut(text, self.width)  # fmt: skip


def shown(text: str | None) -> str:
    return "NULL" if text is None else text


def table(columns: list[Column], total: str, screen: Screen) -> Iterator[str]:
    """Yields the lines of a table, and what it leaves out; `total` says which rows it has not."""
    kept = fitting(columns, screen.width)
    yield ruled("┌┬┐", kept)
    yield row(screen.styled(column.title(column.name), bold=True) for column in kept)
    yield row(screen.styled(column.title(column.kind), dim=True) for column in kept)
    yield ruled("├┼┤", kept)
    for cells in zip(*(column.cells for column in kept)):
        yield row(column.line(text) for column, text in zip(kept, cells))
    yield ruled("└┴┘", kept)
    if total:
        yield total + "\n"
    left_out = [column.name for column in columns if column not in kept]
    if left_out:
        names = ", ".join(left_out)
        yield cut(f"not shown at {screen.width} columns: {names}", screen.width) + "\n"


def ruled(corners: str, columns: list[Column]) -> str:
    lines = corners[1].join("─" * (column.width + 2) for column in columns)
    return f"{corners[0]}{lines}{corners[2]}\n"


def row(cells: Iterable[str]) -> str:
    return "│" + "│".join(f" {cell} " for cell in cells) + "│\n"


def fitting(columns: list[Column], width: int) -> list[Column]:
    """Returns the columns that fit: ids are abbreviated, long texts cut, and then what says least is left out."""
    kept = list(columns)
    if is_wider(kept, width):
        for column in kept:
            if column.is_id:
                column.abbreviate()
    # The first column is what a row is about.
    left_out = itertools.chain(
        (column for column in columns[1:] if column.is_empty),
        (column for column in columns[1:] if column.is_id),
        (column for column in reversed(columns[1:]) if not (column.is_empty or column.is_id)),
    )
    while is_wider(kept, width, MOST) and len(kept) > 1:
        kept.remove(next(left_out))
    while is_wider(kept, width):
        widest = max(kept, key=lambda column: column.width)
        if widest.width <= LEAST:
            break
        widest.width -= 1
    return kept


def is_wider(columns: list[Column], width: int, most: int = 1 << 30) -> bool:
    return sum(min(column.width, most) + 3 for column in columns) + 1 > width

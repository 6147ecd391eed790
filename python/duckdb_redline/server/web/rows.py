"""A change side by side: the rows of a unified diff, with the words that differ."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..host import Host

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
NO_NEWLINE = "\\ No newline at end of file"
# Bytes of changed lines that are compared word by word: of one block, and of all.
MAX_BLOCK_BYTES, MAX_WORD_BYTES = 8 << 10, 128 << 10


@dataclass(frozen=True)
class Cell:
    """A line of one side."""

    number: int
    text: str
    is_changed: bool
    has_newline: bool = True
    words: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Row:
    """A line of each side, or where unchanged lines are left out."""

    old: Cell | None = None
    new: Cell | None = None
    is_gap: bool = False


def of_text(text: str, most: int | None = None) -> list[Row]:
    """Returns the rows of a new file: all, or at least the first `most`."""
    lines = text.split("\n", -1 if most is None else most + 1)
    has_newline = lines[-1] == ""
    lines = lines[:-1] if has_newline else lines
    cells = [Cell(number, line, True) for number, line in enumerate(lines, 1)]
    if cells and not has_newline:
        cells[-1] = replace(cells[-1], has_newline=False)
    return [Row(new=cell) for cell in cells]


def of_diff(diff: str, most: int | None = None) -> list[Row]:
    """Returns the rows of a unified diff, all or the first; a ValueError says that a line of it would not be shown.

    Where `most` are wanted, as many lines are read as these rows can have, and what the last of them ends in is not asked.
    """
    is_cut = most is not None and diff.count("\n", 0, len(diff)) > 2 * most + 4
    lines = (
        diff.split("\n", 2 * most + 4)[:-1] + [""]
        if is_cut and most is not None
        else diff.split("\n")
    )
    if lines.pop() != "":
        raise ValueError("the diff does not end with a line feed")
    at = next((index for index, line in enumerate(lines) if HUNK.match(line)), len(lines))
    if at > 2:
        raise ValueError("the diff does not start with its two labels")
    rows: list[Row] = []
    while at < len(lines):
        header = HUNK.match(lines[at])
        if header is None:
            raise ValueError("a line of the diff belongs to no hunk")
        old, new = int(header[1]), int(header[3])
        left = [int(header[2] or 1), int(header[4] or 1)]
        if rows or max(old, new) > 1:
            rows.append(Row(is_gap=True))
        at += 1
        removed: list[Cell] = []
        added: list[Cell] = []
        while at < len(lines) and any(left):
            sign, text = lines[at][:1], lines[at][1:]
            has_newline = at + 1 >= len(lines) or lines[at + 1] != NO_NEWLINE
            if sign == "-":
                if added:
                    rows += block(removed, added)
                removed.append(Cell(old, text, True, has_newline))
            elif sign == "+":
                added.append(Cell(new, text, True, has_newline))
            elif sign == " ":
                rows += block(removed, added)
                rows.append(
                    Row(Cell(old, text, False, has_newline), Cell(new, text, False, has_newline))
                )
            else:
                raise ValueError("a line of the diff has no sign")
            old, left[0] = old + (sign in "- "), left[0] - (sign in "- ")
            new, left[1] = new + (sign in "+ "), left[1] - (sign in "+ ")
            at += 1 if has_newline else 2
        if any(left) and not is_cut:
            raise ValueError("a hunk of the diff has other lines than it says")
        rows += block(removed, added)
    return rows


def block(removed: list[Cell], added: list[Cell]) -> list[Row]:
    """Returns changed lines side by side, and empties both lists."""
    rows = [Row(old, new) for old, new in itertools.zip_longest(removed, added)]
    removed.clear()
    added.clear()
    return rows


def new_text(rows: list[Row]) -> str:
    """Returns the new side of a whole file's rows."""
    return "".join(row.new.text + "\n" * row.new.has_newline for row in rows if row.new)


async def with_words(host: Host, rows: list[Row]) -> list[Row]:
    """Returns the rows with the words that differ, of blocks that have both sides."""
    found: list[Row] = []
    budget = MAX_WORD_BYTES
    for is_changed, group in itertools.groupby(rows, is_change):
        part = list(group)
        old, new = joined(row.old for row in part), joined(row.new for row in part)
        size = len(old.encode("utf-8", "replace")) + len(new.encode("utf-8", "replace"))
        if is_changed and old and new and size <= min(budget, MAX_BLOCK_BYTES):
            budget -= size
            part = marked(part, await host.value("SELECT system.main.inline_diff(?, ?)", old, new))
        found += part
    return found


def is_change(row: Row) -> bool:
    return any(cell is not None and cell.is_changed for cell in (row.old, row.new))


def joined(cells: Iterable[Cell | None]) -> str:
    return "".join(cell.text + "\n" for cell in cells if cell)


def marked(rows: list[Row], runs: object) -> list[Row]:
    """Returns a block with its words: `runs` are those of inline_diff over the joined lines of both sides."""
    if not isinstance(runs, list) or not any(
        run["change"] == "equal" and run["text"].strip() for run in runs
    ):
        return rows  # Everything differs.
    words = {side: ranges([(run["text"], run["change"] == change) for run in runs if run["change"] in ("equal", change)])
             for side, change in (("old", "delete"), ("new", "insert"))}  # fmt: skip
    old, new = iter(words["old"]), iter(words["new"])
    return [
        Row(
            row.old and replace(row.old, words=next(old)),
            row.new and replace(row.new, words=next(new)),
        )
        for row in rows
    ]


def ranges(runs: list[tuple[str, bool]]) -> list[tuple[tuple[int, int], ...]]:
    """Returns for each line of a text in runs the places that are marked."""
    lines: list[list[tuple[int, int]]] = [[]]
    column = 0
    for text, is_marked in runs:
        for index, part in enumerate(text.split("\n")):
            if index:
                lines.append([])
                column = 0
            if is_marked and part:
                lines[-1].append((column, column + len(part)))
            column += len(part)
    return [tuple(line) for line in lines]

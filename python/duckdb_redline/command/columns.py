"""A patch in two columns: the old lines to the left, the new ones to the right."""

import itertools
from collections.abc import Iterator

from .painting import SIGNS, Line, painted, styled
from .screen import Screen, width_of
from .syntax import Part

TAB = 8
# A column is never narrower; one of at least this width has the numbers of its lines.
MIN_COLUMN, LEAST_WITH_NUMBERS = 8, 24
DIGITS = 4
BETWEEN = " │ "


def in_columns(lines: Iterator[Line], screen: Screen) -> Iterator[str]:
    """Yields the rows of a patch; a line that is too wide goes on in the next row."""
    for kind, group in itertools.groupby(lines, key=group_of):
        if kind == "changed":
            yield from changed(list(group), screen)
            continue
        for line in group:
            if kind == "context":
                yield from side_by_side(line, line, screen)
            else:
                yield painted(line.parts, screen) + "\n"


def group_of(line: Line) -> str:
    """Returns what is drawn together; a remark on an end without a line feed is of the line before it."""
    return line.kind if line.kind in ("header", "hunk", "context") else "changed"


def changed(lines: list[Line], screen: Screen) -> Iterator[str]:
    """Yields removed lines beside the added ones that follow them."""
    sides: dict[str, list[Line]] = {"removed": [], "added": []}
    last = "removed"
    for line in lines:
        last = line.kind if line.kind in sides else last
        sides[last].append(line)
    for left, right in itertools.zip_longest(*sides.values()):
        yield from side_by_side(left, right, screen)


def side_by_side(left: Line | None, right: Line | None, screen: Screen) -> Iterator[str]:
    width = max(MIN_COLUMN, (screen.width - len(BETWEEN)) // 2)
    numbers = (left.old if left else None, right.new if right else None)
    columns = [column(line, at, width, screen) for line, at in zip((left, right), numbers)]
    for one, other in itertools.zip_longest(*columns, fillvalue=" " * width):
        yield (one + screen.styled(BETWEEN, dim=True) + other).rstrip() + "\n"


def column(line: Line | None, number: int | None, width: int, screen: Screen) -> list[str]:
    """Returns the rows of one side, each as wide as its column."""
    if line is None:
        return []
    sign = SIGNS.get(line.kind, " ")
    shown = "" if number is None else str(number)
    label = sign if width < LEAST_WITH_NUMBERS else f"{shown:>{DIGITS}} {sign}"
    first = screen.styled(label, **(line.style or {"dim": True}))
    rows = wrapped(line.parts, max(1, width - len(label)), screen)
    return [(" " * len(label) if at else first) + row for at, row in enumerate(rows)]


def wrapped(parts: list[Part], width: int, screen: Screen) -> list[str]:
    """Returns parts as rows of exactly this width; tabs are blanks up to the next stop."""
    rows, row, used, at = [], "", 0, 0
    for text, style in parts:
        run = ""
        for c in text:
            shown = " " * (TAB - at % TAB) if c == "\t" else c
            wide = width_of(shown)
            at += wide
            # A tab is cut where its row ends, as it is seen nowhere else.
            if used + wide > width:
                row += styled(run, style, screen)
                rows.append(row + " " * (width - used))
                run, row, used = "", "", 0
                shown = shown[:width]
                wide = width_of(shown)
            run += shown
            used += wide
        row += styled(run, style, screen)
    return [*rows, row + " " * (width - used)]

"""A patch in two columns: the old lines to the left, the new ones to the right."""

import itertools
from collections.abc import Iterator

from .painting import SIGNS, Line, painted, styled
from .screen import Screen, harmless, width_of
from .syntax import Part

# The sign of a line, its number and its parts.
Side = tuple[str, int | None, list[Part]]
TAB = 8
# A column is never narrower; one of at least this width has the numbers of its lines.
MIN_COLUMN, LEAST_WITH_NUMBERS = 8, 24
DIGITS = 4
BETWEEN = " │ "


def in_columns(lines: Iterator[Line], screen: Screen) -> Iterator[str]:
    """Yields the rows of a patch; a line that is too wide goes on in the next row."""
    for is_changed, group in itertools.groupby(lines, lambda line: line.sign in ("-", "+", "\\")):
        if is_changed:
            yield from changed(list(group), screen)
            continue
        for line in group:
            if line.sign:
                left, right = (" ", line.old, line.parts), (" ", line.new, line.parts)
                yield from side_by_side(left, right, screen)
            else:
                yield painted(line.parts, screen) + "\n"


def changed(lines: list[Line], screen: Screen) -> Iterator[str]:
    """Yields removed lines beside the added ones that follow them."""
    sides: dict[str, list[Side]] = {"-": [], "+": []}
    last = "-"
    for line in lines:
        if line.sign == "\\":
            # The remark on an end without a line feed, of the line before it.
            sides[last].append((" ", None, line.parts))
            continue
        last = line.sign
        sides[last].append((last, line.old if last == "-" else line.new, line.parts))
    nothing: Side = (" ", None, [])
    for left, right in itertools.zip_longest(sides["-"], sides["+"], fillvalue=nothing):
        yield from side_by_side(left, right, screen)


def side_by_side(left: Side, right: Side, screen: Screen) -> Iterator[str]:
    width = max(MIN_COLUMN, (screen.width - len(BETWEEN)) // 2)
    columns = [column(side, width, screen) for side in (left, right)]
    for one, other in itertools.zip_longest(*columns, fillvalue=" " * width):
        yield (one + screen.styled(BETWEEN, dim=True) + other).rstrip() + "\n"


def column(side: Side, width: int, screen: Screen) -> list[str]:
    """Returns the rows of one side, each as wide as its column."""
    sign, number, parts = side
    shown = "" if number is None else str(number)
    label = sign if width < LEAST_WITH_NUMBERS else f"{shown:>{DIGITS}} {sign}"
    first = screen.styled(label, **SIGNS.get(sign, {"dim": True}))
    rows = wrapped(parts, max(1, width - len(label)), screen)
    return [(" " * len(label) if at else first) + row for at, row in enumerate(rows)]


def wrapped(parts: list[Part], width: int, screen: Screen) -> list[str]:
    """Returns parts as rows of exactly this width; tabs are blanks up to the next stop."""
    rows, row, used, at = [], "", 0, 0
    for text, style in parts:
        run = ""
        for c in harmless(text):
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

"""How a patch is drawn for a person: each line in parts with styles, one below the other or in two columns."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .screen import Screen, harmless
from .syntax import Part, Syntax

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
# The style of a moved line by its sign and its number.
Moved = dict[tuple[str, int], dict[str, Any]]
SIGNS = {"-": {"fg": "red"}, "+": {"fg": "green"}}


@dataclass
class Line:
    """A line of a patch; one of a header and the first of a hunk have no sign and no number."""

    parts: list[Part]
    sign: str = ""
    style: dict[str, Any] = field(default_factory=dict)
    old: int = 0
    new: int = 0

    def whole(self) -> list[Part]:
        """Returns the parts of the line with its sign."""
        return [(self.sign, self.style), *self.parts]


@dataclass
class Drawing:
    """How patches are drawn: with syntax colours, in two columns, and which lines of which file were moved."""

    has_syntax: bool = False
    in_columns: bool = False
    moved: dict[str, Moved] = field(default_factory=dict)

    def of(self, patch: str, path: str, screen: Screen) -> Iterator[str]:
        """Yields the lines of one file's patch, harmless and, where there is colour, painted."""
        syntax = Syntax(path) if self.has_syntax and screen.colour else None
        lines = lines_of(patch, self.moved.get(path, {}), syntax)
        if self.in_columns:
            from .columns import in_columns

            return in_columns(lines, screen)
        return (painted(line.whole(), screen) + "\n" for line in lines)


def painted(parts: list[Part], screen: Screen) -> str:
    """Returns parts as one harmless text; those next to each other in one style are one run."""
    runs = itertools.groupby(parts, lambda part: part[1])
    return "".join(
        styled(harmless("".join(text for text, _ in run)), style, screen) for style, run in runs
    )


def styled(text: str, style: dict[str, Any], screen: Screen) -> str:
    return screen.styled(text, **style) if style else text


def lines_of(patch: str, moved: Moved, syntax: Syntax | None) -> Iterator[Line]:
    """Yields the lines of one file's patch."""
    lines = patch.removesuffix("\n").split("\n")
    at = 0
    while at < len(lines):
        found = HUNK.match(lines[at])
        if found is None:
            yield Line([(lines[at], {"bold": True})])
            at += 1
            continue
        end = end_of_hunk(lines, at, found)
        mark, rest = lines[at][: found.end()], lines[at][found.end() :]
        yield Line([(mark, {"fg": "cyan"}), (rest, {})])
        yield from lines_of_hunk(lines[at + 1 : end], int(found[1]), int(found[3]), moved, syntax)
        at = end


def end_of_hunk(lines: list[str], at: int, found: re.Match[str]) -> int:
    """Returns the place after a hunk, whose first line counts its lines: a type change has a second header after it."""
    old, new = int(found[2] or 1), int(found[4] or 1)
    at += 1
    while at < len(lines) and (old > 0 or new > 0 or lines[at].startswith("\\")):
        old -= lines[at][:1] in ("-", " ")
        new -= lines[at][:1] in ("+", " ")
        at += 1
    return at


def lines_of_hunk(
    lines: list[str], old: int, new: int, moved: Moved, syntax: Syntax | None
) -> Iterator[Line]:
    """Yields the lines of a hunk from the numbers of its first ones."""
    known = syntax.of_hunk(lines) if syntax else None
    for at, line in enumerate(lines):
        sign = line[:1]
        whole = SIGNS.get(sign, {})
        parts = known[at] if known else None
        if style := moved.get((sign, new if sign == "+" else old)):
            parts, whole = None, style
        parts = [(line[1:], {})] if parts is None else parts
        styled_parts = [(text, whole | style) for text, style in parts]
        yield Line(styled_parts, sign, whole, old, new)
        old += sign in ("-", " ")
        new += sign in ("+", " ")

"""Text without unseen characters: a character that does not print is shown by a mark or by its number.

The rules are those of the box in a terminal (docs/functions/approval_display.md), so that two lines which differ never
look the same: the marks themselves are shown by number where a text has them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..unseen import UNSEEN, is_unseen

TAB, SPACE, RETURN, NUMBER = "⇥", "␣", "␍", "<U+"
# Combining marks on one letter; further ones would be drawn over other lines.
MAX_MARKS = 4
# Vowels and endings of Hangul that are drawn into the letter before them.
JOINED = re.compile("[\u1160-\u11ff\ud7b0-\ud7ff]")


# What is shown as it is, and no mark of ours: most of every text.
PLAIN = re.compile(r"(?:[ !-;=-~]|<(?!U\+))+")


class Piece(NamedTuple):
    """Characters that are shown in the same way, and their place in the line."""

    kind: str  # "" as they are, "mark" for whitespace, "number" for one that would not be seen
    text: str
    start: int
    end: int


def pieces(
    line: str, cuts: Iterable[int] = (), spaces: frozenset[int] = frozenset()
) -> Iterator[Piece]:
    """Returns the pieces of a line without its line feed, none across a cut; some spaces are shown by a mark too."""
    body = line[:-1] if line.endswith("\r") else line
    tail = len(body.rstrip(" \t"))
    stops = sorted({*cuts, *spaces, *(place + 1 for place in spaces), tail, len(line)})
    stop = at = 0
    while at < len(line):
        while stops[stop] <= at:
            stop += 1
        first = line[at]
        end = at + 1
        if first == "\t":
            yield Piece("mark", TAB, at, end)
        elif first == " " and (at >= tail or at in spaces):
            yield Piece("mark", SPACE, at, end)
        elif first == "\r" and end == len(line):
            yield Piece("mark", RETURN, at, end)
        elif plain := PLAIN.match(line, at):
            end = plain.end()
            if end < len(line) and is_joined(line[end]):
                end -= 1  # The last one carries marks.
            end = min(end, stops[stop]) if end > at else with_marks(line, at)
            yield Piece("", line[at:end], at, end)
        elif first in (TAB, SPACE, RETURN, "<") or is_unseen(first) or is_joined(first):
            yield Piece("number", f"{NUMBER}{ord(first):04X}>", at, end)
        else:
            end = with_marks(line, at)
            yield Piece("", line[at:end], at, end)
        at = end


def with_marks(line: str, at: int) -> int:
    """Returns where a letter ends with the marks on it."""
    end = at + 1
    while (
        end < len(line)
        and end <= at + MAX_MARKS
        and is_joined(line[end])
        and not is_unseen(line[end])
    ):
        end += 1
    return end


def is_joined(c: str) -> bool:
    """Tells whether a character is drawn onto the one before it."""
    return c > "~" and (
        unicodedata.category(c) in ("Mn", "Me", "Mc") or JOINED.match(c) is not None
    )


def hidden(line: str) -> int:
    """Counts the characters of a line that would not be seen."""
    text = line.replace("\t", "").removesuffix("\r")
    if text.isprintable() and not UNSEEN.search(text):
        return 0
    return sum(piece.kind == "number" and is_unseen(line[piece.start]) for piece in pieces(line))


def shown(line: str) -> str:
    """Returns a line as plain text, for a title."""
    return "".join(piece.text for piece in pieces(line))

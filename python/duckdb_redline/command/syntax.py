"""Syntax colours of a patch on a terminal, found by Pygments.

The colours are the terminal's own sixteen, which its theme makes readable on its background: what was added stays green and
what was removed red, and only words that a language knows have other hues.
"""

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any, NoReturn

# A part of a line with its style, as click.style takes it.
Part = tuple[str, dict[str, Any]]

# From Pygments' standard token types; the nearest one above a token counts.
STYLES: dict[str, dict[str, Any]] = {
    "Comment": {"dim": True},
    "Keyword": {"fg": "magenta"},
    "Keyword.Type": {"fg": "blue"},
    "Literal.Number": {"fg": "cyan"},
    "Literal.String": {"fg": "yellow"},
    "Literal.String.Doc": {"dim": True},
    "Name.Attribute": {"fg": "blue"},
    "Name.Builtin": {"fg": "cyan"},
    "Name.Class": {"fg": "blue", "bold": True},
    "Name.Decorator": {"fg": "blue"},
    "Name.Function": {"fg": "blue", "bold": True},
    "Name.Tag": {"fg": "magenta"},
    "Operator.Word": {"fg": "magenta"},
}
# Characters of a hunk's side that are coloured, and seconds of processor time that its expressions may take: a repository
# chooses the text.
MOST_CHARACTERS, MOST_SECONDS = 200_000, 0.5


class Syntax:
    """The language of a file, by its name."""

    def __init__(self, path: str) -> None:
        self.lexer = lexer_of(path)

    def of_hunk(self, lines: list[str]) -> list[list[Part] | None]:
        """Returns for each line of a hunk, signs included, the parts of what follows its sign; None for one without colours.

        Each side is read from where the hunk begins.
        """
        found: list[list[Part] | None] = [None] * len(lines)
        for sign in "-+":
            places = [at for at, line in enumerate(lines) if line[:1] in (" ", sign)]
            parts = self.of_text([lines[at][1:] for at in places])
            for at, own in zip(places, parts):
                found[at] = own
        return found

    def of_text(self, lines: list[str]) -> list[list[Part]]:
        """Returns the parts of each line; nothing where the text is not coloured."""
        text = "\n".join(lines) + "\n"
        if self.lexer is None or len(text) > MOST_CHARACTERS:
            return []
        found: list[list[Part]] = [[]]
        try:
            with at_most(MOST_SECONDS):
                for _, kind, value in self.lexer.get_tokens_unprocessed(text):
                    style = style_of(str(kind).removeprefix("Token."))
                    first, *others = value.split("\n")
                    found[-1].append((first, style))
                    found += ([(other, style)] for other in others)
        except TimeoutError:
            self.lexer = None
            return []
        shown = ["".join(part for part, _ in line) for line in found[:-1]]
        # A lexer that leaves something out is not believed.
        return found[:-1] if shown == lines else []


def style_of(kind: str) -> dict[str, Any]:
    """Returns the style of a token by its type, such as Literal.String.Escape."""
    while kind and kind not in STYLES:
        kind = kind.rpartition(".")[0]
    return STYLES.get(kind, {})


def lexer_of(path: str) -> Any:
    """Returns Pygments' lexer for a path; None where no language has its name.

    Lexers of other packages are not looked for: that takes longer than a comparison.
    """
    from pygments.lexers import (  # type: ignore[import-untyped]
        get_all_lexers,
        get_lexer_by_name,
    )

    name = path.rpartition("/")[2]
    found = [
        get_lexer_by_name(aliases[0])
        for _, aliases, patterns, _ in get_all_lexers(plugins=False)
        if aliases and any(is_named(name, pattern) for pattern in patterns)
    ]
    return max(found, key=lambda lexer: lexer.priority, default=None)


def is_named(name: str, pattern: str) -> bool:
    """Tells whether a name is one of a pattern without classes of characters, which few have."""
    return name == pattern or (pattern.startswith("*.") and name.endswith(pattern[1:]))


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raises TimeoutError after this much processor time, also within a regular expression."""
    if threading.current_thread() is not threading.main_thread():
        raise TimeoutError

    def stop(_: int, __: FrameType | None) -> NoReturn:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)

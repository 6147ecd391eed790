"""What a person sees: colour and a pager on a terminal, plain text in a pipe, and nothing that hides or moves text."""

import contextlib
import functools
import os
import pathlib
import shutil
import sys
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator

import click

from ..visible import harmless
from .interrupts import INTERRUPTS

# As git has it: leave at once where all fits on the screen, keep colours, leave the text on the screen; and search from the
# line after the one that was found.
LESS = "-FRXA"
# Keys by which a patch is gone through, for a person without keys of his own; in less since version 582.
KEYS = pathlib.Path(__file__).with_name("lesskey")
OWN_KEYS = ("~/.lesskey", "~/.config/lesskey", "~/.less")
# A query that takes longer says on a terminal that it is still working.
SECONDS_OF_SILENCE = 1.0


class Screen:
    """Where a command prints, and how."""

    def __init__(self, colour: str, pager: bool) -> None:
        self.is_terminal = sys.stdout.isatty()
        wanted = self.is_terminal and "NO_COLOR" not in os.environ
        self.colour = colour == "always" or (colour == "auto" and wanted)
        self.pager = pager and self.is_terminal
        self.width = shutil.get_terminal_size().columns

    def show(self, texts: Iterable[str], *, is_patch: bool = False) -> None:
        """Prints texts one after the other, in a pager on a terminal; in one of patches, keys lead to files and hunks."""
        if self.pager:
            # A patch begins with what is searched for, so that n and N lead to the files at once.
            os.environ.setdefault("LESS", f"{LESS} -p^diff" if is_patch else LESS)
            has_keys = {"LESSKEY", "LESSKEYIN"} & os.environ.keys() or any(
                map(os.path.exists, map(os.path.expanduser, OWN_KEYS))
            )
            if not has_keys:
                os.environ["LESSKEYIN"] = str(KEYS)
            with INTERRUPTS.in_pager():
                click.echo_via_pager(texts, color=self.colour)
            return
        for text in texts:
            click.echo(text, nl=False, color=self.colour)

    def styled(self, text: str, **style: object) -> str:
        """Returns a text in a style, or unchanged without colour."""
        return click.style(text, **style) if self.colour and text else text  # type: ignore[arg-type]

    def note(self, text: str) -> None:
        """Tells a person at the terminal why nothing is printed; a pipe gets nothing."""
        if self.is_terminal:
            click.echo(text, err=True)

    @contextlib.contextmanager
    def working(self, what: str) -> Iterator[None]:
        """Says on a terminal, after a second, that a query is still running, and for how long."""
        if not (self.is_terminal and sys.stderr.isatty()):
            yield
            return
        try:
            with every_second(functools.partial(tell_in_place, what)) as seconds:
                yield
        finally:
            if seconds():
                sys.stderr.write("\r\x1b[K")
                sys.stderr.flush()

    @contextlib.contextmanager
    def reporting(self, what: str) -> Iterator[None]:
        """Says the same of what may take minutes, and in a pipe by a line on stderr for what takes long."""
        if self.is_terminal and sys.stderr.isatty():
            with self.working(what):
                yield
            return
        with every_second(functools.partial(tell_in_lines, what)):
            yield


@contextlib.contextmanager
def every_second(tell: Callable[[int], None]) -> Iterator[Callable[[], int]]:
    """Calls a function with the number of seconds that have passed, in a thread; yields what returns that number."""
    done, passed = threading.Event(), [0]

    def count() -> None:
        while not done.wait(SECONDS_OF_SILENCE):
            passed[0] += 1
            tell(passed[0])

    teller = threading.Thread(target=count, daemon=True)
    teller.start()
    try:
        yield lambda: passed[0]
    finally:
        done.set()
        teller.join()


def tell_in_place(what: str, seconds: int) -> None:
    sys.stderr.write(f"\r{what} … {seconds} s")
    sys.stderr.flush()


def tell_in_lines(what: str, seconds: int) -> None:
    """Prints a line after ten seconds, and others each time that twice as many have passed."""
    tens, rest = divmod(seconds, 10)
    if rest == 0 and tens & (tens - 1) == 0:
        sys.stderr.write(f"{what} … {seconds} s\n")
        sys.stderr.flush()


def cell(text: str) -> str:
    """Returns a harmless text for one cell, in which a tab would end the cell."""
    return harmless(text).replace("\t", " ")


def width_of(text: str) -> int:
    """Returns how many columns a harmless text takes."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def padded(text: str, width: int, right: bool = False) -> str:
    """Returns a text of at least this width."""
    blanks = " " * max(0, width - width_of(text))
    return blanks + text if right else text + blanks


def cut(text: str, width: int) -> str:
    """Returns a text of at most this width; one that is cut ends in an ellipsis."""
    if width_of(text) <= width:
        return text
    kept, used = [], 1
    for c in text:
        used += width_of(c)
        if used > width:
            break
        kept.append(c)
    return "".join(kept) + "…" if width > 0 else ""

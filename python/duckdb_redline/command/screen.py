"""What a person sees: colour and a pager on a terminal, plain text in a pipe, and nothing that hides or moves text."""

import os
import sys
import unicodedata
from collections.abc import Iterable

import click
from rich.console import Console
from rich.table import Table

# As git has it: leave at once where all fits on the screen, keep colours, leave the text on the screen.
LESS = "FRX"


class Screen:
    """Where a command prints, and how."""

    def __init__(self, colour: str, pager: bool) -> None:
        self.is_terminal = sys.stdout.isatty()
        wanted = self.is_terminal and "NO_COLOR" not in os.environ
        self.colour = colour == "always" or (colour == "auto" and wanted)
        self.pager = pager and self.is_terminal

    def show(self, texts: Iterable[str]) -> None:
        """Prints texts one after the other, in a pager on a terminal."""
        if self.pager:
            os.environ.setdefault("LESS", LESS)
            click.echo_via_pager(texts, color=self.colour)
            return
        for text in texts:
            click.echo(text, nl=False, color=self.colour)

    def show_table(self, table: Table) -> None:
        """Prints a table as wide as the terminal."""
        console = Console(force_terminal=self.colour, no_color=not self.colour, highlight=False, markup=False)
        with console.capture() as captured:
            console.print(table)
        self.show([captured.get()])


def harmless(text: str) -> str:
    """Returns a line without what would move the cursor or hide text; a tab stays."""
    return "".join(c if c == "\t" or unicodedata.category(c)[0] != "C" else repr(c)[1:-1] for c in text)

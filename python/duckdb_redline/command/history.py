"""The sub-command log: the commits of a range, and how much each changed."""

from dataclasses import dataclass

import click
import duckdb
from rich import box
from rich.table import Table
from rich.text import Text

from .changes import call
from .screen import Screen, harmless
from .sides import Sides

# The date as text: for a time with a zone, DuckDB's client needs a package more.
COLUMNS = "commit_id, (author_date::VARCHAR)[1:10], author_name, subject, additions, deletions"


@dataclass
class Commit:
    """A commit and the sums of what it changed."""

    id: str
    date: str
    author: str
    subject: str
    files: int = 0
    additions: int = 0
    deletions: int = 0

    def cells(self) -> list[str]:
        texts = [self.id[:10], self.date, self.author, str(self.files), str(self.additions), str(self.deletions), self.subject]
        return [harmless(text).replace("\t", " ") for text in texts]


def commits(con: duckdb.DuckDBPyConnection, sides: Sides, repo: str, most: int) -> list[Commit]:
    """Returns the newest commits that changed a file; reading ends with the last of them."""
    source, arguments = call("commit_changes", sides, repo, merges="first_parent")
    # The function takes a range in place of two sides.
    arguments.pop(1)
    result = con.execute(f"SELECT {COLUMNS} FROM {source.replace('?, ?, ?', '?, ?', 1)}", arguments)
    found: list[Commit] = []
    while row := result.fetchone():
        if not found or found[-1].id != row[0]:
            if len(found) == most:
                break
            found.append(Commit(*row[:4]))
        found[-1].files += 1
        found[-1].additions += row[4] or 0
        found[-1].deletions += row[5] or 0
    return found


def show_log(con: duckdb.DuckDBPyConnection, screen: Screen, sides: Sides, repo: str, most: int) -> None:
    """Prints a line per commit: a table on a terminal, its cells between tabs in a pipe."""
    found = commits(con, sides, repo, most)
    if not screen.is_terminal:
        for commit in found:
            click.echo("\t".join(commit.cells()))
        return
    table = Table(box=box.SIMPLE)
    styles = {"commit": "yellow", "date": "", "author": "cyan", "files": "", "+": "green", "-": "red", "subject": ""}
    for name, style in styles.items():
        narrow = name in ("commit", "date", "files", "+", "-")
        table.add_column(name, style=style, no_wrap=narrow, justify="right" if name in ("files", "+", "-") else "left")
    for commit in found:
        table.add_row(*map(Text, commit.cells()))
    screen.show_table(table)

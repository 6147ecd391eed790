"""The sub-commands diff and stat: what changed between two sides."""

import sys
from collections.abc import Iterator
from typing import Any

import click
import duckdb
from rich import box
from rich.table import Table
from rich.text import Text

from .screen import Screen, harmless
from .sides import Sides, revisions_and_paths

STYLES = {"added": "green", "deleted": "red", "modified": "yellow", "renamed": "cyan", "copied": "cyan", "type_changed": "magenta"}


def sides_of(con: duckdb.DuckDBPyConnection, repo: str, given: tuple[str, ...], staged: bool) -> Sides:
    """Returns what is compared: like git, the index with the work tree where nothing is given."""
    revisions, paths = revisions_and_paths(con, repo, given, 1 if staged else 2)
    if staged:
        if revisions and ".." in revisions[0]:
            raise click.UsageError("--staged compares one revision with the index, not a range")
        return Sides(revisions[0] if revisions else "HEAD", "INDEX", paths)
    if not revisions:
        return Sides("INDEX", "WORKTREE", paths)
    return Sides(revisions[0], revisions[1] if len(revisions) > 1 else None, paths)


def call(function: str, sides: Sides, repo: str, **options: object) -> tuple[str, list[object]]:
    """Returns a call of a table function as SQL, with its arguments; options that are None keep their defaults."""
    options |= {"paths": sides.paths or None}
    given = {name: value for name, value in options.items() if value is not None}
    named = "".join(f", {name} := ?" for name in given)
    return f"system.main.{function}(?, ?, ?{named})", [sides.old, sides.new, repo, *given.values()]


def show_diff(con: duckdb.DuckDBPyConnection, screen: Screen, sides: Sides, repo: str, **options: object) -> None:
    """Prints the patches: as they are in a pipe, coloured and harmless on a terminal."""
    source, arguments = call("file_patches", sides, repo, **options)
    result = con.execute(f"SELECT patch, patch_bytes FROM {source}", arguments)
    if not screen.is_terminal and not screen.colour:
        while row := result.fetchone():
            sys.stdout.buffer.write(row[1])
        sys.stdout.buffer.flush()
        return
    # The first row is fetched before a pager opens, so that an error is not shown within it.
    first = result.fetchone()
    if first is not None:
        screen.show(coloured(first, result, screen.colour))


def coloured(first: tuple[str, bytes], rest: duckdb.DuckDBPyConnection, colour: bool) -> Iterator[str]:
    row: tuple[Any, ...] | None = first
    while row:
        in_header = True
        for line in row[0].removesuffix("\n").split("\n"):
            in_header = in_header and not line.startswith("@@ ")
            text = harmless(line)
            yield (painted(text, in_header) if colour else text) + "\n"
        row = rest.fetchone()


def painted(line: str, in_header: bool) -> str:
    if in_header:
        return click.style(line, bold=True)
    if line.startswith("@@ "):
        hunk, mark, section = line.partition(" @@")
        return click.style(hunk + mark, fg="cyan") + section
    return click.style(line, fg={"+": "green", "-": "red"}[line[0]]) if line[:1] in "+-" and line else line


def show_stat(con: duckdb.DuckDBPyConnection, screen: Screen, sides: Sides, repo: str, **options: object) -> None:
    """Prints a line per changed file: a table on a terminal, and in a pipe status, counts and path between tabs."""
    source, arguments = call("file_changes", sides, repo, **options)
    columns = "status, additions, deletions, old_path, file_path"
    rows = con.execute(f"SELECT {columns} FROM {source}", arguments).fetchall()
    if not screen.is_terminal:
        for status, additions, deletions, old_path, file_path in rows:
            click.echo("\t".join([status, count(additions), count(deletions), path_of(old_path, file_path)]))
        return
    if not rows:
        return
    table = Table(box=box.SIMPLE, show_footer=True)
    table.add_column("status", footer=f"{len(rows)} files" if len(rows) > 1 else "1 file")
    for at, (name, style) in enumerate([("+", "green"), ("-", "red")], 1):
        table.add_column(name, justify="right", style=style, footer=str(sum(row[at] or 0 for row in rows)))
    table.add_column("file", overflow="fold")
    for status, additions, deletions, old_path, file_path in rows:
        styled = Text(status, style=STYLES.get(status, ""))
        table.add_row(styled, count(additions), count(deletions), Text(path_of(old_path, file_path)))
    screen.show_table(table)


def count(lines: int | None) -> str:
    """Returns a count of lines; a binary file has none."""
    return "-" if lines is None else str(lines)


def path_of(old_path: str | None, file_path: str) -> str:
    return harmless(file_path if old_path is None else f"{old_path} => {file_path}").replace("\t", "\\t")

"""The sub-command review: a change as a page for a browser."""

import pathlib
import sys
import webbrowser
from typing import TYPE_CHECKING

import click

from ..visible import harmless
from .replacing import own_place, replace
from .screen import Screen
from .sides import Sides

if TYPE_CHECKING:
    import duckdb


def show_page(
    con: "duckdb.DuckDBPyConnection",
    screen: Screen,
    sides: Sides,
    repo: str,
    output: pathlib.Path | None,
    opens: bool | None,
    **options: object,
) -> None:
    """Writes the page and opens it, or prints it in a pipe."""
    given = {name: value for name, value in options.items() if value is not None}
    if sides.paths:
        given["paths"] = sides.paths
    fields = ", ".join(f"{name} := ?" for name in given)
    query = f"SELECT system.main.diff_html(?, ?, ?, system.main.struct_pack({fields}))"
    with screen.working("comparing"):
        row = con.execute(query, [sides.old, sides.new, repo, *given.values()]).fetchone()
    page = str(row[0]).encode() if row else b""
    if output is None and opens is None and not screen.is_terminal:
        sys.stdout.buffer.write(page)
        return
    path = output or own_place("review", repo, sides.old, sides.new or "", *sides.paths)
    replace(path, page, mode=0o600)
    click.echo(harmless(str(path)))
    if opens or (opens is None and output is None):
        webbrowser.open(path.resolve().as_uri())

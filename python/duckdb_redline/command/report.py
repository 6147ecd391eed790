"""The sub-command report: a page of pictures about the history of a repository."""

import importlib.util
import pathlib
from typing import TYPE_CHECKING

import click

from ..extension import ExtensionError
from .replacing import replace
from .screen import Screen, harmless

if TYPE_CHECKING:
    import duckdb


def write_report(
    con: "duckdb.DuckDBPyConnection",
    screen: Screen,
    repo: str,
    rev: str,
    since: str | None,
    snapshots: int,
    paths: list[str],
    out: pathlib.Path,
) -> None:
    """Asks all questions, draws them and writes the page; an existing page is replaced at the end."""
    if importlib.util.find_spec("matplotlib") is None:
        raise ExtensionError(
            "the pictures are drawn by matplotlib, which is not installed: pip install matplotlib"
        )
    from ..report.questions import Asked, answers, summary

    asked = Asked(rev, repo, since, snapshots, paths or None)
    with screen.reporting("reading the history"):
        totals = summary(con, asked)
    questions = answers(con, asked, totals.days or 0, screen.reporting)
    with screen.reporting("drawing"):
        from ..report.page import page

        name = pathlib.Path(repo).resolve().name
        written = page(name, asked, totals, questions)
    replace(out, written)
    click.echo(f"{harmless(str(out))}: {len(questions)} pictures, {len(written) / 1000:,.0f} kB")

"""The sub-command report: a page of pictures about the history of a repository."""

import contextlib
import functools
import importlib.util
import pathlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from ..extension import ExtensionError
from ..visible import harmless
from .interrupts import INTERRUPTS
from .replacing import own_place, replace
from .screen import Screen

if TYPE_CHECKING:
    import duckdb


# How often the processor time of a picture is looked at.
CHECK_SECONDS = 0.2
OVER = "it takes more than {} seconds of processor time; --max-seconds gives it more, a path or --since makes it less"


def write_report(
    con: "duckdb.DuckDBPyConnection",
    screen: Screen,
    repo: str,
    rev: str,
    since: str | None,
    snapshots: int,
    paths: list[str],
    seconds: int,
    out: pathlib.Path | None,
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
    questions = answers(con, asked, totals, screen.reporting, functools.partial(bounded, seconds))
    with screen.reporting("drawing"):
        from ..report.page import page

        name = pathlib.Path(repo).resolve().name
        written = page(name, asked, totals, questions)
    path = out or own_place("report", repo, rev, since or "", str(snapshots), *paths)
    replace(path, written, mode=None if out else 0o600)
    missing = [question for question in questions if question.failure is not None]
    for question in missing:
        click.echo(harmless(f"{question.title}: {question.failure}"), err=True)
    drawn = len(questions) - len(missing)
    click.echo(f"{harmless(str(path))}: {drawn} pictures, {len(written) / 1000:,.0f} kB")


@contextlib.contextmanager
def bounded(seconds: int) -> Iterator[Callable[[], str | None]]:
    """Ends the work of a picture after so much processor time; yields what says so, where it did."""
    done, is_over, begun = threading.Event(), threading.Event(), time.process_time()

    def watch() -> None:
        while not done.wait(CHECK_SECONDS):
            if time.process_time() - begun > seconds and INTERRUPTS.stop is not None:
                is_over.set()
                INTERRUPTS.stop()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield lambda: OVER.format(seconds) if is_over.is_set() else None
    finally:
        done.set()
        watcher.join()

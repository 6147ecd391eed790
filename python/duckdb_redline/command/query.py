"""The sub-command sql: a query with redline loaded, as a table, CSV, JSON or Parquet."""

import contextlib
import io
import pathlib
import shutil
import sys
import tempfile
from collections.abc import Iterator

import click
import duckdb

from ..connection import literal
from .screen import Screen, harmless

FORMATS = {
    "csv": "FORMAT csv, HEADER true",
    "json": "FORMAT json, ARRAY true",
    "jsonl": "FORMAT json",
    "parquet": "FORMAT parquet",
}
# Written by us, the other formats by DuckDB.
TEXTS = ("markdown", "table")
ENDINGS = {"md": "markdown"}
MAX_ROWS_SHOWN = 1000
INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
NUMBERS = {*INTEGERS, *(f"U{name}" for name in INTEGERS), "FLOAT", "DOUBLE", "DECIMAL"}


def run_query(
    con: duckdb.DuckDBPyConnection,
    screen: Screen,
    query: str,
    form: str | None,
    output: pathlib.Path | None,
) -> None:
    """Runs statements and writes the rows of the last one."""
    form = (
        form
        or (output and output.suffix.removeprefix("."))
        or ("table" if screen.is_terminal else "csv")
    )
    form = ENDINGS.get(form, form)
    if form not in (*FORMATS, *TEXTS):
        raise click.UsageError(
            f"{form!r} is not a format: name one of {', '.join([*FORMATS, *TEXTS])} with --format"
        )
    if form == "table" and output is not None:
        raise click.UsageError(
            "a table is for people: write csv, json, jsonl, markdown or parquet to a file"
        )
    if form == "parquet" and output is None and screen.is_terminal:
        raise click.UsageError("Parquet is not for a terminal: name a file with --output")
    rows = last_rows(con, query)
    if rows is None:
        return
    if form == "table":
        with screen.working("asking"):
            shown = box(rows)
        screen.show([shown])
        return
    if form == "markdown":
        if output is None:
            screen.show(markdown(rows))
        else:
            output.write_text("".join(markdown(rows)))
        return
    with tempfile.TemporaryDirectory() as made:
        written = output or pathlib.Path(made) / "rows"
        # DuckDB finds the relation by the name of the variable; no table of a user is called that.
        redline_rows_of_the_query = rows  # noqa: F841
        target = literal(str(written))
        con.execute(f"COPY (FROM redline_rows_of_the_query) TO {target} ({FORMATS[form]})")
        if output is None:
            with written.open("rb") as file:
                shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.buffer.flush()


def last_rows(con: duckdb.DuckDBPyConnection, query: str) -> duckdb.DuckDBPyRelation | None:
    """Runs all statements but the last; returns its rows, yet to be read, or runs it where it has none."""
    statements = con.extract_statements(query)
    if not statements:
        return None
    *before, last = statements
    for statement in before:
        con.execute(statement)
    # A statement that may return a number of changed rows is not a query, although it could return rows, too.
    if duckdb.ExpectedResultType.CHANGED_ROWS in last.expected_result_type:
        con.execute(last)
        return None
    return con.sql(last.query)


def box(rows: duckdb.DuckDBPyRelation) -> str:
    """Returns DuckDB's own table, as wide as the terminal."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        rows.show(max_width=shutil.get_terminal_size().columns, max_rows=MAX_ROWS_SHOWN)
    return "".join(harmless(line) + "\n" for line in printed.getvalue().rstrip("\n").split("\n"))


def markdown(rows: duckdb.DuckDBPyRelation) -> Iterator[str]:
    """Yields a table of GitHub's Markdown; numbers are on the right."""
    yield "| " + " | ".join(map(in_markdown, rows.columns)) + " |\n"
    numbers = [str(kind).partition("(")[0] in NUMBERS for kind in rows.types]
    yield "|" + "|".join("---:" if is_number else "---" for is_number in numbers) + "|\n"
    # As DuckDB writes each value.
    for row in rows.project("COLUMNS(*)::VARCHAR").fetchall():
        yield (
            "| " + " | ".join("" if value is None else in_markdown(value) for value in row) + " |\n"
        )


def in_markdown(text: str) -> str:
    """Returns a text for one cell of a table."""
    return "<br>".join(
        harmless(line) for line in text.replace("\\", "\\\\").replace("|", "\\|").split("\n")
    )

"""The sub-command sql: a query with redline loaded, as a table, CSV, JSON, HTML, Markdown or Parquet."""

import itertools
import pathlib
import re
import shutil
import sys
from collections.abc import Iterator

import click
import duckdb

from ..connection import literal
from ..visible import harmless
from .interrupts import INTERRUPTS
from .replacing import replace
from .screen import Screen
from .table import Column, table

FORMATS = {
    "csv": "FORMAT csv, HEADER true",
    "json": "FORMAT json, ARRAY true",
    "jsonl": "FORMAT json",
    "parquet": "FORMAT parquet",
}
# Written by us, the other formats by DuckDB.
TEXTS = ("html", "markdown", "table")
ENDINGS = {"md": "markdown"}
MAX_ROWS_SHOWN = 1000
INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
SHORT_NAMES = {
    "TINYINT": "int8",
    "SMALLINT": "int16",
    "INTEGER": "int32",
    "BIGINT": "int64",
    "HUGEINT": "int128",
    "TIMESTAMP WITH TIME ZONE": "timestamptz",
}
STYLE = (
    ":root { color-scheme: light dark; } body { font-family: system-ui, sans-serif; } table { border-collapse: collapse; } "
    "th, td { text-align: left; vertical-align: top; padding: 0.2rem 0.75rem; border-bottom: 1px solid GrayText; "
    "white-space: pre-wrap; } .number { text-align: right; font-variant-numeric: tabular-nums; }"
)
NUMBERS = {*INTEGERS, *(f"U{name}" for name in INTEGERS), "FLOAT", "DOUBLE", "DECIMAL"}


def run_query(
    con: duckdb.DuckDBPyConnection,
    screen: Screen,
    query: str,
    form: str | None,
    output: pathlib.Path | None,
) -> None:
    """Runs statements and writes the rows of the last one."""
    form = format_of(screen, form, output)
    try:
        rows = last_rows(con, query)
    except duckdb.CatalogException as error:
        if name := value_asked_for_rows(con, error):
            text = f"{name}() returns a value, not rows: SELECT {name}(…)"
            raise duckdb.CatalogException(text) from error
        raise
    if rows is not None:
        write_rows(con, screen, rows, form, output)


def value_asked_for_rows(con: duckdb.DuckDBPyConnection, error: duckdb.Error) -> str | None:
    """Returns the name of a function behind FROM that is a scalar one; DuckDB says so only of the opposite."""
    found = re.search(r"Table Function with name (\w+) does not exist", str(error))
    known = "FROM duckdb_functions() WHERE function_name = ? AND function_type = 'scalar'"
    return found[1] if found and con.execute(known, [found[1]]).fetchall() else None


def format_of(screen: Screen, form: str | None, output: pathlib.Path | None) -> str:
    """Returns the format that is wanted, by the ending of the file where none is named; refuses what cannot be."""
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
            "a table is for people: write csv, html, json, jsonl, markdown or parquet to a file"
        )
    if form == "parquet" and output is None and screen.is_terminal:
        raise click.UsageError("Parquet is not for a terminal: name a file with --output")
    return form


def write_rows(
    con: duckdb.DuckDBPyConnection,
    screen: Screen,
    rows: duckdb.DuckDBPyRelation,
    form: str,
    output: pathlib.Path | None,
) -> None:
    """Writes rows in one of the formats, to a file or where the command prints."""
    if form == "table":
        with screen.working("asking"):
            shown = list(box(rows, screen))
        screen.show(shown)
        return
    if form in TEXTS:
        texts = markdown(rows) if form == "markdown" else iter([html(rows)])
        if output is None:
            screen.show(texts)
        else:
            replace(output, "".join(texts).encode())
        return
    with INTERRUPTS.temporary_directory() as made:
        written = output or made / "rows"
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
    last = statements[-1]
    # A PIVOT is several statements to DuckDB, some of them without a text: so the whole is run at once. A statement that
    # may return a number of changed rows is not a query, although it could return rows, too.
    is_many = last.type.name.startswith("MULTI")
    if duckdb.ExpectedResultType.CHANGED_ROWS in last.expected_result_type and not is_many:
        con.execute(query)
        return None
    rows = con.sql(query)
    return None if is_many and rows is not None and rows.columns == ["Success"] else rows


def box(rows: duckdb.DuckDBPyRelation, screen: Screen) -> Iterator[str]:
    """Yields a table as wide as the terminal at most."""
    found = rows.limit(MAX_ROWS_SHOWN + 1).project("COLUMNS(*)::VARCHAR").fetchall()
    is_cut = len(found) > MAX_ROWS_SHOWN
    cells = zip(*found[:MAX_ROWS_SHOWN]) if found else itertools.repeat(())
    columns = [
        Column(name, name_of(kind), is_number, list(texts))
        for name, kind, is_number, texts in zip(rows.columns, rows.types, numbers(rows), cells)
    ]
    return table(columns, f"only the first {MAX_ROWS_SHOWN} rows" if is_cut else "", screen)


def name_of(kind: object) -> str:
    """Returns the name of a type as DuckDB's own table has it."""
    return SHORT_NAMES.get(str(kind), str(kind).lower())


def html(rows: duckdb.DuckDBPyRelation) -> str:
    """Returns a page with a table that needs nothing else; numbers are on the right."""
    from ..server.web.elements import document, node

    kinds = ["number" if is_number else "text" for is_number in numbers(rows)]
    head = node("tr", *(node("th", harmless(name), scope="col") for name in rows.columns))
    body = (
        node(
            "tr",
            *(
                node("td", "" if value is None else in_lines(value), class_=kind)
                for value, kind in zip(row, kinds)
            ),
        )
        for row in texts_of(rows)
    )
    table = node("table", node("thead", head), node("tbody", *body))
    return document("Rows of a query", table, inline=(STYLE, None)).decode()


def in_lines(text: str) -> str:
    return "\n".join(map(harmless, text.split("\n")))


def numbers(rows: duckdb.DuckDBPyRelation) -> list[bool]:
    """Tells which columns are numbers."""
    return [str(kind).partition("(")[0] in NUMBERS for kind in rows.types]


def texts_of(rows: duckdb.DuckDBPyRelation) -> list[tuple[str | None, ...]]:
    """Returns the rows with each value as DuckDB writes it."""
    return rows.project("COLUMNS(*)::VARCHAR").fetchall()


def markdown(rows: duckdb.DuckDBPyRelation) -> Iterator[str]:
    """Yields a table of GitHub's Markdown; numbers are on the right."""
    yield "| " + " | ".join(map(in_markdown, rows.columns)) + " |\n"
    yield "|" + "|".join("---:" if is_number else "---" for is_number in numbers(rows)) + "|\n"
    for row in texts_of(rows):
        yield (
            "| " + " | ".join("" if value is None else in_markdown(value) for value in row) + " |\n"
        )


def in_markdown(text: str) -> str:
    """Returns a text for one cell of a table."""
    return "<br>".join(
        harmless(line) for line in text.replace("\\", "\\\\").replace("|", "\\|").split("\n")
    )

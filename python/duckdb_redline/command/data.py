"""The sub-command data: which rows and cells of a file of data changed between two sides."""

import os
import pathlib
from collections.abc import Iterator
from typing import Any

import click
import duckdb

from ..connection import literal
from ..visible import harmless
from .query import format_of, write_rows
from .screen import Screen
from .sides import Sides

MARKS = {"added": ("+", "green"), "removed": ("-", "red"), "changed": ("~", "yellow")}
ROWS_AT_A_TIME = 1000


def show_data(
    con: duckdb.DuckDBPyConnection,
    screen: Screen,
    sides: Sides,
    repo: str,
    key: tuple[str, ...],
    form: str | None,
    output: pathlib.Path | None,
) -> None:
    """Prints the changed rows of a file, cell by cell: drawn on a terminal, else a row per changed cell and per other changed row."""
    if len(sides.paths) != 1:
        raise click.UsageError(
            "name one file of data, after the revisions: redline data HEAD~1 HEAD -- prices.csv"
        )
    form = format_of(screen, form, output)
    tables = names(con, sides, repo)
    with screen.working("comparing"):
        keys = list(key) or guessed(con, tables, repo)
        said = (
            f"by {', '.join(keys)}"
            if keys
            else "as whole rows, since no column names a row: --key names some"
        )
        query = changes(tables, repo, keys)
        if form != "table" or output is not None:
            return write_rows(con, screen, con.sql(query), form, output)
        rows = con.execute(query)
        first = rows.fetchmany(ROWS_AT_A_TIME)
    if not first:
        screen.note(f"No row differs {sides}, compared {said}.")
        return None
    screen.show(drawn(first, rows, screen, sides, keys, said))


def names(con: duckdb.DuckDBPyConnection, sides: Sides, repo: str) -> tuple[str, str]:
    """Returns both sides of the file as table_changes takes them; a path starts at the directory of `repo`, as for git."""
    old, new = ends(con, sides, repo)
    path = os.path.normpath(sides.paths[0])
    path = path if path.startswith("../") else f"./{path}"
    return f"{old}:{path}", f"{new}:{path}"


def ends(con: duckdb.DuckDBPyConnection, sides: Sides, repo: str) -> tuple[str, str]:
    """Returns both revisions of a comparison."""
    old, new = sides.old, sides.new
    if new is None and "..." in old:
        begin, _, end = old.partition("...")
        (found,) = con.execute(
            "SELECT system.main.merge_base(?, ?, ?)", [begin or "HEAD", end or "HEAD", repo]
        ).fetchall()
        old, new = str(found[0]), end or "HEAD"
    elif new is None and ".." in old:
        begin, _, end = old.partition("..")
        old, new = begin or "HEAD", end or "HEAD"
    return old, new or "WORKTREE"


def words_of(
    con: duckdb.DuckDBPyConnection,
    sides: Sides,
    repo: str,
    source: str,
    arguments: list[object],
) -> dict[bytes, str]:
    """Returns what changed in the rows of each file of data among those that `source` lists, by its path."""
    query = f"""
        SELECT encode(file_path), CASE WHEN greatest(old_size, new_size) > current_setting('redline_max_read_bytes') THEN 'rows not compared'
            ELSE system.main.data_changes(system.main.file_content(coalesce(old_path, file_path), ?, ?),
                system.main.file_content(file_path, ?, ?), file_path).text END
        FROM {source} WHERE status IN ('modified', 'renamed', 'copied')
            AND regexp_matches(file_path, '[.](csv|tsv|json|jsonl|ndjson)$', 'i')"""
    old, new = ends(con, sides, repo)
    rows = con.execute(query, [old, repo, new, repo, *arguments]).fetchall()
    return {path: words for path, words in rows if words is not None}


def asked(answer: str, tables: tuple[str, str], repo: str, keys: list[str]) -> str:
    """Returns what stands behind FROM for an answer of the comparison."""
    given = f"'repo': {literal(repo)}, 'key': [{', '.join(map(literal, keys))}]::VARCHAR[]"
    old, new = map(literal, tables)
    return (
        f"system.main.query(system.main.table_changes_sql('{answer}', {old}, {new}, {{{given}}}))"
    )


def guessed(con: duckdb.DuckDBPyConnection, tables: tuple[str, str], repo: str) -> list[str]:
    """Returns the column that names a row on both sides, if it is called id or is the only one."""
    found = [name for (name,) in con.execute(f"FROM {asked('keys', tables, repo, [])}").fetchall()]
    best = [name for name in found if name.casefold() == "id"] or found
    return best if len(best) == 1 else []


def changes(tables: tuple[str, str], repo: str, keys: list[str]) -> str:
    """Returns the query for a row per changed cell, and per row that only one side has, whose values are one text."""
    rows = asked("rows", tables, repo, keys)
    texts = "old::VARCHAR AS old_value, new::VARCHAR AS new_value"
    if not keys:
        return f"SELECT change, {texts} FROM {rows}"
    columns = ", ".join('"' + name.replace('"', '""') + '"' for name in keys)
    cells = asked("cells", tables, repo, keys)
    return f"""
        SELECT 'changed' AS change, {columns}, column_name, old_value, new_value FROM {cells}
        UNION ALL SELECT change, {columns}, NULL, {texts} FROM {rows} WHERE change <> 'changed'
        ORDER BY {columns}, column_name"""


def drawn(
    first: list[Any],
    rest: duckdb.DuckDBPyConnection,
    screen: Screen,
    sides: Sides,
    keys: list[str],
    said: str,
) -> Iterator[str]:
    """Yields a line per changed row or cell, and then how many rows changed."""
    yield screen.styled(f"{harmless(sides.paths[0])} {sides}, compared {said}", bold=True) + "\n"
    counts, last = dict.fromkeys(MARKS, 0), None
    rows = first
    while rows:
        for change, *values, old, new in rows:
            mark, colour = MARKS[change]
            named = [f"{name}={text(value)}" for name, value in zip(keys, values)]
            is_next_cell = change == "changed" and values[: len(keys)] == last
            counts[change] += not is_next_cell
            last = values[: len(keys)] if change == "changed" else None
            begin = " ".join([mark, *named])
            begin = " " * len(begin) if is_next_cell else screen.styled(begin, fg=colour)
            if change == "changed":
                cells = f"{text(values[-1])}: {screen.styled(text(old), fg='red')} → {screen.styled(text(new), fg='green')}"
            else:
                cells = text(new if change == "added" else old)
            yield f"{begin}  {cells}\n"
        rows = rest.fetchmany(ROWS_AT_A_TIME)
    yield ", ".join(f"{count} {change}" for change, count in counts.items() if count) + "\n"


def text(value: object) -> str:
    """Returns a value in one harmless line."""
    return "NULL" if value is None else harmless(str(value)).replace("\t", " ")

"""Connections that have loaded redline."""

import os
import re
from collections.abc import Mapping

from .client import duckdb
from .extension import ExtensionError, extension_path

# The C API that the extension asks for: older hosts lack functions that it calls.
MIN_DUCKDB = (1, 5, 6)
UNSIGNED = "allow_unsigned_extensions"


def connect(
    database: str | os.PathLike[str] = ":memory:",
    *,
    read_only: bool = False,
    config: Mapping[str, str | bool | int | float | list[str]] | None = None,
    macros: bool = True,
    extension: str | os.PathLike[str] | None = None,
    by_caller: bool = False,
) -> "duckdb.DuckDBPyConnection":
    """Opens a database with redline loaded.

    `config` is DuckDB's; unsigned extensions are allowed in addition, since the extension of the package has no
    signature of DuckDB's. `macros` and `extension` are as in `load`. `by_caller` lets the thread that asks run its
    queries, which costs less than waiting for DuckDB's threads; joins and aggregates are not shared out then.
    """
    check_version(duckdb.__version__)
    connection = duckdb.connect(os.fspath(database), read_only, {**(config or {}), UNSIGNED: True})
    try:
        if by_caller:
            run_by_caller(connection)
        load(connection, macros=macros, extension=extension)
    except BaseException:
        connection.close()
        raise
    return connection


def run_by_caller(connection: "duckdb.DuckDBPyConnection") -> None:
    """Lets a query be run by the thread that asks for it, and by none of DuckDB's own.

    Otherwise that thread waits for them in a loop, which takes a processor from the threads of redline.
    """
    connection.execute("SET GLOBAL external_threads = current_setting('threads')")


def load(
    connection: "duckdb.DuckDBPyConnection",
    *,
    macros: bool = True,
    extension: str | os.PathLike[str] | None = None,
) -> None:
    """Loads redline into the database of a connection, and makes its table macros.

    In a database in memory the macros are everybody's; in a database on disk they are temporary, of this connection
    alone, so that nothing is written to the file. `extension` is the file to load, by default the package's own.
    Raises ExtensionError where DuckDB is too old, allows signed extensions only, or refuses the file.
    """
    (version,) = one_row(connection, "SELECT version()")
    check_version(str(version))
    path = extension_path() if extension is None else extension
    try:
        connection.execute(f"LOAD {literal(os.fspath(path))}")
    except duckdb.Error as error:
        (allowed,) = one_row(connection, f"SELECT current_setting('{UNSIGNED}')")
        if not allowed:
            raise ExtensionError(
                "the database allows signed extensions only, which is fixed when it is opened: use duckdb_redline.connect(), "
                f"or duckdb.connect(config={{'{UNSIGNED}': True}})"
            ) from error
        raise ExtensionError(f"DuckDB {version} cannot load {os.fspath(path)}: {error}") from error
    if macros:
        make_macros(connection)


def make_macros(connection: "duckdb.DuckDBPyConnection") -> None:
    """Runs the scripts `macros`, `analytics`, `data` and, unless another extension has functions of these names, `git`."""
    (path,) = one_row(
        connection,
        "SELECT max(path) FROM duckdb_databases() WHERE database_name = current_database()",
    )
    for name in ("macros", "analytics", "data", "git"):
        (script,) = one_row(connection, f"SELECT system.main.redline_sql('{name}')")
        if name == "git" and has_function_of(connection, str(script)):
            continue
        if path is not None:
            script = re.sub(
                r"^CREATE OR REPLACE MACRO",
                "CREATE OR REPLACE TEMP MACRO",
                str(script),
                flags=re.MULTILINE,
            )
        connection.execute(str(script))


def has_function_of(connection: "duckdb.DuckDBPyConnection", script: str) -> bool:
    """Tells whether a function other than a macro has a name that a script would give to a macro."""
    names = re.findall(r"^CREATE OR REPLACE MACRO (\w+)", script, re.MULTILINE)
    query = "SELECT count(*) FROM duckdb_functions() WHERE function_name IN (SELECT unnest(?)) AND function_type NOT LIKE '%macro'"
    found = connection.execute(query, [names]).fetchone()
    return found is not None and found[0] > 0


def check_version(version: str) -> None:
    """Raises an ExtensionError where a host is too old."""
    numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:3])
    if numbers < MIN_DUCKDB:
        wanted = ".".join(map(str, MIN_DUCKDB))
        raise ExtensionError(
            f"redline needs DuckDB {wanted} or newer, and this is {version}: pip install --upgrade duckdb"
        )


def one_row(connection: "duckdb.DuckDBPyConnection", query: str) -> tuple[object, ...]:
    row = connection.execute(query).fetchone()
    if row is None:
        raise ExtensionError(f"{query!r} gave no row")
    return tuple(row)


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"

"""One query of an agent, in a process of its own: it has no key, writes no file, and ends with its answer.

The process reads two lines of JSON from stdin and prints a result of the protocol: it opens its database by the first, what is
served, and waits for the second, what is asked. Nothing of one query is left for the next.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import signal
import sys
import threading
from typing import Any

import duckdb

from duckdb_redline.connection import connect, literal
from duckdb_redline.locked import lock, tools_of
from duckdb_redline.visible import is_unseen

# Bytes of memory that the process may write to, and those of them that DuckDB uses.
MAX_PROCESS_BYTES, MAX_DUCKDB_BYTES = 3 << 30, 1 << 30
# The exit code of a process that has no memory left; one that the system or a library ends has a signal instead.
OUT_OF_MEMORY = 75
# Seconds after the deadline in which a query that heeds no interrupt is ended with its process.
GRACE_SECONDS = 3
# Rows that are fetched at a time, and characters of an error.
CHUNK_ROWS, MAX_ERROR = 128, 1000
DOORS = {"configuration", "external_access", "no_sandboxes", "mcp_servers", "duckdb_files"}
OWN_ERROR = re.compile(
    r"(?:[A-Z][A-Za-z ]* Error: )?((?:invalid_args|not_found|fs_denied|permission_denied|approval_required|not_unique|too_large|stale|timeout|declined"
    r"|tool_failed): .*)",
    re.DOTALL,
)
# Where an error of DuckDB names what is no table or function of this kind, or not with these arguments.
NAMED = re.compile(r"""(?:with name |Function "|argument types '|Referenced column ")"?(\w+)""")
# What DuckDB's own catalog has, and there is no table in it.
CATALOG = re.compile(
    r"\s*show\b|.*\b(information_schema|sqlite_master|duckdb_(tables|views)|pg_(tables|class))\b",
    re.IGNORECASE | re.DOTALL,
)
KINDS = {"scalar": "scalar function", "table": "table function", "macro": "macro"}
# Runs the user's statement; query() refuses any text that DuckDB's parser does not read as one SELECT. DuckDB writes each value as JSON.
WRAPPED = "SELECT system.main.to_json(COLUMNS(*)) FROM system.main.query(?)"
Given = dict[str, Any]


class Refused(Exception):
    """A query that is not answered; the text is the error."""


def main() -> None:
    try:
        answer_one()
    except MemoryError:
        os._exit(OUT_OF_MEMORY)


def answer_one() -> None:
    given: Given = json.loads(sys.stdin.buffer.readline())
    # Output of DuckDB, such as a log on stdout, is not an answer.
    out, nothing = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    try:
        con = open_database(given)
        asked = sys.stdin.buffer.readline()
        if not asked:
            # The server has ended.
            os._exit(0)
        bound_process(given["seconds"])
        result = answer(con, given | json.loads(asked))
    except Refused as error:
        result = {"content": [{"type": "text", "text": escaped(str(error))}], "isError": True}
    with os.fdopen(out, "wb") as stream:
        stream.write(json.dumps(result).encode())
    # Threads of DuckDB that have not noticed the interrupt yet are not waited for.
    os._exit(0)


def open_database(given: Given) -> duckdb.DuckDBPyConnection:
    """Returns a locked database that reads beneath the roots, through redline alone."""
    con = connect(
        config={
            "memory_limit": f"{MAX_DUCKDB_BYTES}B", "autoload_known_extensions": False, "autoinstall_known_extensions": False,
            "temp_directory": "", "python_enable_replacements": False,
        },
        extension=given["extension"],
    )  # fmt: skip
    largest = given["max_file_bytes"]
    settings = {
        "redline_sandboxes": literal(json.dumps(given["sandboxes"])),
        "redline_tool_grants": tools_of(con).reading,
        "redline_max_seconds": given["seconds"],
        **({"redline_max_read_bytes": largest} if largest is not None else {}),
        "allowed_directories": f"[{', '.join(map(literal, given['roots']))}]",
        "enable_external_access": "false",
        "disabled_filesystems": "'LocalFileSystem'",
    }
    lock(con, settings)
    ((doors,),) = con.execute(
        "SELECT open_doors FROM system.main.redline_capabilities()"
    ).fetchall()
    if DOORS.intersection(doors):
        raise Refused(
            f"tool_failed: the database of this query cannot be locked ({', '.join(doors)})"
        )
    return con


def bound_process(seconds: int) -> None:
    """Ends the process after its time, and gives it no file to write and no more memory than a query may have."""
    # Where memory runs out all the same, this process is ended and not the server.
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:
        score.write("1000")
    signal.alarm(seconds + GRACE_SECONDS)
    for what, most in (
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_DATA, MAX_PROCESS_BYTES),
    ):
        _, hard = resource.getrlimit(what)
        resource.setrlimit(
            what, (most, most) if hard == resource.RLIM_INFINITY else (min(most, hard),) * 2
        )
    # The person and the other calls come first.
    os.nice(5)


def answer(con: duckdb.DuckDBPyConnection, given: Given) -> dict[str, object]:
    """Runs the query and returns its rows, as many as there is room for."""
    is_over = threading.Event()

    def end() -> None:
        is_over.set()
        con.interrupt()

    deadline = threading.Timer(given["seconds"], end)
    deadline.daemon = True
    deadline.start()
    try:
        check(con.extract_statements(given["sql"]))
        con.execute("BEGIN TRANSACTION READ ONLY")
        columns, rows, cut = rows_of(con, given)
        remark = f"{len(rows)} row{'' if len(rows) == 1 else 's'}"
        if cut:
            remark += f", cut at {cut}: the next with ORDER BY … LIMIT … OFFSET {len(rows)}"
        elif not rows and CATALOG.match(given["sql"]):
            found = help_of(con, "commits", given)
            remark += ". There are no tables, only functions: FROM redline_help() lists them"
            remark += f", such as {found[1]}" if found else ""
        return as_result(remark, columns, rows, cut, given["format"])
    except duckdb.Error as error:
        if is_over.is_set():
            raise Refused(
                f"timeout: the query took longer than {given['seconds']} seconds: ask for less, or for a part"
            ) from error
        raise Refused(coded(error, called(con, error, given))) from error
    except MemoryError as error:
        raise Refused("too_large: the query exceeded its memory limit") from error
    finally:
        deadline.cancel()


def check(statements: list[duckdb.Statement]) -> None:
    """Refuses any text but one read-only statement; the parser names the kinds."""
    kinds = [str(statement.type).rpartition(".")[2] for statement in statements]
    if kinds != ["SELECT"]:
        raise Refused(
            f"invalid_args: only one read-only statement is accepted (SELECT, FROM, WITH, VALUES, DESCRIBE, SUMMARIZE, SHOW), got {', '.join(kinds) or 'none'}. "
            "Nothing is kept between calls; PIVOT names its values: ON column IN (…)"
        )


def rows_of(con: duckdb.DuckDBPyConnection, given: Given) -> tuple[str, list[str], str | None]:
    """Returns the names of the columns and the rows, each as a line of JSON, and a remark where there are more."""
    result = con.execute(WRAPPED, [given["sql"]])
    columns = escaped(
        json.dumps([column[0] for column in result.description or []], ensure_ascii=False)
    )
    rows: list[str] = []
    # The first line has a remark of at most 200 bytes.
    room = given["max_bytes"] - 300 - sent(columns)
    while True:
        chunk = result.fetchmany(CHUNK_ROWS)
        for values in chunk:
            row = escaped(
                "[" + ",".join(value if value is not None else "null" for value in values) + "]"
            )
            if len(rows) == given["limit"]:
                return columns, rows, f"limit = {given['limit']}"
            room -= sent(row)
            if room < 0 and not rows:
                raise Refused(
                    f"too_large: the first row has {sent(columns) + sent(row)} bytes with the names of its columns, and max_bytes is {given['max_bytes']}: "
                    "select fewer columns, or parts of them, as in substr(content, 1, 5000)"
                )
            if room < 0:
                return columns, rows, f"max_bytes = {given['max_bytes']}"
            rows.append(row)
        if not chunk:
            return columns, rows, None


def sent(line: str) -> int:
    """Returns the bytes of a line in a message of the protocol."""
    return len(json.dumps(line, ensure_ascii=False).encode())


def help_of(con: duckdb.DuckDBPyConnection, name: str, given: Given) -> tuple[str, str] | None:
    """Returns the kind of a function of redline, and its form with a call of it in the first sandbox; None where there is no such function."""
    # The transaction of a query that failed may be over.
    with contextlib.suppress(duckdb.Error):
        con.rollback()
    try:
        kind, form, named, example = con.execute(
            "SELECT one.kind, one.signature, told.signature, told.example FROM system.main.redline_help() AS one, system.main.redline_help(function := $name) AS told "
            "WHERE one.name = $name",
            {"name": name},
        ).fetchall()[0]
    except (duckdb.Error, IndexError):
        return None
    place, form = literal(given["sandboxes"][0]["name"]), form.partition("\n")[0]
    if example is None:
        return KINDS[kind], form
    if "repo := '.'" in named:
        example = example.replace("()", "(repo := '.')")
    return KINDS[kind], f"{form}: " + example.replace("'.'", place)


def called(con: duckdb.DuckDBPyConnection, error: duckdb.Error, given: Given) -> str:
    """Returns how a function is called that an error names, or the functions with almost this name; empty where it names none of redline."""
    named = NAMED.search(str(error))
    if not named:
        return ""
    if found := help_of(con, named[1], given):
        kind, form = found
        return f"{named[1]} is a {kind}, called as {form}"
    if not isinstance(error, duckdb.CatalogException):
        return ""
    import difflib

    names = con.execute("SELECT DISTINCT name FROM system.main.redline_help()").fetchall()
    near = difflib.get_close_matches(named[1], [name for (name,) in names], cutoff=0.75)
    return f"Did you mean {' or '.join(near)}? Functions: FROM redline_help()" if near else ""


def as_result(
    said: str, columns: str, rows: list[str], cut: str | None, form: str
) -> dict[str, object]:
    if form == "json":
        values = {
            "columns": json.loads(columns),
            "rows": [json.loads(row, parse_constant=str) for row in rows],
            "cut": cut,
        }
        return {
            "content": [{"type": "text", "text": said}],
            "structuredContent": values,
            "isError": False,
        }
    return {
        "content": [{"type": "text", "text": "\n".join([said, columns, *rows])}],
        "isError": False,
    }


def escaped(text: str) -> str:
    """Returns a line without characters that end a line, hide or reorder text: they become JSON's escapes."""
    return text if text.isascii() and text.isprintable() else "".join(map(visible, text))


def visible(c: str) -> str:
    if not is_unseen(c):
        return c
    return json.dumps(c)[1:-1] if c != "\x7f" else "\\u007f"


def coded(error: duckdb.Error, instead: str) -> str:
    """Returns an error with a code of redline before it and what to do instead, on one line."""
    text = str(error)
    if "system.main.query(?)" in text:
        # The place is one of our own statement.
        text = text.partition("\n\nLINE ")[0]
    # What follows names settings, which are locked.
    text = text.partition("\nPossible solutions")[0]
    text = " ".join(text.split())[:MAX_ERROR]
    own = OWN_ERROR.fullmatch(text)
    if own:
        return own[1]
    if isinstance(error, duckdb.OutOfMemoryException):
        return f"too_large: {text}"
    if isinstance(error, duckdb.PermissionException):
        return f"fs_denied: {text}. Files are read by redline: read_file('SANDBOX/path'), tree_files('WORKTREE', 'SANDBOX/repository')"
    if instead:
        # DuckDB's own suggestions are of its catalog.
        return f"invalid_args: {text.partition(' Did you mean')[0].rstrip('!.')}. {instead}"
    if isinstance(error, duckdb.CatalogException):
        return f"invalid_args: {text} Functions: FROM redline_help()"
    return f"invalid_args: {text}"


if __name__ == "__main__":
    main()

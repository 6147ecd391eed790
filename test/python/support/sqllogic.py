"""Runs test files in DuckDB's sqllogictest dialect.

DuckDB's own runners are a C++ program and a Python package that is not on PyPI. This one reads the part
of the dialect that test/sql uses, so that the same files run here and in DuckDB's runners. Where theirs
guess or skip in silence, it is strict: a directive it does not know, an unset variable, a query without
expected rows is an error. With `relations`, it reads queries as the Python package does.
"""

from __future__ import annotations

import gc
import os
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import duckdb


class SqlTestError(Exception):
    """The test file itself is wrong."""


class SqlTestFailure(AssertionError):
    """What DuckDB answered is not what the file expects."""


class SqlTestSkipped(Exception):
    """A `require` or `require-env` of the file is not met here."""


# ---------------------------------------------------------------- the parsed file


@dataclass
class Statement:
    line: int
    sql: str
    expect: str  # ok, error
    error: str = ""
    connection: str | None = None


@dataclass
class Query:
    line: int
    sql: str
    columns: int
    sort: str  # nosort, rowsort, valuesort
    expected: list[str]
    connection: str | None = None
    label: str | None = None


@dataclass
class Loop:
    line: int
    names: list[str]
    values: list[list[str]]
    concurrent: bool
    body: list = field(default_factory=list)


@dataclass
class Directive:
    line: int
    name: str  # require, require-env, test-env, load, restart, reconnect, halt
    parameters: list[str]


ONE_LINE = {
    "require", "require-env", "test-env", "load", "restart", "reconnect", "halt", "mode",
    "loop", "foreach", "concurrentloop", "concurrentforeach", "endloop",
}  # fmt: skip


class Parser:
    """Turns the lines of a file into records; every complaint names the line."""

    def __init__(self, name: str, text: str):
        self.name = name
        self.lines = text.replace("\r", "").split("\n")
        self.at = 0

    def fail(self, message: str, line: int | None = None) -> SqlTestError:
        return SqlTestError(f"{self.name}:{(self.at if line is None else line) + 1}: {message}")

    def blank(self, index: int) -> bool:
        return (
            index >= len(self.lines) or not self.lines[index] or self.lines[index].startswith("#")
        )

    def block(self) -> list[str]:
        """Takes lines up to a blank one, a comment or the `----` line."""
        taken = []
        while not self.blank(self.at) and self.lines[self.at] != "----":
            taken.append(self.lines[self.at])
            self.at += 1
        return taken

    def expected(self) -> list[str] | None:
        """Takes the lines after `----`, or returns None when there is no such line."""
        if self.at >= len(self.lines) or self.lines[self.at] != "----":
            return None
        self.at += 1
        taken = []
        while self.at < len(self.lines) and self.lines[self.at]:
            taken.append(self.lines[self.at])
            self.at += 1
        return taken

    def parse(self) -> list:
        top: list = []
        open_loops: list[Loop] = []
        skipping = 0
        while True:
            while self.at < len(self.lines) and self.blank(self.at):
                self.at += 1
            if self.at >= len(self.lines):
                break
            start = self.at
            word, *parameters = self.lines[start].split()
            self.at += 1
            if word in ONE_LINE and not self.blank(self.at):
                raise self.fail(f"`{word}` must be followed by an empty line", start)

            if word == "mode":
                if parameters == ["skip"]:
                    skipping += 1
                elif parameters == ["unskip"] and skipping:
                    skipping -= 1
                else:
                    raise self.fail(f"unknown or unbalanced `mode {' '.join(parameters)}`", start)
                continue

            record = self.record(word, parameters, start)
            if skipping:
                continue
            if isinstance(record, Directive) and record.name == "endloop":
                if not open_loops:
                    raise self.fail("`endloop` without a loop", start)
                open_loops.pop()
                continue
            if open_loops and isinstance(record, Directive):
                raise self.fail(f"`{word}` cannot stand in a loop", start)
            (open_loops[-1].body if open_loops else top).append(record)
            if isinstance(record, Loop):
                open_loops.append(record)
        if open_loops:
            raise self.fail("this loop has no `endloop`", open_loops[-1].line)
        if skipping:
            raise self.fail("`mode skip` has no `mode unskip`", len(self.lines) - 1)
        return top

    def record(self, word: str, parameters: list[str], start: int):
        if word == "statement":
            return self.statement(parameters, start)
        if word == "query":
            return self.query(parameters, start)
        if word in ("loop", "concurrentloop"):
            if len(parameters) != 3 or not all(re.fullmatch(r"-?\d+", p) for p in parameters[1:]):
                raise self.fail(f"expected `{word} name start end`", start)
            values = [[str(i)] for i in range(int(parameters[1]), int(parameters[2]))]
            return Loop(start, parameters[:1], values, word.startswith("concurrent"))
        if word in ("foreach", "concurrentforeach"):
            if len(parameters) < 2:
                raise self.fail(f"expected `{word} name value…`", start)
            names = parameters[0].split(",")
            values = [[v] if len(names) == 1 else v.split(",") for v in parameters[1:]]
            for value in values:
                if len(value) != len(names):
                    raise self.fail(f"`{','.join(value)}` does not give {len(names)} values", start)
                if value[0].startswith("<"):
                    raise self.fail(f"the collection {value[0]} is not known here", start)
            return Loop(start, names, values, word.startswith("concurrent"))
        counts = {
            "require": (1, 2), "require-env": (1, 2), "test-env": (2, 2), "load": (0, 2),
            "restart": (0, 0), "reconnect": (0, 0), "halt": (0, 0), "endloop": (0, 0),
        }  # fmt: skip
        if word not in counts:
            raise self.fail(f"unknown directive `{word}`", start)
        least, most = counts[word]
        if not least <= len(parameters) <= most:
            raise self.fail(f"`{word}` takes {least} to {most} parameters", start)
        return Directive(start, word, parameters)

    def statement(self, parameters: list[str], start: int) -> Statement:
        if not parameters or parameters[0] not in ("ok", "error") or len(parameters) > 2:
            raise self.fail("expected `statement ok` or `statement error`", start)
        sql = "\n".join(self.block())
        expected = self.expected()
        if not sql:
            raise self.fail("the statement is empty", start)
        if parameters[0] == "ok" and expected is not None:
            raise self.fail("`statement ok` has no expected text", start)
        if parameters[0] == "error" and not expected:
            raise self.fail("`statement error` needs `----` and the text of the error", start)
        connection = parameters[1] if len(parameters) > 1 else None
        return Statement(start, sql, parameters[0], "\n".join(expected or []), connection)

    def query(self, parameters: list[str], start: int) -> Query:
        if not parameters or not re.fullmatch("[TIR]+", parameters[0]) or len(parameters) > 3:
            raise self.fail("expected `query TIR… [nosort|rowsort|valuesort] [label]`", start)
        sort, connection = "nosort", None
        if len(parameters) > 1:
            # As in DuckDB's runners: any other word than a sort mode is the name of a connection.
            known = {
                "nosort": "nosort",
                "rowsort": "rowsort",
                "sort": "rowsort",
                "valuesort": "valuesort",
            }
            if parameters[1] in known:
                sort = known[parameters[1]]
            else:
                connection = parameters[1]
        label = parameters[2] if len(parameters) > 2 else None
        sql = "\n".join(self.block())
        expected = self.expected()
        if not sql:
            raise self.fail("the query is empty", start)
        if expected is None:
            raise self.fail("the query has no `----` line", start)
        if label and expected:
            raise self.fail(
                "a labelled query is compared with its namesakes; DuckDB ignores its rows", start
            )
        if len(expected) == 1 and re.fullmatch(r"\d+ values hashing to [0-9a-f]{32}", expected[0]):
            raise self.fail("expected results as a hash are not supported: write them out", start)
        if len(expected) == 1 and expected[0].startswith("<FILE>:"):
            raise self.fail("expected results from a file are not supported: write them out", start)
        return Query(start, sql, len(parameters[0]), sort, expected, connection, label)


# ---------------------------------------------------------------- running


# What `require` may name besides extensions, and whether it holds in this host.
PROPERTIES = {
    "notwindows": os.name != "nt",
    "windows": os.name == "nt",
    "notmingw": True,
    "mingw": False,
    "64bit": sys.maxsize > 2**32,
    "longdouble": True,
    "noforcestorage": True,
    "nothreadsan": True,
    "strinline": True,
    "skip_reload": True,
    "no_alternative_verify": True,
    "no_vector_verification": True,
}

INTEGERS = {
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT",
    "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT",
}  # fmt: skip


class Runner:
    """Runs the records of one file against one database."""

    def __init__(
        self,
        name: str,
        extensions: Mapping[str, str | os.PathLike],
        test_dir: str,
        env: Mapping[str, str],
        relations: bool,
    ):
        self.name = name
        # Reads each query as DuckDB's Python runner does: as a relation, and another one over it.
        self.relations = relations
        self.extensions = extensions
        self.env = env
        self.variables = {"TEST_DIR": test_dir}
        self.path = ":memory:"
        self.read_only = False
        self.loaded: list[str] = []
        self.labels: dict[str, list[str]] = {}
        self.checks = 0
        self.lock = threading.Lock()
        # Turns values into text as DuckDB prints them, away from the database under test.
        self.printer = duckdb.connect()
        self.database: duckdb.DuckDBPyConnection | None = None
        self.named: dict[str, duckdb.DuckDBPyConnection] = {}
        self.open()

    # -- the database

    def open(self) -> None:
        self.database = duckdb.connect(
            self.path, read_only=self.read_only, config={"allow_unsigned_extensions": True}
        )
        if not self.relations:
            # A table name must not find a variable of this program.
            self.database.execute("SET python_enable_replacements = false")
        for path in self.loaded:
            self.load_extension(path)

    def close(self) -> None:
        for connection in self.named.values():
            connection.close()
        self.named.clear()
        if self.database is not None:
            self.database.close()
            self.database = None
        gc.collect()

    def load_extension(self, path: str) -> None:
        quoted = path.replace("'", "''")
        self.database.execute(f"LOAD '{quoted}'")

    def connection(self, name: str | None) -> duckdb.DuckDBPyConnection:
        if name is None:
            return self.database
        if name not in self.named:
            self.named[name] = self.database.cursor()
        return self.named[name]

    # -- text

    def where(self, record) -> str:
        return f"{self.name}:{record.line + 1}"

    def replace(self, text: str, variables: Mapping[str, str], record) -> str:
        """Fills in ${NAME}, {NAME} and __TEST_DIR__; an unset ${NAME} is an error."""
        for name, value in variables.items():
            text = text.replace("${" + name + "}", value).replace("{" + name + "}", value)
        text = text.replace("__TEST_DIR__", self.variables["TEST_DIR"])
        text = text.replace("__WORKING_DIRECTORY__", os.getcwd())
        left = re.search(r"\$\{\w+\}|__[A-Z]+(?:_[A-Z]+)*__", text)
        if left:
            raise SqlTestError(f"{self.where(record)}: {left.group()} is not set")
        return text

    def literal(self, text: str, record) -> str:
        """Returns an expected text: in DuckDB's Python runner a variable stays in it as it is, so there must be none."""
        found = re.search(r"\$\{\w+\}|__[A-Z]+(?:_[A-Z]+)*__", text)
        if found:
            raise SqlTestError(
                f"{self.where(record)}: {found.group()} is not filled in where text is expected"
            )
        return text

    def text_of(self, value, type_name: str) -> str:
        """Returns a value as DuckDB's runners print it."""
        if value is None:
            return "NULL"
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, str):
            return value.replace("\0", "\\0") or "(empty)"
        if isinstance(value, int) and type_name in INTEGERS:
            return str(value)
        with self.lock:
            row = self.printer.execute(
                f"SELECT CAST(CAST(? AS {type_name}) AS VARCHAR)", [value]
            ).fetchone()
        return row[0].replace("\0", "\\0") or "(empty)"

    def equal(self, actual: str, expected: str, type_name: str) -> bool:
        if actual == expected:
            return True
        if expected.startswith("<REGEX>:"):
            return re.fullmatch(expected.removeprefix("<REGEX>:"), actual, re.DOTALL) is not None
        if expected.startswith("<!REGEX>:"):
            return re.fullmatch(expected.removeprefix("<!REGEX>:"), actual, re.DOTALL) is None
        if "NULL" in (actual, expected):
            return False
        if type_name == "BOOLEAN":
            return {"1": "true", "0": "false"}.get(expected.lower(), expected.lower()) == actual
        if (
            type_name in INTEGERS
            or type_name in ("FLOAT", "DOUBLE")
            or type_name.startswith("DECIMAL")
        ):
            with self.lock:
                row = self.printer.execute(
                    f"SELECT TRY_CAST(? AS {type_name}) = TRY_CAST(? AS {type_name})",
                    [actual, expected],
                ).fetchone()
            return row[0] is True
        return False

    # -- records

    def run(self, records: list) -> int:
        """Runs a file and returns the number of statements and queries that were checked."""
        try:
            for record in records:
                if isinstance(record, Directive) and record.name == "halt":
                    break
                self.step(record, self.variables, None)
            return self.checks
        finally:
            self.close()
            self.printer.close()

    def step(
        self, record, variables: Mapping[str, str], own: duckdb.DuckDBPyConnection | None
    ) -> None:
        if isinstance(record, Directive):
            getattr(self, record.name.replace("-", "_"))(record)
        elif isinstance(record, Loop):
            self.loop(record, variables, own)
        else:
            if own is not None and record.connection is not None:
                raise SqlTestError(f"{self.where(record)}: a named connection in a concurrent loop")
            connection = own or self.connection(record.connection)
            if isinstance(record, Statement):
                self.statement(record, connection, variables)
            else:
                self.query(record, connection, variables)
            with self.lock:
                self.checks += 1

    def loop(self, record: Loop, variables: Mapping[str, str], own) -> None:
        for name in record.names:
            if name in variables:
                raise SqlTestError(f"{self.where(record)}: {name} is already set")

        def iteration(values: list[str], connection) -> None:
            inner = {**variables, **dict(zip(record.names, values))}
            for step in record.body:
                self.step(step, inner, connection)

        if not record.concurrent:
            for values in record.values:
                iteration(values, own)
            return

        failures: list[BaseException] = []

        def in_thread(values: list[str], connection) -> None:
            try:
                iteration(values, connection)
            except BaseException as error:  # handed to the caller's thread below
                failures.append(error)
            finally:
                connection.close()

        threads = [
            threading.Thread(target=in_thread, args=(values, self.database.cursor()))
            for values in record.values
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]

    def require(self, record: Directive) -> None:
        name = record.parameters[0].lower()
        if name in self.extensions:
            path = os.fspath(self.extensions[name])
            if path not in self.loaded:
                self.loaded.append(path)
                self.load_extension(path)
            return
        if name in ("vector_size", "exact_vector_size") and len(record.parameters) == 2:
            wanted, actual = int(record.parameters[1]), duckdb.__standard_vector_size__
            met = actual == wanted if name.startswith("exact") else actual >= wanted
        elif name in PROPERTIES:
            met = PROPERTIES[name]
        else:
            # Extensions that this build of DuckDB carries inside.
            met = bool(
                self.database.execute(
                    "SELECT count(*) FROM duckdb_extensions() WHERE loaded AND extension_name = ?",
                    [name],
                ).fetchone()[0]
            )
        if not met:
            raise SqlTestSkipped(f"{self.where(record)}: require {' '.join(record.parameters)}")

    def require_env(self, record: Directive) -> None:
        name, *wanted = record.parameters
        value = self.env.get(name)
        if value is None or (wanted and value != wanted[0]):
            raise SqlTestSkipped(f"{self.where(record)}: require-env {' '.join(record.parameters)}")
        self.define(record, name, value)

    def test_env(self, record: Directive) -> None:
        name, default = record.parameters
        self.define(record, name, self.env.get(name, default))

    def define(self, record: Directive, name: str, value: str) -> None:
        if name in self.variables:
            raise SqlTestError(f"{self.where(record)}: {name} is already set")
        self.variables[name] = value

    def load(self, record: Directive) -> None:
        if record.parameters[1:] not in ([], ["readonly"]):
            raise SqlTestError(f"{self.where(record)}: expected `load [file [readonly]]`")
        self.close()
        self.read_only = record.parameters[1:] == ["readonly"]
        self.path = (
            self.replace(record.parameters[0], self.variables, record)
            if record.parameters
            else ":memory:"
        )
        if record.parameters and not self.read_only:
            for path in (self.path, self.path + ".wal"):
                Path(path).unlink(missing_ok=True)
        self.open()

    def restart(self, record: Directive) -> None:
        if self.path == ":memory:":
            raise SqlTestError(
                f"{self.where(record)}: `restart` needs a database that was opened with `load`"
            )
        self.close()
        self.open()

    def reconnect(self, record: Directive) -> None:
        fresh = self.database.cursor()
        for connection in (*self.named.values(), self.database):
            connection.close()
        self.named.clear()
        self.database = fresh

    def statement(self, record: Statement, connection, variables: Mapping[str, str]) -> None:
        sql = self.replace(record.sql, variables, record)
        try:
            connection.execute(sql).fetchall()
        except duckdb.Error as error:
            message = str(error)
        else:
            if record.expect == "error":
                raise SqlTestFailure(
                    f"{self.where(record)}: the statement should have failed\n{sql}"
                )
            return
        if record.expect == "ok":
            raise SqlTestFailure(
                f"{self.where(record)}: the statement failed\n{sql}\n---- it said\n{message}"
            )
        wanted = self.literal(record.error, record)
        if "INTERNAL Error" in message:
            fits = False  # never what a test may ask for
        elif wanted.startswith(("<REGEX>:", "<!REGEX>:")):
            fits = self.equal(message, wanted, "VARCHAR")
        else:
            fits = wanted in message
        if not fits:
            raise SqlTestFailure(
                f"{self.where(record)}: the statement failed in another way\n{sql}\n"
                f"---- expected\n{wanted}\n---- it said\n{message}"
            )

    def read(self, connection, sql: str, record: Query) -> tuple[list[str], list[tuple]]:
        """Returns the types and the rows of a query."""
        if self.relations:
            if not connection.sql("SELECT current_setting('enable_external_access')").fetchall()[0][
                0
            ]:
                raise SqlTestError(
                    f"{self.where(record)}: without external access, DuckDB's Python runner runs statements alone"
                )
            original_rel = connection.sql(sql)
            if original_rel is not None:
                types = [str(type) for type in original_rel.types]
                names = [f"c{number}" for number in range(len(types))]
                texts = ", ".join(f'"{name}"::VARCHAR' for name in names)
                rows = connection.sql(
                    f"SELECT {texts} FROM original_rel unnamed({', '.join(names)})"
                ).fetchall()
                return types, rows
        connection.execute(sql)
        types = [str(column[1]) for column in connection.description or []]
        return types, connection.fetchall()

    def query(self, record: Query, connection, variables: Mapping[str, str]) -> None:
        sql = self.replace(record.sql, variables, record)
        try:
            types, rows = self.read(connection, sql, record)
        except duckdb.Error as error:
            raise SqlTestFailure(
                f"{self.where(record)}: the query failed\n{sql}\n---- it said\n{error}"
            ) from None

        actual = [
            [self.text_of(value, type_name) for value, type_name in zip(row, types)] for row in rows
        ]
        shown = "\n".join("\t".join(row) for row in actual)

        def fail(message: str) -> SqlTestFailure:
            wanted = "\n".join(record.expected)
            return SqlTestFailure(
                f"{self.where(record)}: {message}\n{sql}\n---- expected\n{wanted}\n---- it gave\n{shown}"
            )

        if len(types) != record.columns:
            raise fail(f"{len(types)} columns instead of {record.columns}")
        if record.sort == "rowsort":
            actual.sort()
        flat = [value for row in actual for value in row]
        if record.sort == "valuesort":
            flat.sort()

        if record.label is not None:
            with self.lock:
                first = self.labels.setdefault(record.label, flat)
            if first != flat:
                raise fail(
                    f"not the rows of the first query labelled {record.label}, which were {first}"
                )
            return

        expected_lines = [self.literal(line, record) for line in record.expected]
        expected = self.expected_values(expected_lines, len(rows), record)
        if len(expected) != len(flat):
            raise fail(f"{len(rows)} rows instead of {len(expected) // record.columns}")
        for index, (got, wanted) in enumerate(zip(flat, expected)):
            type_name = types[index % len(types)] if record.sort != "valuesort" else "VARCHAR"
            if not self.equal(got, wanted, type_name):
                row, column = divmod(index, record.columns)
                raise fail(f"row {row + 1}, column {column + 1}: `{got}` instead of `{wanted}`")

    def expected_values(self, lines: list[str], rows: int, record: Query) -> list[str]:
        """Returns the expected values: a row per line with tabs, or a value per line."""
        if record.columns == 1:
            return lines
        if len(lines) == rows or all("\t" in line for line in lines):
            values = []
            for number, line in enumerate(lines, 1):
                parts = [part for part in line.split("\t") if part]
                if len(parts) != record.columns:
                    raise SqlTestFailure(
                        f"{self.where(record)}: expected row {number} has {len(parts)} values, not {record.columns}"
                    )
                values += parts
            return values
        if len(lines) % record.columns:
            raise SqlTestFailure(
                f"{self.where(record)}: {len(lines)} expected values do not fill rows of {record.columns}"
            )
        return lines


def run_text(
    name: str,
    text: str,
    extensions: Mapping[str, str | os.PathLike],
    test_dir: str | os.PathLike,
    env: Mapping[str, str] | None = None,
    relations: bool = False,
) -> int:
    """Runs the text of a test file; returns how many statements and queries were checked."""
    records = Parser(name, text).parse()
    runner = Runner(
        name, extensions, os.fspath(test_dir), os.environ if env is None else env, relations
    )
    return runner.run(records)


def run_file(
    path: Path,
    extensions: Mapping[str, str | os.PathLike],
    test_dir: str | os.PathLike,
    env: Mapping[str, str] | None = None,
    relations: bool = False,
) -> int:
    """Runs a test file; returns how many statements and queries were checked."""
    return run_text(
        str(path), Path(path).read_text(encoding="utf-8"), extensions, test_dir, env, relations
    )


def find_files(folder: Path) -> Iterator[Path]:
    """Returns the test files below a folder, in a fixed order."""
    return iter(sorted(folder.rglob("*.test")))

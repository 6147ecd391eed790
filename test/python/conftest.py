"""What every test of a host needs: the built extension and connections that have loaded it."""

import os
import pathlib
import sys
import time

import duckdb
import pytest

# pytest.ini puts support/ on the path; its assertions show their values, as those of the tests do.
pytest.register_assert_rewrite(
    *(path.stem for path in pathlib.Path(__file__).parent.glob("support/*.py"))
)

import histories
import repositories
from repositories import ROOT

# DuckDB looks for pandas at each parameter of a statement, in every folder of the path: the environments have none.
sys.modules.setdefault("pandas", None)


def pytest_report_header() -> str:
    return f"DuckDB {duckdb.__version__}, {repositories.git_version()}"


# What a host of its own may change: how functions are registered and called, types, macros, settings, errors, SQL as it is
# read, and packages. The other hosts run these alone; all else is the same code in every host, and runs in the first one.
CONTRACT = (
    "documents/test_docs.py",
    "history/test_data_history.py",
    "hostile/test_lockdown.py",
    "packages/test_command.py::test_a_query_",
    "packages/test_distributed.py",
    "packages/test_package.py",
    "packages/test_python_package.py",
    "packages/test_registry.py",
    "servers/test_mcp_server.py::test_right_calls_are_answered",
    "surface/test_coexistence.py",
    "surface/test_help.py",
    "surface/test_host.py",
    "surface/test_list_arguments.py",
    "surface/test_list_options.py",
    "surface/test_macros.py",
    "surface/test_qualified.py",
    "surface/test_shared_rows.py",
    "surface/test_sql.py",
    "surface/test_table_changes.py",
    "tools/test_agent_calls.py",
    "tools/test_snapshots.py",
)
# Of these files what asks the host nothing that the others do not: it takes more than half of their time.
NOT_CONTRACT = (
    "hostile/test_lockdown.py::test_every_call_reads_without_the_locks",
    "hostile/test_lockdown.py::test_nothing_is_read_without_an_allowed_directory",
    "surface/test_help.py::test_everything_of_a_macro_is_what_its_script_says",
    "surface/test_host.py::test_a_cancelled_query[file_changes, names only]",
    "surface/test_host.py::test_a_cancelled_query[file_diff]",
    "surface/test_host.py::test_memory_limit_with_more_text_than_fits[file_diff]",
    "surface/test_list_options.py::test_a_moment_is_read_as_the_named_parameter_reads_it",
    "surface/test_list_options.py::test_each_option_means_what_the_named_parameter_means",
    "surface/test_shared_rows.py::test_several_threads",
    "surface/test_shared_rows.py::test_the_error_over_repositories",
    "surface/test_table_changes.py::test_changes_are_those_of_a_comparison_in_python",
    "surface/test_table_changes.py::test_the_files_of_ten_versions_change_as_python_reads_them[csv",
    "surface/test_table_changes.py::test_the_files_of_ten_versions_change_as_python_reads_them[json",
    "surface/test_table_changes.py::test_the_files_of_ten_versions_change_as_python_reads_them[ndjson",
)
# A test that takes longer is marked slow.
SLOW_SECONDS = 3.0


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--one-thread",
        action="store_true",
        help="have the thread that asks do all the work, in DuckDB 1.5 and in databases whose threads no test sets",
    )


FOLDER = pathlib.Path(__file__).parent


def pytest_ignore_collect(collection_path: pathlib.Path, config: pytest.Config) -> bool | None:
    """Leaves out the files of which the contract has nothing, where it alone is run: to import all of them takes long."""
    if collection_path.suffix != ".py" or not config.option.markexpr.startswith("contract"):
        return None
    place = collection_path.relative_to(FOLDER).as_posix()
    return not any(named.startswith(place) for named in CONTRACT)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what a host of its own may change."""
    for item in items:
        place = f"{item.path.relative_to(FOLDER).as_posix()}::{item.name}"
        # Of the two readers of SQL files one is enough.
        if place.startswith(CONTRACT) and not (
            place.startswith(NOT_CONTRACT) or place.endswith("-relations]")
        ):
            item.add_marker("contract")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item):
    """Keeps what a test took: processor time, with that of its processes, and seconds."""
    before, start = sum(os.times()[:4]), time.monotonic()
    try:
        return (yield)
    finally:
        took = sum(os.times()[:4]) - before, time.monotonic() - start
        item.user_properties.append(("took", took))


class Slow:
    """Lists the tests that should be marked slow. Seconds count on a quiet machine alone: a busy one makes no test slow."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        took = dict(report.user_properties).get("took")
        if report.when != "call" or took is None or "slow" in report.keywords:
            return
        worked, seconds = took
        is_quiet = os.getloadavg()[0] <= (os.cpu_count() or 1) + 0.5
        if worked > SLOW_SECONDS or (seconds > SLOW_SECONDS and is_quiet):
            self.found.append(f"{seconds:6.1f} s, {worked:5.1f} of work  {report.nodeid}")

    def pytest_terminal_summary(self, terminalreporter) -> None:
        if self.found:
            terminalreporter.section(f"over {SLOW_SECONDS:g} s, and not marked slow")
            for line in sorted(self.found, reverse=True):
                terminalreporter.line(line)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Slow())


@pytest.fixture(autouse=True)
def in_the_root(monkeypatch):
    """Runs each test in the root of the checkout, as `make` and DuckDB's own runners do."""
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="session")
def extension() -> pathlib.Path:
    """Returns the extension under test: REDLINE_EXTENSION, or the debug build."""
    path = ROOT / os.environ.get("REDLINE_EXTENSION", "build/debug/redline.duckdb_extension")
    if not path.is_file():
        pytest.exit(f"{path.name} is not built: run `make debug` first", returncode=3)
    return path


@pytest.fixture(scope="session")
def fixtures() -> pathlib.Path:
    """Returns the folder of the fixture repositories, made when it is missing or old."""
    return repositories.fixtures()


@pytest.fixture(scope="module")
def cases(tmp_path_factory) -> pathlib.Path:
    """Returns a repository with one commit of each kind."""
    return histories.one_of_each(tmp_path_factory.mktemp("cases"))


def threads_of(config: pytest.Config) -> dict[str, int]:
    """Returns the settings by which DuckDB 1.5 has the thread that asks do all the work, where that is wanted.

    Its client runs in circles while a thread of DuckDB's own works, which is two thirds of the processor time of short
    queries. DuckDB's own threads then work in the other host, in test/sql and in the tests that set `threads`.
    """
    is_one = config.getoption("--one-thread") and duckdb.__version__.startswith("1.5.")
    count = os.cpu_count() or 1
    return {"threads": count, "external_threads": count} if is_one else {}


@pytest.fixture
def connect(extension, request):
    """Returns a function that opens a database and loads the extension; all are closed after the test."""
    opened, threads = [], threads_of(request.config)

    def open_one(
        database: str | os.PathLike = ":memory:", load: bool = True, **config
    ) -> duckdb.DuckDBPyConnection:
        given = config if "threads" in config else threads | config
        connection = duckdb.connect(
            os.fspath(database), config={"allow_unsigned_extensions": True, **given}
        )
        opened.append(connection)
        # A table name must not find a variable of the test.
        connection.execute("SET python_enable_replacements = false")
        if load:
            connection.execute(f"LOAD '{extension}'")
        return connection

    yield open_one
    for connection in opened:
        connection.close()


class Loaded:
    """A database in memory that has loaded the extension, which the tests of a module share."""

    # What a test could leave to the next one.
    SETTINGS = "SELECT name, value FROM duckdb_settings()"
    OBJECTS = """
        SELECT database_name, path FROM duckdb_databases() UNION ALL
        SELECT schema_name, database_name FROM duckdb_schemas() WHERE NOT internal UNION ALL
        SELECT table_name, schema_name FROM duckdb_tables() WHERE NOT temporary UNION ALL
        SELECT view_name, schema_name FROM duckdb_views() WHERE NOT (internal OR temporary)"""

    def __init__(self, extension: pathlib.Path, threads: dict[str, int]):
        self.extension, self.threads = extension, threads
        self.open()

    def open(self) -> None:
        self.database = duckdb.connect(config={"allow_unsigned_extensions": True, **self.threads})
        # A table name must not find a variable of a test.
        self.database.execute("SET GLOBAL python_enable_replacements = false")
        self.database.execute(f"LOAD '{self.extension}'")
        self.settings, self.objects = self.rows(self.SETTINGS), self.rows(self.OBJECTS)

    def rows(self, query: str) -> set[tuple]:
        return set(self.database.execute(query).fetchall())

    def close(self) -> None:
        self.database.close()


@pytest.fixture(scope="module")
def loaded(extension, pytestconfig):
    """Returns the database of the tests of a module that need none of their own."""
    shared = Loaded(extension, threads_of(pytestconfig))
    yield shared
    left = shared.rows(Loaded.OBJECTS) ^ shared.objects
    shared.close()
    assert not left, f"a test of this module has left something outside of its schema: {left}"


@pytest.fixture
def con(request):
    """Returns a connection to a database that has loaded the extension.

    Its schema is new, and its database is that of the module: to open and load one takes longer than most tests. A test
    whose subject is in the database (settings, the journal, what is kept between queries) is marked `own_database`.
    """
    if request.node.get_closest_marker("own_database"):
        yield request.getfixturevalue("connect")()
        return
    shared = request.getfixturevalue("loaded")
    cursor = shared.database.cursor()
    cursor.execute("CREATE SCHEMA of_a_test; USE of_a_test")
    yield cursor
    cursor.close()
    shared.database.execute("DROP SCHEMA of_a_test CASCADE")
    if changed := shared.rows(Loaded.SETTINGS) ^ shared.settings:
        shared.close()
        shared.open()
        pytest.fail(f"the test needs the mark `own_database`: it has changed {sorted(changed)}")

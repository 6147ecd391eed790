"""What every test of a host needs: the built extension and connections that have loaded it."""

import os
import pathlib

import duckdb
import pytest

# pytest.ini puts support/ on the path; its assertions show their values, as those of the tests do.
pytest.register_assert_rewrite(
    *(path.stem for path in pathlib.Path(__file__).parent.glob("support/*.py"))
)

import histories
import repositories
from repositories import ROOT


def pytest_report_header() -> str:
    return f"DuckDB {duckdb.__version__}, {repositories.git_version()}"


# They test the engine, the sandboxes, the tools and the servers, which are the same code in every host. What a host may
# change (functions as SQL sees them, packages, documents, attacks through SQL) runs in each.
SAME_IN_EVERY_HOST = (
    "files/",
    "history/",
    "layouts/",
    "parity/",
    "rebase/",
    "servers/",
    "tools/",
    "hostile/test_attacks.py",
    "hostile/test_patch_faults.py",
    "hostile/test_ref_limit.py",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--share",
        metavar="K/N",
        help="of the tests whose outcome depends on no host, run each Nth function alone",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out the functions that are the share of another host."""
    if (share := config.getoption("--share")) is None:
        return
    mine, hosts = map(int, share.split("/"))
    folder = pathlib.Path(__file__).parent

    def function(item: pytest.Item) -> str | None:
        path = item.path.relative_to(folder).as_posix()
        if not path.startswith(SAME_IN_EVERY_HOST):
            return None
        return f"{path}::{item.name.partition('[')[0]}"

    turns = dict.fromkeys(filter(None, map(function, items)))
    others = {name for turn, name in enumerate(turns) if turn % hosts != mine % hosts}
    config.hook.pytest_deselected(items=[item for item in items if function(item) in others])
    items[:] = [item for item in items if function(item) not in others]


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
    """Returns the settings by which DuckDB 1.5 has the thread that asks do all the work, where hosts share the tests.

    Its client runs in circles while a thread of DuckDB's own works, which is two thirds of the processor time of short
    queries. DuckDB's own threads then work in the other host, in test/sql and in the tests that set `threads`.
    """
    is_shared = config.getoption("--share") is not None and duckdb.__version__.startswith("1.5.")
    count = os.cpu_count() or 1
    return {"threads": count, "external_threads": count} if is_shared else {}


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


@pytest.fixture
def con(connect):
    """Returns a connection to a database in memory that has loaded the extension."""
    return connect()

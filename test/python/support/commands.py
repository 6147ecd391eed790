"""The command redline in the process of a test, with one database for all runs."""

import contextlib
import sys
from collections.abc import Callable, Iterator

import pytest
from repositories import ROOT

sys.path.insert(0, str(ROOT / "python"))


@contextlib.contextmanager
def in_process(extension) -> Iterator[Callable[..., bytes | str]]:
    """Yields a function that runs the command and returns its bytes; with an exit code that is not 0, what it said on stderr."""
    from click.testing import CliRunner

    from duckdb_redline import connection
    from duckdb_redline.command.main import main

    con = connection.connect(extension=extension, by_caller=True)
    patch = pytest.MonkeyPatch()
    connect = connection.connect

    def shared(path=":memory:", **options):
        if path == ":memory:":
            return con.cursor()
        return connect(path, **options | {"extension": extension})

    patch.setattr(connection, "connect", shared)

    def run(*arguments: object, code: int = 0):
        done = CliRunner().invoke(main, ["--extension", str(extension), *map(str, arguments)])
        assert done.exit_code == code, (arguments, done.output, done.exception)
        return done.stderr if code else done.stdout_bytes

    yield run
    patch.undo()
    con.close()

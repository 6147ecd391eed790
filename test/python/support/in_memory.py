"""A server in this process, which a client of the official SDK asks without a transport: for tests of what it answers."""

import argparse
import itertools
import pathlib
import sys

from repositories import ROOT

sys.path.insert(0, str(ROOT / "python"))

from duckdb_redline.server import command
from duckdb_redline.server.forms import Forms
from duckdb_redline.server.host import open_database
from duckdb_redline.server.protocol import make_server, one_session
from duckdb_redline.server.query import Queries


def server(extension: pathlib.Path, *arguments: str, now=None, session_of=None):
    """Returns the server that the command would run with these arguments, whose client asks the person.

    Its person has read a form whenever its client answers, unless `now` is another clock.
    """
    now = now or itertools.count().__next__
    given: argparse.Namespace = command.parser().parse_args([*arguments])
    assert given.http is None and given.approve in (None, "client"), (
        "it has no transport, and no page"
    )
    roots = command.sandboxes(given.directories)
    host = open_database(
        roots, given.write, extension.resolve(), given.max_file_bytes, command.git_of(given)
    )
    queries = None
    if given.query is not None:
        queries = Queries(roots, extension.resolve(), given.query, given.max_file_bytes)
    return make_server(
        host,
        Forms(host, now),
        session_of or one_session(),
        structured=given.structured,
        queries=queries,
        progress_seconds=given.progress,
        max_bytes=given.max_bytes,
    )

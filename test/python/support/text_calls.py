"""Calls of every scalar function of its arguments alone, made of an expression for each name of a parameter.

Tests of locks, of the growth of time, of memory that is refused and of threads take their calls from here: a new function of such
parameters is called by all of them, and one with another parameter once that has a row in `VALUES`.
"""

import functools
import os
from typing import NamedTuple

import duckdb
import pytest
from repositories import ROOT


class Value(NamedTuple):
    """What an argument is in the calls of a test."""

    locked: (
        str  # a text that would be opened if it were a place: a file {file}, a repository {repo}
    )
    grown: str  # as large as `$text`, or made of it, as in test_argument_growth
    refused: str  # of the table `texts` of refusals
    shared: str  # of the table `pairs` of test_shared_rows


LOCKED_PATCH = "E'--- {file}\\n+++ {file}\\n@@ -1 +1 @@\\n-a\\n+b\\n'"
# The first argument of a comparison, and the other one.
OLD = Value("'{file}'", "$text", "a", "a")
NEW = Value("'{repo}'", "'z' || $part", "b", "b")
VALUES = {
    "a": OLD,
    "b": NEW,
    "text_a": OLD,
    "text_b": NEW,
    "old": OLD._replace(shared="coalesce(a, 'old')"),
    "new": NEW._replace(shared="coalesce(b, 'new')"),
    "base": OLD,
    "ours": NEW,
    "theirs": Value("'{file}x'", "$whole || 'z'", "side", "a || 'x'"),
    "text": Value("E'a\\n'", "$text", "a", "a"),
    "patch": Value(LOCKED_PATCH, "$patch", "patch", "unified_diff(a, b)"),
    "content": Value("'a'", "$text", "a", "b"),
    "file": Value("'{file}'", "'a.csv'", "'a.txt'", "'a.txt'"),
    "answer": Value("'rows'", "'rows'", "'rows'", "'rows'"),
    "payload": Value(
        '\'{{"type": "other", "description": "{file}"}}\'',
        "write_approval('ws/other', $text)",
        "write_approval('asking/n.txt', b)",
        """json_object('type', 'write', 'description', 'Write', 'path', 'w/a.txt', 'sandbox', 'w', 'content', coalesce(a, ''),
            'content_lines', 1, 'content_bytes', 1, 'preview', '', 'preview_truncated', false, 'file_exists', false)""",
    ),
    "width": Value("80", "80", "80", "80"),
    "height": Value("24", "24", "24", "24"),
}  # fmt: skip


@functools.cache
def functions() -> dict[str, list[str]]:
    """Returns the scalar functions whose required arguments are all in `VALUES`, and the names of these."""
    extension = ROOT / os.environ.get("REDLINE_EXTENSION", "build/debug/redline.duckdb_extension")
    if not extension.is_file():
        pytest.exit(f"{extension.name} is not built: run `make debug` first", returncode=3)
    with duckdb.connect(config={"allow_unsigned_extensions": True}) as con:
        con.execute(f"LOAD '{extension}'")
        found = con.execute(
            "SELECT name, string_split(regexp_extract(signature, '\\((.*)\\)', 1), ', ') FROM "
            "(SELECT name, unnest(string_split(signature, chr(10))) AS signature FROM redline_help(function := 'ALL') WHERE kind = 'scalar')"
        ).fetchall()
    shortest: dict[str, list[str]] = {}
    for name, parameters in found:
        names = [parameter.split()[0] for parameter in parameters]
        if len(names) < len(shortest.get(name, [*names, ""])):
            shortest[name] = names
    return {name: names for name, names in shortest.items() if set(names) <= set(VALUES)}


def calls(test: str) -> dict[str, str]:
    """Returns a call of each function, with the expressions for a test: the name of a field of `Value`."""
    value = lambda name: getattr(VALUES[name], test)
    return {
        function: f"{function}({', '.join(map(value, names))})"
        for function, names in functions().items()
    }

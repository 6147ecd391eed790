"""One test for each file of test/sql, which DuckDB's own runners can run as they are."""

import pathlib

import pytest
import sqllogic
from repositories import ROOT

FILES = list(sqllogic.find_files(ROOT / "test" / "sql"))
# The second reader asks the same again, so that the merge gate has it read some of the files.
READ = [(file, False) for file in FILES] + [
    pytest.param(file, True, marks=pytest.mark.slow if number % 4 else ())
    for number, file in enumerate(FILES)
]


@pytest.mark.parametrize(
    ("file", "relations"),
    READ,
    ids=lambda given: (
        given.relative_to(ROOT).as_posix()
        if isinstance(given, pathlib.Path)
        else "relations" * given
    ),
)
def test_file(file, relations, extension, fixtures, tmp_path, record_property):
    try:
        # The root is the working directory, as for DuckDB's own runners.
        checks = sqllogic.run_file(
            file.relative_to(ROOT), {"redline": extension}, tmp_path, relations=relations
        )
    except sqllogic.SqlTestSkipped as skipped:
        pytest.skip(str(skipped))
    except (sqllogic.SqlTestFailure, sqllogic.SqlTestError) as wrong:
        pytest.fail(str(wrong), pytrace=False)
    record_property("checks", checks)


def test_there_are_files():
    assert FILES, "test/sql has no *.test file"

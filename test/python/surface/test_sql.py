"""One test for each file of test/sql, which DuckDB's own runners can run as they are."""

import pytest
import sqllogic
from repositories import ROOT

FILES = list(sqllogic.find_files(ROOT / "test" / "sql"))


@pytest.mark.parametrize("relations", [False, True], ids=["", "relations"])
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(ROOT).as_posix())
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

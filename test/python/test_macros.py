"""sql/macros.sql: table macros with defaults, whose arguments may be columns."""

import pathlib

import duckdb
import pytest
import repositories

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def con(con):
    con.execute((ROOT / "sql" / "macros.sql").read_text())
    return con


def test_the_rows_are_those_of_the_table_functions(con):
    repo = repositories.fixture("basic")
    macro = con.execute(f"FROM file_changes_each('before', 'after', repo := '{repo}') ORDER BY seq").fetchall()
    table = con.execute(f"FROM file_changes('before', 'after', '{repo}')").fetchall()
    assert [row[1:] for row in macro] == table
    assert [row[0] for row in macro] == list(range(1, len(table) + 1))
    for context in (0, 3, -1):
        macro = con.execute(
            f"FROM file_diff_each('hunks.txt', 'before', 'after', repo := '{repo}', context := {context}) ORDER BY seq"
        ).fetchall()
        table = con.execute(f"FROM file_diff('hunks.txt', 'before', 'after', '{repo}', context := {context})").fetchall()
        assert macro == table


def test_defaults_are_this_folder_and_three_lines(con, monkeypatch):
    monkeypatch.chdir(repositories.fixture("basic"))
    assert con.execute("SELECT count(*) > 100 FROM file_changes_each('before', 'after')").fetchone() == (True,)
    three = con.execute("FROM file_diff('hunks.txt', 'before', 'after', '.', context := 3)").fetchall()
    assert con.execute("FROM file_diff_each('hunks.txt', 'before', 'after') ORDER BY seq").fetchall() == three


def test_columns_are_arguments(con):
    repo = repositories.fixture("basic")
    rows = con.execute(f"""
        SELECT f.file_path, l.seq, l.content
        FROM (VALUES ('added.txt'), ('modified.txt')) f(file_path),
            file_diff_each(f.file_path, 'before', 'after', repo := '{repo}') l
        WHERE l.line_type = 'ADDED' ORDER BY f.file_path, l.seq""").fetchall()
    assert rows == [("added.txt", 1, "new"), ("added.txt", 2, "file"), ("modified.txt", 3, "2"), ("modified.txt", 5, "four")]
    rows = con.execute(f"""
        SELECT r.revision, count(*) FROM (VALUES ('before'), ('after')) r(revision),
            file_changes_each(r.revision, 'after', repo := '{repo}') c GROUP BY r.revision""").fetchall()
    assert len(rows) == 1 and rows[0][0] == "before" and rows[0][1] > 100


def test_the_file_can_be_read_again(con):
    con.execute((ROOT / "sql" / "macros.sql").read_text())


def test_errors_pass_through(con):
    with pytest.raises(duckdb.Error, match="not_found:"):
        con.execute("FROM file_changes_each('no-such-branch', 'HEAD')").fetchall()

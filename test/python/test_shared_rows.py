"""Rows of scalar functions that are shared out to idle threads: the same values and errors as from one thread."""

import glob
import pathlib
import threading

import duckdb
import pytest

ROWS = 3000
THREADS = 4

FUNCTIONS = {
    "unified_diff": "unified_diff(a, b, 1, 'old ' || id, 'new')",
    "diff_rows": "diff_rows(a, b)",
    "diff_stats": "diff_stats(a, b)",
    "diff_texts": "diff_texts(a, b)",
    "inline_diff": "inline_diff(a, b)",
    "apply_patch": "apply_patch(a, unified_diff(a, b))",
    "try_apply_patch": "try_apply_patch(coalesce(b, ''), unified_diff(a, b))",
    "reverse_patch": "reverse_patch(unified_diff(a, b))",
    "patch_files": "patch_files(unified_diff(a, b))",
    "patch_hunks": "patch_hunks(unified_diff(a, b))",
}


@pytest.fixture
def pairs(con):
    """Returns a connection with pairs of texts of very different lengths, some of them NULL or equal."""
    con.execute(f"""
        CREATE TABLE pairs AS
        SELECT id,
               CASE WHEN id % 97 = 0 THEN NULL ELSE string_agg('line ' || line || ' of ' || id, chr(10) ORDER BY line) END AS a,
               CASE WHEN id % 89 = 0 THEN NULL WHEN id % 83 = 0 THEN a ELSE
                   string_agg('line ' || CASE WHEN line % 20 = id % 20 THEN 'new' ELSE line::VARCHAR END || ' of ' || id,
                              chr(10) ORDER BY line) END AS b
        FROM range({ROWS}) AS ids(id), LATERAL (SELECT unnest(range(1 + (id * 7919) % 120)) AS line)
        GROUP BY id ORDER BY id""")
    return con


def on(connection: duckdb.DuckDBPyConnection, threads: int, query: str) -> list[tuple]:
    connection.execute(f"SET threads = {threads}")
    return connection.execute(query).fetchall()


def names_of_threads() -> list[str]:
    """Returns the names of this process's threads; one that ends meanwhile has none."""
    names = []
    for path in glob.glob("/proc/self/task/*/comm"):
        try:
            names.append(pathlib.Path(path).read_text().strip())
        except OSError:
            pass
    return names


@pytest.mark.parametrize("call", FUNCTIONS.values(), ids=FUNCTIONS)
def test_several_threads_give_the_values_of_one_in_its_order(pairs, call):
    query = f"SELECT id, {call} FROM pairs"
    assert on(pairs, THREADS, query) == on(pairs, 1, query)


@pytest.mark.parametrize("wrong", [(1000, 1001, 2900), (2999,), (700, 2047, 2048)], ids=str)
def test_the_error_is_that_of_the_first_row_that_has_one(pairs, wrong):
    patch = f"CASE WHEN id IN {wrong + (-1,)} THEN '--- a\n+++ b\n@@ -1 +1 @@\n-wrong ' || id || '\n+x\n' ELSE unified_diff(a, b) END"
    query = f"SELECT apply_patch(a, {patch}) FROM pairs WHERE a IS NOT NULL"
    messages = set()
    for threads in (1, *[THREADS] * 10):
        with pytest.raises(duckdb.Error) as raised:
            on(pairs, threads, query)
        messages.add(str(raised.value))
    (message,) = messages
    assert "the patch does not apply" in message


@pytest.mark.skipif(not pathlib.Path("/proc/self/task").is_dir(), reason="the names of threads are read from /proc")
@pytest.mark.parametrize(("threads", "helps"), [(1, False), (2, True)])
def test_threads_help_where_the_host_has_idle_ones_and_end_with_the_query(pairs, threads, helps):
    pairs.execute(f"SET threads = {threads}")
    work = pairs.cursor()
    query = "SELECT sum(len(unified_diff(a || n, b || n))) FROM pairs, range(10) AS times(n)"
    seen, running = set(), threading.Thread(target=lambda: work.execute(query).fetchall())
    running.start()
    while running.is_alive():
        seen.update(names_of_threads())
    running.join()
    assert ("redline rows" in seen) == helps, seen
    assert "redline rows" not in names_of_threads()


def test_a_deadline_ends_the_rows_of_all_threads(pairs):
    pairs.execute(f"SET threads = {THREADS}; SET redline_max_seconds = 1")
    with pytest.raises(duckdb.Error, match="timeout: the query took longer than the 1 seconds"):
        pairs.execute("SELECT sum(len(unified_diff(a || n, b || n))) FROM pairs, range(100000) AS times(n)").fetchall()

"""Rows of scalar functions that are shared out to idle threads: the same values and errors as from one thread."""

import pathlib
import re

import duckdb
import process_threads
import pytest
import reading_calls
import repositories
import text_calls
import written_repositories

pytestmark = pytest.mark.own_database

# More than a chunk of DuckDB's, which has 2048.
ROWS = 2100
THREADS = 4

FUNCTIONS = text_calls.calls("shared") | {
    "unified_diff": "unified_diff(a, b, 1, 'old ' || id, 'new')",
    "try_apply_patch": "try_apply_patch(coalesce(b, ''), unified_diff(a, b))",
    "merge_texts": "merge_texts(a, b, a || 'x', {'style': 'diff3'})",
}
# Their rows take seconds.
SLOW = ("inline_diff", "approval_pages", "approval_pieces", "visible_pieces")


@pytest.fixture(scope="module")
def written_pairs(tmp_path_factory) -> pathlib.Path:
    """Returns a file with pairs of texts of very different lengths, some of them NULL or equal."""
    path = tmp_path_factory.mktemp("pairs") / "pairs.db"
    with duckdb.connect(path) as made:
        made.execute(f"""
        CREATE TABLE pairs AS
        SELECT id,
               CASE WHEN id % 97 = 0 THEN NULL ELSE string_agg('line ' || line || ' of ' || id, chr(10) ORDER BY line) END AS a,
               CASE WHEN id % 89 = 0 THEN NULL WHEN id % 83 = 0 THEN a ELSE
                   string_agg('line ' || CASE WHEN line % 20 = id % 20 THEN 'new' ELSE line::VARCHAR END || ' of ' || id,
                              chr(10) ORDER BY line) END AS b
        FROM range({ROWS}) AS ids(id), LATERAL (SELECT unnest(range(1 + (id * 7919) % 40)) AS line)
        GROUP BY id ORDER BY id""")
    return path


@pytest.fixture
def pairs(con, written_pairs):
    con.execute(f"ATTACH '{written_pairs}' AS written (READ_ONLY)")
    return con.execute("CREATE TABLE pairs AS FROM written.pairs")


def on(connection: duckdb.DuckDBPyConnection, threads: int, query: str) -> list[tuple]:
    return process_threads.let_work(connection, threads).execute(query).fetchall()


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(call, id=name, marks=pytest.mark.slow if name in SLOW else ())
        for name, call in FUNCTIONS.items()
    ],
)
def test_several_threads_give_the_values_of_one_in_its_order(pairs, call):
    query = f"SELECT id, {call} FROM pairs"
    assert on(pairs, THREADS, query) == on(pairs, 1, query)


@pytest.mark.parametrize("wrong", [(1000, 1001, 2090), (2099,), (700, 2047, 2048)], ids=str)
def test_the_error_is_that_of_the_first_row_that_has_one(pairs, wrong):
    patch = f"CASE WHEN id IN {wrong + (-1,)} THEN '--- a\n+++ b\n@@ -1 +1 @@\n-wrong ' || id || '\n+x\n' ELSE unified_diff(a, b) END"
    query = f"SELECT apply_patch(a, {patch}) FROM pairs WHERE a IS NOT NULL"
    messages = set()
    for threads in (1, *[THREADS] * 5):
        with pytest.raises(duckdb.Error) as raised:
            on(pairs, threads, query)
        messages.add(str(raised.value))
    (message,) = messages
    assert "the patch does not apply" in message


@pytest.mark.skipif(
    not pathlib.Path("/proc/self/task").is_dir(), reason="the names of threads are read from /proc"
)
@pytest.mark.parametrize(("threads", "helps"), [(1, False), (2, True)])
def test_threads_help_where_the_host_has_idle_ones_and_end_with_the_query(pairs, threads, helps):
    process_threads.let_work(pairs, threads)
    work = pairs.cursor()
    query = "SELECT sum(len(unified_diff(a || n, b || n))) FROM pairs, range(10) AS times(n)"
    seen = process_threads.named_during(lambda: work.execute(query).fetchall())
    assert ("redline rows" in seen) == helps, seen
    process_threads.assert_none_named("redline rows")


def test_a_deadline_ends_the_rows_of_all_threads(pairs):
    process_threads.let_work(pairs, THREADS).execute("SET redline_max_seconds = 1")
    with pytest.raises(duckdb.Error, match="timeout: the query took longer than the 1 seconds"):
        pairs.execute(
            "SELECT sum(len(unified_diff(a || n, b || n))) FROM pairs, range(100000) AS times(n)"
        ).fetchall()


# Scalars of a repository, whose rows name two of them in turns; some have options, which are columns too.
ASKED_COLUMNS = {"old": "a", "new": "b", "file": "file", "repo": "repo"}
OVER_REPOSITORIES = {
    name: reading_calls.filled(found[0], **ASKED_COLUMNS)
    for name in reading_calls.FUNCTIONS
    if (call := reading_calls.CALLS[name])
    and "FROM" not in call
    and (found := re.search(rf"\b{name}\([^()]*\)", call))
} | {
    # Without a second side it would read the work tree, and the repositories are bare.
    "diff_html": "diff_html(a, coalesce(b, a), repo)",
    "diff_lines_list": "diff_lines_list(a, b, repo, {'context': id % 4})",
    "file_bytes": "file_bytes(file, b, repo)",
    "file_changes_list": "file_changes_list(a, b, repo, {'renames': id % 3 = 0})",
    "file_status_list": "file_status_list(checked_out)",
    "merge_bases": "merge_bases([a, coalesce(b, a)], repo, id % 2 = 0)",
    "tree_blame_list": "tree_blame_list(b, repo, {'paths': file})",
}

COMMITS = 12
ASKED = 40


@pytest.fixture(scope="module")
def places(tmp_path_factory) -> pathlib.Path:
    """Returns a directory with two bare repositories whose commits change three files each, and a work tree of the first."""
    root = tmp_path_factory.mktemp("places")
    for name in ("one", "two"):
        written_repositories.write(
            root / f"{name}.git",
            (
                {
                    f"directory/file {number}.txt": "".join(
                        f"line {line} of {name}{' at ' + str(commit) if (line + commit) % 9 == number else ''}\n"
                        for line in range(20 + 30 * number)
                    ).encode()
                    for number in range(3)
                }
                for commit in range(COMMITS)
            ),
        )
    repositories.git(root, "clone", "--quiet", root / "one.git", root / "checked out")
    (root / "checked out/directory/file 1.txt").write_text("changed\n")
    return root


@pytest.fixture
def asked(con, places):
    """Returns a connection with rows that name a repository, two revisions and a file of it, some of them NULL."""
    con.execute(f"""
        CREATE TABLE asked AS
        SELECT id,
               '{places}/' || CASE WHEN id % 2 = 0 THEN 'one.git' ELSE 'two.git' END AS repo,
               '{places}/checked out' AS checked_out,
               'main~' || (1 + id * 7 % {COMMITS - 1}) AS a,
               CASE WHEN id % 13 = 5 THEN NULL ELSE 'main~' || (id * 7 % {COMMITS - 1}) END AS b,
               'directory/file ' || (id % 3) || '.txt' AS file
        FROM range({ASKED}) AS ids(id) ORDER BY id""")
    return con


@pytest.mark.parametrize("call", OVER_REPOSITORIES.values(), ids=OVER_REPOSITORIES)
def test_several_threads_read_of_repositories_what_one_reads(asked, call):
    query = f"SELECT id, ({call})::VARCHAR FROM asked"
    rows = on(asked, 1, query)
    assert on(asked, THREADS, query) == rows
    assert sum(value not in (None, "", "[]") for _, value in rows) >= ASKED // 2, (
        "the rows have values"
    )


def test_every_scalar_of_a_repository_is_tried(con):
    names = con.execute(
        "SELECT name FROM redline_help(function := 'ALL') "
        "WHERE kind = 'scalar' AND list_contains(list_transform(parameters, lambda p: p.name), 'repo')"
    ).fetchall()
    # Those that write compute one row after the other, as the file tools do; data_history_sql only writes the text of a query.
    reading = {name for (name,) in names if not name.startswith("git_")} - {"data_history_sql"}
    assert reading == set(OVER_REPOSITORIES)


@pytest.mark.parametrize("wrong", [(1, 2, 39), (39,), (20, 21)], ids=str)
@pytest.mark.parametrize(
    "call",
    [
        "file_changes_list(a, rev, repo)",
        "file_content(file, rev, repo)",
        "merge_base(a, rev, repo)",
    ],
)
def test_the_error_over_repositories_is_that_of_the_first_row_that_has_one(asked, call, wrong):
    query = f"""
        SELECT {call} FROM (SELECT *, CASE WHEN id IN {wrong + (-1,)} THEN 'wrong-' || id ELSE coalesce(b, a) END AS rev FROM asked)"""
    for threads in (1, *[THREADS] * 5):
        with pytest.raises(duckdb.Error, match=f"not_found: .*wrong-{wrong[0]}\\b"):
            on(asked, threads, query)


@pytest.mark.parametrize(
    "call",
    ["file_diff_list(file, a, b, repo)", "file_bytes(file, b, repo)", "ahead_behind(a, b, repo)"],
)
def test_all_threads_read_within_what_the_host_allows(asked, places, call):
    asked.execute(
        f"SET allowed_directories = ['{places}/one.git']; SET enable_external_access = false"
    )
    allowed = f"SELECT id, {call} FROM asked WHERE repo LIKE '%one.git'"
    rows = on(asked, 1, allowed)
    assert len(rows) == ASKED // 2 and on(asked, THREADS, allowed) == rows
    others = f"SELECT {call} FROM asked WHERE id IN (0, 2, 4, 6) OR id > 10"
    for threads in (1, THREADS):
        with pytest.raises(duckdb.Error, match="fs_denied: .*two.git"):
            on(asked, threads, others)


@pytest.mark.skipif(
    not pathlib.Path("/proc/self/task").is_dir(), reason="the names of threads are read from /proc"
)
def test_threads_help_with_repositories_and_end_with_the_query(asked):
    process_threads.let_work(asked, 2)
    work = asked.cursor()
    query = "SELECT sum(len(file_diff_list(file, a, b, repo))) FROM asked, range(15)"
    seen = process_threads.named_during(lambda: work.execute(query).fetchall())
    assert "redline rows" in seen
    process_threads.assert_none_named("redline rows")


def test_a_deadline_ends_the_rows_over_repositories(asked):
    process_threads.let_work(asked, THREADS).execute("SET redline_max_seconds = 1")
    for call in ("resolve_revision(a, repo)", "file_diff_list(file, a, b, repo)"):
        with pytest.raises(duckdb.Error, match="timeout: the query took longer than the 1 seconds"):
            asked.execute(f"SELECT count({call}) FROM asked, range(100000)").fetchall()

"""How the extension behaves inside a host: loading, sharing, cancelling, running out of memory, panicking.

What could abort or hang the process runs in a child, so that either is seen as a failure of one test.
"""

import pathlib
import random
import subprocess
import sys
import textwrap
import threading
import time

import duckdb
import process_threads
import pytest
import repositories
import waiting
import written_repositories

# A cancelled query may still finish the step it is in; on a loaded machine that takes a while.
PROMPTLY = 3.0


def numbered(count: int, seed: str) -> bytes:
    rng = random.Random(seed)
    return b"".join(b"%d %s\n" % (rng.randrange(50), seed.encode()) for _ in range(count))


@pytest.fixture(scope="module")
def wide(tmp_path_factory) -> pathlib.Path:
    """Returns a repository with 4,000 files in 80 directories; its second commit changes all of them."""
    names = [f"folder{i % 80:02}/file{i:05}.txt" for i in range(4000)]
    commits = ({name: numbered(40, f"{name} {commit}") for name in names} for commit in (1, 2))
    return written_repositories.write(tmp_path_factory.mktemp("wide") / "wide.git", commits)


@pytest.fixture(scope="module")
def long(tmp_path_factory) -> pathlib.Path:
    """Returns a repository with a file of many lines, one of a few huge lines, and one of a single line of 70 MB."""
    files = {
        "lines.txt": b"".join(b"line %d\n" % i for i in range(300_000)),
        "huge-lines.txt": b"".join(b"%04d" % i * 12_500 + b"\n" for i in range(2_048)),
        "one-line.txt": b"x" * 70_000_000,
    }
    return written_repositories.write(tmp_path_factory.mktemp("long") / "long.git", [files])


def changes(repo: pathlib.Path, old: str = "HEAD~1", new: str = "HEAD") -> str:
    return f"file_changes('{old}', '{new}', '{repo}')"


def repeated(query: str, times: int) -> str:
    """Returns a query that runs another one many times over: long enough to be cancelled on any machine.

    `REPO/.` becomes another spelling of the path each time, since DuckDB runs equal parts of a query once.
    """
    parts = (query.replace("REPO/.", "REPO/." + "/." * number) for number in range(times))
    return f"SELECT sum(n) FROM ({' UNION ALL '.join(parts)})"


def child(code: str, *arguments, timeout: float = 120) -> str:
    """Runs Python code in a process of its own and returns what it printed; an abort or a hang fails the test."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired as expired:
        raise AssertionError(
            f"the process hung; it printed {expired.stdout} {expired.stderr}"
        ) from None
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


OPEN = """
import sys, duckdb
extension, *arguments = sys.argv[1:]

def connect(path=":memory:"):
    con = duckdb.connect(path, config={"allow_unsigned_extensions": True})
    con.execute(f"LOAD '{extension}'")
    con.execute("SET enable_progress_bar = false")  # what is printed is compared
    return con
"""


# ---------------------------------------------------------------- loading


def test_load_twice(con, extension, wide):
    con.execute(f"LOAD '{extension}'")
    con.cursor().execute(f"LOAD '{extension}'")
    assert con.execute(f"SELECT count(*) FROM {changes(wide)}").fetchone() == (4000,)
    assert con.execute("SELECT unified_diff('a', 'a')").fetchone() == ("",)


def test_the_functions_are_there_with_their_columns(con, wide):
    described = con.execute(f"DESCRIBE SELECT * FROM {changes(wide)}").fetchall()
    assert [(name, kind) for name, kind, *_ in described] == [
        ("file_path", "VARCHAR"), ("status", "VARCHAR"), ("old_size", "BIGINT"), ("new_size", "BIGINT"),
        ("old_path", "VARCHAR"), ("similarity", "UTINYINT"), ("additions", "BIGINT"), ("deletions", "BIGINT"),
        ("is_binary", "BOOLEAN"), ("old_mode", "VARCHAR"), ("new_mode", "VARCHAR"),
        ("old_oid", "VARCHAR"), ("new_oid", "VARCHAR"),
    ]  # fmt: skip
    described = con.execute(
        f"DESCRIBE SELECT * FROM file_diff('x', 'HEAD~1', 'HEAD', '{wide}')"
    ).fetchall()
    assert [(name, kind) for name, kind, *_ in described] == [
        ("seq", "BIGINT"), ("line_type", "VARCHAR"), ("content", "VARCHAR"),
        ("old_line", "BIGINT"), ("new_line", "BIGINT"), ("hunk", "BIGINT"),
    ]  # fmt: skip


def test_two_databases_in_one_process(connect, wide, tmp_path):
    first, second = connect(), connect(tmp_path / "second.db")
    for _ in range(2):
        for con in (first, second):
            assert con.execute(f"SELECT count(*) FROM {changes(wide)}").fetchone() == (4000,)
    first.close()
    assert second.execute(f"SELECT count(*) FROM {changes(wide)}").fetchone() == (4000,)
    third = connect()
    assert third.execute("SELECT unified_diff('a', 'a')").fetchone() == ("",)


def test_a_database_without_load_has_nothing(connect):
    connect()
    with pytest.raises(duckdb.CatalogException):
        connect(load=False).execute("SELECT unified_diff('a', 'b')")


def test_databases_that_load_at_the_same_time(extension):
    failures = []

    def one():
        try:
            with duckdb.connect(config={"allow_unsigned_extensions": True}) as con:
                con.execute(f"LOAD '{extension}'")
                assert con.execute("SELECT unified_diff('a', 'a')").fetchone() == ("",)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_database_file_closed_and_opened_again(extension, wide, tmp_path):
    printed = child(
        OPEN
        + """
import subprocess
path, repo = arguments
for turn in range(3):
    con = connect(path)
    con.execute(f"CREATE OR REPLACE TABLE t AS SELECT * FROM file_changes('HEAD~1', 'HEAD', '{repo}')")
    cursor = con.cursor()
    cursor.execute(f"SELECT * FROM file_changes('HEAD~1', 'HEAD', '{repo}')").fetchone()
    cursor.close()
    con.close()
# Another process can take the file while this one lives: nothing of ours holds its lock.
other = "import sys, duckdb; print(duckdb.connect(sys.argv[1]).execute('SELECT count(*) FROM t').fetchone()[0])"
subprocess.run([sys.executable, "-c", other, path], check=True)
con = connect(path)
print(con.execute("SELECT count(*) FROM t").fetchone()[0])
""",
        extension, tmp_path / "file.db", wide,
        timeout=60,
    )  # fmt: skip
    assert printed.split() == ["4000", "4000"]


# ---------------------------------------------------------------- several at once


def test_several_connections_at_once(con, wide):
    query = f"SELECT count(*), sum(additions), sum(deletions), min(file_path), max(new_oid) FROM {changes(wide)}"
    expected = con.execute(query).fetchone()
    assert expected[0] == 4000
    failures = []

    def one(cursor):
        try:
            for _ in range(2):
                assert cursor.execute(query).fetchone() == expected
                assert cursor.execute("SELECT unified_diff('a', 'b') LIKE '%-a%'").fetchone() == (
                    True,
                )
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=one, args=(con.cursor(),)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_scans_side_by_side_in_one_query(con, wide):
    both = con.execute(
        f"SELECT count(*) FROM {changes(wide)} a JOIN {changes(wide)} b USING (file_path, additions, new_oid)"
    ).fetchone()
    assert both == (4000,)


def test_two_databases_whose_settings_differ(connect, wide, tmp_path):
    query = f"SELECT count(*) FROM {changes(wide)}"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    everything, nothing, this, other = connect(), connect(), connect(), connect()
    nothing.execute("SET enable_external_access = false")
    this.execute(f"SET allowed_directories = ['{wide.parent}']")
    this.execute("SET enable_external_access = false")
    other.execute(f"SET allowed_directories = ['{elsewhere}']")
    other.execute("SET enable_external_access = false")
    # In turns: what one database answered must not become the answer of another.
    for _ in range(2):
        assert everything.execute(query).fetchone() == (4000,)
        for con in (nothing, other):
            with pytest.raises(duckdb.Error, match="fs_denied:"):
                con.execute(query).fetchone()
        assert this.execute(query).fetchone() == (4000,)
    with pytest.raises(duckdb.Error, match="fs_denied:"):
        nothing.execute(f"SELECT file_changes_list('HEAD~1', 'HEAD', '{wide}')").fetchone()
    # Text functions read nothing, so nothing is denied.
    assert nothing.execute("SELECT unified_diff('a', 'a')").fetchone() == ("",)


# ---------------------------------------------------------------- stopping early

LONG_QUERIES = {
    "file_changes": repeated(
        "SELECT sum(additions) AS n FROM file_changes('HEAD~1', 'HEAD', 'REPO/.')", 200
    ).replace("REPO", "WIDE"),
    "file_changes, names only": repeated(
        "SELECT count(*) AS n FROM file_changes('HEAD~1', 'HEAD', 'REPO/.')", 1000
    ).replace("REPO", "WIDE"),
    "file_diff": repeated(
        "SELECT count(*) AS n FROM file_diff('lines.txt', 'EMPTY', 'HEAD', 'REPO/.')", 200
    ).replace("REPO", "LONG"),
    "unified_diff": """
        SELECT sum(length(unified_diff(repeat('a' || i || chr(10), 100), repeat('b' || i || chr(10), 100))))
        FROM range(50000000) t(i)""",
}


@pytest.mark.parametrize("query", LONG_QUERIES.values(), ids=LONG_QUERIES.keys())
def test_a_cancelled_query(con, wide, long, query):
    con.execute(f"SELECT count(*) FROM {changes(wide)}").fetchall()
    before = process_threads.count()
    asked = []

    def interrupt():
        waiting.until_worked(0.5)
        asked.append(time.process_time())
        con.interrupt()

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(duckdb.InterruptException):
            con.execute(query.replace("WIDE", str(wide)).replace("LONG", str(long))).fetchall()
        took = time.process_time() - asked[0]
    finally:
        thread.join()
    assert took < PROMPTLY, f"it took {took:.1f} s of processor time to stop"
    process_threads.assert_ended(before)
    assert con.execute(f"SELECT count(*) FROM {changes(wide)}").fetchone() == (4000,)


def test_limit_1(con, wide, long):
    con.execute(f"SELECT count(*) FROM {changes(wide)}").fetchall()
    before = process_threads.count()
    for _ in range(5):
        row = con.execute(f"SELECT file_path, additions FROM {changes(wide)} LIMIT 1").fetchall()
        assert row[0][0] == "folder00/file00000.txt"
        row = con.execute(
            f"SELECT * FROM file_diff('lines.txt', 'EMPTY', 'HEAD', '{long}') LIMIT 1"
        ).fetchall()
        assert row == [(1, "ADDED", "line 0", None, 1, 1)]
    process_threads.assert_ended(before)


def test_a_result_left_half_read(connect, wide, long):
    con = connect()
    con.execute(f"SELECT count(*) FROM {changes(wide)}").fetchall()
    before = process_threads.count()
    for _ in range(3):
        con.execute(f"SELECT * FROM {changes(wide)}")
        assert con.fetchone()[0] == "folder00/file00000.txt"
        con.execute(f"SELECT content FROM file_diff('lines.txt', 'EMPTY', 'HEAD', '{long}')")
        assert con.fetchone() == ("line 0",)
        # The next statement drops the scan that was under way.
        assert con.execute("SELECT 42").fetchone() == (42,)
    cursor = con.cursor()
    cursor.execute(f"SELECT * FROM {changes(wide)}").fetchone()
    cursor.close()
    process_threads.assert_ended(before)
    con.execute(f"SELECT * FROM {changes(wide)}").fetchone()
    con.close()


def test_a_connection_closed_in_the_middle_of_a_scan_ends_the_process_cleanly(extension, wide):
    child(
        OPEN
        + """
con = connect()
con.execute(f"SELECT * FROM file_changes('HEAD~1', 'HEAD', '{arguments[0]}')").fetchone()
print("left open on purpose")
""",
        extension, wide,
        timeout=60,
    )  # fmt: skip


# ---------------------------------------------------------------- prepared statements


def test_a_prepared_statement_sees_a_branch_that_has_moved(con, tmp_path):
    repo = written_repositories.write(tmp_path / "moving.git", [{"a": b"1\n"}, {"b": b"2\n"}])
    con.execute(f"PREPARE p AS SELECT file_path FROM file_changes('HEAD~1', 'main', '{repo}')")
    con.execute(f"CREATE VIEW v AS SELECT file_path FROM file_changes('HEAD~1', 'main', '{repo}')")
    assert con.execute("EXECUTE p").fetchall() == [("b",)]
    written_repositories.write(repo, [{"a": b"1\n"}, {"b": b"2\n"}, {"c": b"3\n", "d": b"4\n"}])
    assert con.execute("EXECUTE p").fetchall() == [("c",), ("d",)]
    assert con.execute("FROM v").fetchall() == [("c",), ("d",)]


def test_parameters_of_a_prepared_statement(con, wide):
    con.execute("PREPARE p AS SELECT count(*) FROM file_changes(?, ?, ?)")
    assert con.execute(f"EXECUTE p('HEAD~1', 'HEAD', '{wide}')").fetchone() == (4000,)
    assert con.execute(f"EXECUTE p('HEAD', 'HEAD', '{wide}')").fetchone() == (0,)
    with pytest.raises(duckdb.Error, match="invalid_args:"):
        con.execute(f"EXECUTE p(NULL, 'HEAD', '{wide}')").fetchone()
    # In Python the same, with the driver's own parameters.
    row = con.execute(
        "SELECT count(*) FROM file_changes(?, ?, ?)", ["EMPTY", "HEAD", str(wide)]
    ).fetchone()
    assert row == (4000,)


@pytest.mark.own_database
def test_settings_are_read_when_a_statement_runs(con, wide):
    con.execute(f"PREPARE p AS SELECT count(*) FROM {changes(wide)}")
    con.execute("SET enable_external_access = false")
    with pytest.raises(duckdb.Error, match="fs_denied:"):
        con.execute("EXECUTE p").fetchone()


# ---------------------------------------------------------------- running out of memory

MEMORY = (
    OPEN
    + """
query, again = arguments
con = connect()
con.execute("SET threads = 1")
con.execute("SET temp_directory = ''")
con.execute("SET memory_limit = '60MB'")
for _ in range(2):
    try:
        con.execute(query).fetchall()
    except duckdb.OutOfMemoryException as error:
        assert str(error).startswith("Out of Memory Error"), error
        print("out of memory")
    assert con.execute("SELECT 42").fetchone() == (42,)
    assert con.execute("SELECT unified_diff('a', 'a')").fetchone() == ("",)
con.execute("SET memory_limit = '4GB'")
print(con.execute(again).fetchone()[0])
"""
)


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("SELECT content FROM file_diff('one-line.txt', 'EMPTY', 'HEAD', '{repo}')", "70000000"),
        # Twice the label: more than its argument, so that it is our own result that does not fit.
        (
            "SELECT unified_diff('a', 'b', 3, l, l) FROM (SELECT repeat('x', 35000000) AS l)",
            "70000084",
        ),
    ],
    ids=["file_diff", "unified_diff"],
)
def test_memory_limit_with_more_text_than_fits(extension, long, query, answer):
    query = query.replace("{repo}", str(long))
    printed = child(
        MEMORY, extension, query, f"SELECT length(#1) FROM ({query})", timeout=240
    ).split()
    assert printed == ["out", "of", "memory"] * 2 + [answer]


def test_memory_limit_while_rows_are_collected(extension, long):
    query = f"CREATE OR REPLACE TEMP TABLE t AS SELECT content FROM file_diff('huge-lines.txt', 'EMPTY', 'HEAD', '{long}')"
    again = (
        f"SELECT sum(length(content)) FROM file_diff('huge-lines.txt', 'EMPTY', 'HEAD', '{long}')"
    )
    printed = child(MEMORY, extension, query, again, timeout=240).split()
    assert printed == ["out", "of", "memory"] * 2 + [str(2048 * 50_000)]


def test_memory_limit_does_not_limit_a_scan_that_streams(extension, long):
    """Chunks are bounded in bytes: 100 MB of text pass through 60 MB when nothing keeps them."""
    printed = child(
        OPEN
        + """
con = connect()
con.execute("SET memory_limit = '60MB'")
print(con.execute(f"SELECT sum(length(content)) FROM file_diff('huge-lines.txt', 'EMPTY', 'HEAD', '{arguments[0]}')").fetchone()[0])
""",
        extension, long,
    )  # fmt: skip
    assert printed.split() == [str(2048 * 50_000)]


# ---------------------------------------------------------------- panics

PANICS = {
    "scalar": "SELECT redline_debug_panic('x')",
    "scalar over rows": "SELECT redline_debug_panic('x' || i) FROM range(5000) t(i)",
    "bind": "SELECT * FROM redline_debug_panic_scan('bind')",
    "open": "SELECT * FROM redline_debug_panic_scan('open')",
    "scan": "SELECT * FROM redline_debug_panic_scan('scan')",
}


@pytest.fixture(scope="module")
def panics(extension):
    """Skips where the build has no function that panics: they are in builds with debug assertions only."""
    with duckdb.connect(config={"allow_unsigned_extensions": True}) as con:
        con.execute(f"LOAD '{extension}'")
        names = con.execute(
            "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_name LIKE 'redline_debug_panic%'"
        ).fetchall()
    if not names:
        pytest.skip("a release build: no function panics on purpose")
    assert sorted(names) == [("redline_debug_panic",), ("redline_debug_panic_scan",)]


# Promise (survival): No panic reaches DuckDB; after any error the connection works, as every
# attack asks again after each error.
@pytest.mark.parametrize("query", PANICS.values(), ids=PANICS.keys())
def test_a_panic_is_an_error_and_the_connection_lives(extension, panics, query):
    printed = child(
        OPEN
        + """
con = connect()
cursor = con.cursor()
for _ in range(2):
    try:
        con.execute(arguments[0]).fetchall()
        print("no error")
    except duckdb.Error as error:
        print("tool_failed:" in str(error) and "INTERNAL" not in str(error), error)
    for each in (con, cursor):
        assert each.execute("SELECT unified_diff('a', 'a')").fetchone() == ("",)
        assert each.execute("SELECT count(*) FROM file_changes('EMPTY', 'EMPTY', '.')").fetchone() == (0,)
""",
        extension, query,
    )  # fmt: skip
    lines = [
        line for line in printed.splitlines() if line.startswith(("True", "False", "no error"))
    ]
    assert [line.split()[0] for line in lines] == ["True", "True"], printed


def test_a_panic_in_a_destructor_is_contained(extension, panics):
    printed = child(
        OPEN
        + """
con = connect()
for _ in range(3):
    con.execute("SELECT * FROM redline_debug_panic_scan('drop')").fetchall()
    con.execute("SELECT * FROM redline_debug_panic_scan('drop') LIMIT 1").fetchall()
    assert con.execute("SELECT unified_diff('a', 'a')").fetchone() == ("",)
print("alive")
""",
        extension,
    )  # fmt: skip
    assert printed.split() == ["alive"]


def test_a_scan_is_opened_by_the_thread_that_reads_it(extension, panics):
    """Another one would do the work while the one that asked looks for a task in a loop."""
    printed = child(
        OPEN
        + """
con = connect()
for _ in range(500):
    assert con.execute("SELECT * FROM redline_debug_panic_scan('nowhere')").fetchall() == [("nowhere",)]
print("alive")
""",
        extension,
    )  # fmt: skip
    assert printed.split() == ["alive"]


def test_a_panic_does_not_poison_another_database(extension, panics):
    printed = child(
        OPEN
        + """
first, second = connect(), connect()
for query in ("SELECT redline_debug_panic('x')", "SELECT * FROM redline_debug_panic_scan('scan')"):
    try:
        first.execute(query).fetchall()
    except duckdb.Error:
        pass
first.close()
assert second.execute("SELECT count(*) FROM file_changes('EMPTY', 'EMPTY', '.')").fetchone() == (0,)
assert connect().execute("SELECT unified_diff('a', 'a')").fetchone() == ("",)
print("alive")
""",
        extension,
    )  # fmt: skip
    assert printed.split() == ["alive"]


# ---------------------------------------------------------------- laziness


def remove_objects(repo: pathlib.Path, kind: str, path: str | None = None) -> None:
    """Removes loose objects of a repository: all of a kind, or the one that HEAD has at a path."""
    if path is not None:
        doomed = [repositories.git_text(repo, "rev-parse", f"HEAD:{path}")]
    else:
        listed = repositories.git_text(repo, "cat-file", "--batch-check", "--batch-all-objects")
        doomed = [line.split()[0] for line in listed.splitlines() if line.split()[1] == kind]
    for oid in doomed:
        (repo / "objects" / oid[:2] / oid[2:]).unlink()


@pytest.fixture
def loose(tmp_path) -> pathlib.Path:
    """Returns a repository with two directories, in which one file changes; so small an import leaves loose objects."""
    first = {
        f"{folder}/{name}": f"{folder} {name}\n".encode()
        for folder in ("kept", "changed")
        for name in "abc"
    }
    return written_repositories.write(tmp_path / "loose.git", [first, {"changed/b": b"other\n"}])


def test_names_and_statuses_read_no_blob(con, loose):
    remove_objects(loose, "blob")
    row = [("changed/b", "modified")]
    assert con.execute(f"SELECT file_path, status FROM {changes(loose)}").fetchall() == row
    assert con.execute(f"SELECT count(*) FROM {changes(loose)}").fetchone() == (1,)
    assert con.execute(
        f"SELECT count(old_oid), min(old_mode) FROM {changes(loose)}"
    ).fetchone() == (1, "100644")
    for column in ("new_size", "additions", "is_binary"):
        with pytest.raises(duckdb.Error, match="tool_failed:|not_found:"):
            con.execute(f"SELECT {column} FROM {changes(loose)}").fetchall()


def test_identical_subtrees_are_never_opened(con, loose):
    remove_objects(loose, "tree", "kept")
    assert con.execute(
        f"SELECT file_path, additions, deletions FROM {changes(loose)}"
    ).fetchall() == [("changed/b", 1, 1)]
    with pytest.raises(duckdb.Error, match="tool_failed:|not_found:"):
        con.execute(f"SELECT file_path FROM {changes(loose, 'EMPTY')}").fetchall()

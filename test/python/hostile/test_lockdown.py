"""A locked host: DuckDB's own locks and sql/lockdown.sql, tried with every function of the extension."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import duckdb
import pytest
import reading_calls
import repositories
import text_calls
from answers import answer, assert_refused
from lockdown import (
    FILE_CALLS,
    JOURNAL_CALLS,
    PURE_CALLS,
    READING_CALLS,
    REPOSITORY_CALLS,
    TOOL_CALLS,
    WAITING_CALLS,
    WRITE_CALLS,
    lockdown_script,
)

ROOT = repositories.ROOT
SECRET = "SECRET"


def functions(con) -> set[str]:
    return {
        name
        for (name,) in con.execute(
            "SELECT DISTINCT function_name FROM duckdb_functions()"
        ).fetchall()
    }


def settings(con) -> list[str]:
    return [
        name
        for (name,) in con.execute(
            "SELECT name FROM duckdb_settings() WHERE name LIKE 'redline%'"
        ).fetchall()
    ]


# Promise (sandbox): Every function is tried outside under DuckDB's locks and under the lockdown;
# a new function fails the test until it is. With `test_nothing_passes_by_duckdb_s_locks`,
# `test_the_lockdown_leaves_no_way_out`.
def test_every_function_is_tried_under_the_locks(connect):
    ours = functions(connect()) - functions(connect(load=False))
    ours = {name for name in ours if not name.startswith("redline_debug")}
    assert ours == set(FILE_CALLS) | set(REPOSITORY_CALLS) | set(WRITE_CALLS) | set(
        WAITING_CALLS
    ) | set(JOURNAL_CALLS) | set(TOOL_CALLS) | set(PURE_CALLS)


def test_a_scalar_of_its_arguments_alone_is_called_by_its_parameters(con):
    found = con.execute(
        "SELECT name FROM redline_help(function := 'ALL') WHERE kind = 'scalar'"
    ).fetchall()
    pure = {name for (name,) in found} & set(PURE_CALLS)
    # Neither has rows of texts: one names a script, the other a repository that it does not read.
    assert pure - {"redline_sql", "data_history_sql"} == set(text_calls.functions())


def test_a_function_that_reads_a_repository_is_among_the_calls_of_attacks(con):
    takes = con.execute(
        "SELECT name FROM redline_help(function := 'ALL') WHERE list_contains(list_transform(parameters, lambda p: p.name), 'repo')"
    ).fetchall()
    reads = {name for (name,) in takes} - set(WRITE_CALLS) - set(PURE_CALLS)
    assert reads == set(reading_calls.FUNCTIONS)


def test_a_tool_that_reads_a_repository_is_among_the_calls_of_attacks(con):
    tools = con.execute(
        "SELECT name, input_schema FROM redline_tools() WHERE (annotations ->> 'readOnlyHint')::BOOLEAN"
    ).fetchall()
    takes = {name for name, schema in tools if "repo" in json.loads(schema)["properties"]}
    calls = reading_calls.CALLS.values()
    called = [re.findall(r" redline_call(?:_text)?\('(\w+)'", call) for call in calls]
    assert takes == set(sum(called, []))


def place(call: str, repo: pathlib.Path | str) -> str:
    """Returns a call on a repository of the fixtures and on files in it."""
    tracked = "secret.txt" if "outside/" in str(repo) or "-link" in str(repo) else "a.txt"
    return call.format(repo=repo, file=f"{repo}/a.txt", tracked=tracked)


def made_world(folder: pathlib.Path) -> pathlib.Path:
    shutil.copytree(repositories.fixture("sandbox"), folder / "world", symlinks=True)
    for name, text in (
        ("inside/plain", "inside"),
        ("outside/secret", SECRET),
        ("inside_evil/plain", SECRET),
    ):
        (folder / "world" / name / "a.txt").write_text(f"{text}\n")
    # The file that this repository tracks is not checked out in the fixture.
    (folder / "world/outside/secret/secret.txt").write_text(f"{SECRET}\n")
    return folder / "world"


@pytest.fixture
def world(tmp_path) -> pathlib.Path:
    """Returns a copy of the fixtures: an allowed directory, repositories in it and beside it."""
    return made_world(tmp_path)


@pytest.fixture(scope="module")
def untouched(tmp_path_factory) -> tuple[pathlib.Path, dict[str, bytes]]:
    """Returns such a copy that no test changes, and what its files hold."""
    world = made_world(tmp_path_factory.mktemp("untouched"))
    return world, held(world)


@pytest.fixture
def inside(world) -> pathlib.Path:
    return world / "inside" / "plain"


@pytest.fixture
def outside(world) -> list[pathlib.Path | str]:
    """Returns what must not be read: other directories, as given and by ways that lead there from inside."""
    inside = world / "inside"
    secret = world / "outside" / "secret"
    return [
        secret,
        f"{inside}/../outside/secret",
        inside / "repository-link",
        world / "inside_evil" / "plain",
        world / "missing",
        "/",
        ".",
    ]


def lock(con):
    con.execute("SET enable_external_access = false")
    con.execute("SET lock_configuration = true")
    return con


def assert_settings_are_locked(con):
    assert len(settings(con)) >= 10
    for name in settings(con):
        for change in (f"SET {name} = NULL", f"SET GLOBAL {name} = NULL", f"SET SESSION {name} = NULL", f"RESET {name}", f"RESET GLOBAL {name}", f"RESET SESSION {name}", f"PRAGMA {name} = NULL"):  # fmt: skip
            with pytest.raises(duckdb.Error, match="lock"):
                con.execute(change)


def assert_only_inside_is_read(con, inside: str | pathlib.Path, outside: list, step: int = 1):
    """Tries every call inside, and outside at each place, or at each `step`-th one, which is another one for each call."""
    for number, call in enumerate(READING_CALLS):
        got = answer(con, place(call, inside))
        assert got.error is None, got.error
        for repo in outside[number % step :: step]:
            got = answer(con, place(call, repo))
            assert_refused(got, "fs_denied")
            assert SECRET not in got.error
    for number, (call, fine) in enumerate(TOOL_CALLS.values()):
        assert fine in answer(con, place(call, inside)).rows[0][0]
        for repo in outside[number % step :: step]:
            ((text,),) = answer(con, place(call, repo)).rows
            assert "fs_denied: " in text and fine not in text and SECRET not in text, text
    for call in PURE_CALLS.values():
        assert answer(con, place(call, outside[0])).error is None
    for call in JOURNAL_CALLS.values():
        got = answer(con, call)
        assert got.rows == [] or assert_refused(got, "permission_denied")
    for number, call in enumerate(WRITE_CALLS.values()):
        for repo in (inside, *outside[number % step :: step]):
            assert_refused(answer(con, place(call, repo)), "fs_denied", "permission_denied")
    for call in WAITING_CALLS.values():
        assert_refused(answer(con, place(call, inside)), "not_found", "permission_denied")
    secret = (
        pathlib.Path(outside[0] if isinstance(outside[0], pathlib.Path) else outside[2]) / "a.txt"
    )
    assert secret.read_text() != "written"


def test_every_call_reads_without_the_locks(con, inside, outside):
    """The control: what is refused below can be read."""
    for repo in (inside, *outside[:4]):
        for call in READING_CALLS:
            got = answer(con, place(call, repo))
            assert got.error is None, got.error


def test_nothing_passes_by_duckdb_s_locks(connect, inside, outside):
    con = connect(threads=1)
    con.execute(f"SET allowed_directories = ['{inside.parent}']")
    lock(con)
    for one, step in ((con, 1), (con.cursor(), len(outside))):
        assert_only_inside_is_read(one, inside, outside, step)
        assert_settings_are_locked(one)


def test_nothing_is_read_without_an_allowed_directory(connect, inside, outside):
    con = lock(connect())
    for call in READING_CALLS:
        for repo in (inside, *outside):
            assert_refused(answer(con, place(call, repo)), "fs_denied")


def lockdown(con, extension: pathlib.Path, root: pathlib.Path):
    con.execute(lockdown_script(extension, root))
    return con


def test_the_lockdown_leaves_no_way_out(connect, extension, inside, outside):
    con = lockdown(connect(load=False, threads=1), extension, inside.parent)
    places = ["workspace/repository-link", "workspace/../outside/secret", *outside]
    for one, step in ((con, 1), (con.cursor(), len(places))):
        assert_only_inside_is_read(one, f"workspace/{inside.name}", places, step)
        assert_settings_are_locked(one)


def test_the_lockdown_binds_duckdb_itself(connect, extension, inside, tmp_path):
    con = lockdown(connect(load=False), extension, inside.parent)
    for query in (
        f"SELECT * FROM read_text('{inside}/a.txt')",
        f"COPY (SELECT 1) TO '{inside}/.git/hooks/pre-commit'",
        f"COPY (SELECT 1) TO '{tmp_path}/new.csv'",
        f"ATTACH '{inside}/new.db'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "SET allowed_directories = ['/']",
        "SET disabled_filesystems = ''",
        "SET lock_configuration = false",
    ):
        assert answer(con, query).error is not None, query
    assert "disabled" in answer(con, f"LOAD '{tmp_path}/other.duckdb_extension'").error
    assert not (inside / ".git/hooks/pre-commit").exists() and not (tmp_path / "new.csv").exists()


def test_only_the_granted_tools_of_the_lockdown_are_granted(connect, extension, inside):
    con = lockdown(connect(load=False), extension, inside.parent)
    granted = con.execute("SELECT current_setting('redline_tool_grants')").fetchone()[0]
    reading = "annotations->>'$.readOnlyHint' = 'true'"
    tools = con.execute(f"SELECT name FROM redline_tools() WHERE {reading}").fetchall()
    assert sorted(granted) == sorted(name for (name,) in tools)
    sandboxes = con.execute("SELECT current_setting('redline_sandboxes')").fetchone()[0]
    assert '"mode": "ro"' in sandboxes


# One statement of every kind that DuckDB's parser knows (StatementType), and what it may do under the lockdown: those that
# are refused there, and those that pass and reach no file, no setting and no program.
REFUSED = {
    "ATTACH": "ATTACH '{folder}/new.db' AS other",
    "COPY": "COPY (SELECT 1) TO '{folder}/new.csv'",
    "COPY_FROM": "COPY t FROM '{folder}/a.txt'",
    "COPY_DATABASE": "COPY FROM DATABASE memory TO other",
    "EXPORT": "EXPORT DATABASE '{folder}/export'",
    "LOAD": "LOAD '{folder}/x.duckdb_extension'",
    "INSTALL": "INSTALL httpfs",
    "UPDATE_EXTENSIONS": "UPDATE EXTENSIONS",
    "SET": "SET threads = 1",
    "IMPORT": "IMPORT DATABASE '{folder}'",
    "CREATE_SECRET": "CREATE PERSISTENT SECRET s (TYPE http)",
    "SELECT_FILE": "SELECT * FROM '{folder}/a.csv'",
    "DETACH": "DETACH memory",
}
PASSED = {
    "SELECT": "SELECT 1",
    "CREATE": "CREATE TABLE u (i INTEGER)",
    "INSERT": "INSERT INTO t VALUES (1)",
    "UPDATE": "UPDATE t SET i = 2",
    "DELETE": "DELETE FROM t",
    "MERGE_INTO": "MERGE INTO t USING (SELECT 1 AS i) AS n USING (i) WHEN NOT MATCHED THEN INSERT",
    "ALTER": "ALTER TABLE t ADD COLUMN j INTEGER",
    "DROP": "DROP TABLE t",
    "TRANSACTION": "BEGIN",
    "PREPARE": "PREPARE p AS SELECT 1",
    "EXPLAIN": "EXPLAIN SELECT 1",
    "VACUUM": "ANALYZE",
    "CALL": "CALL range(1)",
    "SET_VARIABLE": "SET VARIABLE v = 1",
    "RELATION": "FROM range(1)",
    "MULTI": "PIVOT (SELECT 1 AS a, 'x' AS b) ON b USING sum(a)",
}


@pytest.fixture
def locked(connect, extension, untouched):
    con = connect(load=False)
    con.execute("CREATE TABLE t (i INTEGER)")
    return lockdown(con, extension, untouched[0] / "inside")


def held(folder) -> dict[str, bytes]:
    return {
        str(file): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.is_symlink()
    }


def configuration(con) -> dict[str, str]:
    return dict(
        con.execute(
            "SELECT name, value FROM duckdb_settings() WHERE name NOT LIKE '%progress%' AND name NOT LIKE '%profil%' AND name NOT LIKE 'python%'"
        ).fetchall()
    )


@pytest.mark.parametrize("kind", [*REFUSED, *PASSED])
def test_a_statement_of_every_kind_reaches_nothing_under_the_lockdown(locked, untouched, kind):
    (world, before), settings_before = untouched, configuration(locked)
    got = answer(locked, (REFUSED | PASSED)[kind].format(folder=world / "inside"))
    if kind in REFUSED:
        assert got.error is not None
    elif kind != "MERGE_INTO":
        assert got.error is None, got.error
    assert held(world) == before and configuration(locked.cursor()) == settings_before


def test_no_form_of_set_reset_or_pragma_changes_a_setting_under_the_lockdown(locked):
    ours = settings(locked)
    names = [*ours, "enable_external_access", "allowed_directories", "allowed_paths", "disabled_filesystems", "lock_configuration", "allow_unsigned_extensions", "allow_community_extensions", "autoload_known_extensions", "autoinstall_known_extensions", "extension_directory", "home_directory", "temp_directory", "secret_directory", "custom_extension_repository", "threads", "memory_limit", "enable_logging", "logging_storage", "log_query_path", "enable_profiling", "profiling_output", "max_temp_directory_size", "default_order"]  # fmt: skip
    forms = ["SET {n} = {v}", "SET GLOBAL {n} = {v}", "SET SESSION {n} = {v}", "SET {n} TO {v}", "SET {N} = {v}", 'SET "{n}" = {v}', "PRAGMA {n} = {v}", "SET LOCAL {n} = {v}", "RESET {n}", "RESET GLOBAL {n}", "RESET SESSION {n}", "RESET {N}"]  # fmt: skip
    values = ["NULL", "'x'", "1"]
    queries = {
        form.format(n=name, N=name.upper(), v=given)
        for name in names
        for form in forms
        for given in values
    }
    assert len(queries) >= 896
    before = configuration(locked)
    for one in (locked, locked.cursor()):
        for query in sorted(queries):
            assert answer(one, query).error is not None, query
        assert configuration(one) == before


def test_the_doors_that_are_open_are_named(connect, extension, inside):
    con = connect()
    doors = lambda: set(con.execute("SELECT open_doors FROM redline_capabilities()").fetchone()[0])
    before_2 = {"logging", "profiling"} if duckdb.__version__.startswith("1.") else set()
    assert doors() == {"configuration", "external_access", "no_sandboxes"} | before_2
    con = lockdown(connect(load=False), extension, inside.parent)
    assert doors() == {"readable_settings"} | before_2


def test_that_duckdb_opens_files_of_a_sandbox_itself_is_tried_and_named(connect, inside):
    con = connect()
    doors = lambda: con.execute("SELECT open_doors FROM redline_capabilities()").fetchone()[0]
    con.execute(
        "SET GLOBAL redline_sandboxes = ?", [json.dumps([{"name": "w", "root": str(inside)}])]
    )
    assert "duckdb_files" in doors()
    con.execute("SET GLOBAL allowed_directories = ?", [[str(inside)]])
    con.execute("SET GLOBAL enable_external_access = false")
    before = sorted(inside.iterdir())
    assert "duckdb_files" in doors() and sorted(inside.iterdir()) == before
    con.execute("SET GLOBAL disabled_filesystems = 'LocalFileSystem'")
    assert "duckdb_files" not in doors()


def test_a_lockdown_that_fails_half_way_says_so_at_its_end(connect, extension, inside):
    """As a script from a pipe, which goes on after an error: whatever statement fails, the last one fails too."""
    script = lockdown_script(extension, inside.parent)
    statements = [part.strip() for part in script.split(";\n") if part.strip()]
    for left_out in range(1, len(statements) - 1):
        if not any(
            name in statements[left_out]
            for name in ("redline_sandboxes", "enable_external_access", "lock_configuration")
        ):
            continue
        con = connect(load=False)
        for number, statement in enumerate(statements):
            if number != left_out:
                last = answer(con, statement)
        assert last.error is not None and "left doors open" in last.error, statements[left_out]


@pytest.mark.skipif(
    not duckdb.__version__.startswith("1.5"), reason="the real duckdb_mcp is built for DuckDB 1.5"
)
def test_duckdb_mcp_starts_no_program_after_the_lockdown(extension, world, mcp_extension, tmp_path):
    attach = f"ATTACH 'touch' AS x (TYPE mcp, TRANSPORT 'stdio', ARGS '[\"{tmp_path}/proof\"]')"
    for locks_servers in (False, True):
        con = duckdb.connect(config={"allow_unsigned_extensions": True})
        con.execute(f"LOAD '{mcp_extension}'")
        if locks_servers:
            con.execute("SET GLOBAL mcp_lock_servers = true")
        got = answer(con, lockdown_script(extension, world / "inside"))
        # Without the lock of its own, the lockdown says that it left a door open.
        assert (got.error is None) == locks_servers, got.error
        if not locks_servers:
            assert "left doors open" in got.error
            continue
        for one in (con, con.cursor()):
            assert answer(one, attach).error is not None
            assert answer(one, "SET GLOBAL mcp_lock_servers = false").error is not None
        assert not (tmp_path / "proof").exists()


@pytest.mark.skipif(
    not duckdb.__version__.startswith("1.5"), reason="the real duckdb_mcp is built for DuckDB 1.5"
)
@pytest.mark.parametrize("root", [True, False], ids=["locked", "fails half-way"])
def test_a_server_s_script_from_a_pipe_serves_only_after_the_whole_lockdown(
    extension, world, mcp_extension, tmp_path, root
):
    (tmp_path / "lockdown.sql").write_text(
        lockdown_script(extension, world / ("inside" if root else "none"))
    )
    script = (
        (ROOT / "sql/mcp_server.sql")
        .read_text()
        .replace("LOAD redline;", f"LOAD '{extension}';")
        .replace("LOAD duckdb_mcp;", f"LOAD '{mcp_extension}';")
    )
    script = script.replace(".read sql/lockdown.sql", f".read {tmp_path}/lockdown.sql")
    ask = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2024-11-05",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    }
    shell = pathlib.Path(sys.executable).parent / "duckdb"
    done = subprocess.run(
        [shell, "-unsigned"],
        input=script + json.dumps(ask) + "\n",
        capture_output=True,
        text=True,
        timeout=60,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [1] * root, (done.stdout, done.stderr)


@pytest.fixture(scope="module")
def mcp_extension():
    """Returns the built duckdb_mcp, from REDLINE_TEST_MCP; building it takes a minute and needs its source."""
    path = os.environ.get("REDLINE_TEST_MCP")
    if not path:
        pytest.skip("REDLINE_TEST_MCP names no build of duckdb_mcp")
    return pathlib.Path(path)

"""examples/motherduck.py: the query tool of mcp-server-motherduck, with redline loaded by its init SQL."""

import contextlib
import json
import pathlib
import sys

import pytest

pytest.importorskip(
    "mcp_server_motherduck",
    reason="it wants one version of DuckDB, and `make test` installs it there",
)

import anyio
import anyio.from_thread
import repositories
from lockdown import (
    FILE_CALLS,
    PURE_CALLS,
    READING_CALLS,
    REPOSITORY_CALLS,
    TOOL_CALLS,
    lockdown_script,
    staged_copy,
)
from mcp import Client, StdioServerParameters

ROOT = repositories.ROOT


@contextlib.contextmanager
def serving(folder, init: str):
    """Yields a function that sends queries to a server with an init script and returns its answers."""
    (folder / "init.sql").write_text(init)
    command = [
        str(ROOT / "examples/motherduck.py"),
        "--db-path",
        ":memory:",
        "--read-write",
        "--init-sql",
        str(folder / "init.sql"),
    ]
    server = StdioServerParameters(command=sys.executable, args=command, cwd=ROOT)

    async def asked(client, queries):
        with anyio.fail_after(180):
            assert "execute_query" in {tool.name for tool in (await client.list_tools()).tools}
            results = [await client.call_tool("execute_query", {"sql": query}) for query in queries]
            return [(result.is_error, result.content[0].text) for result in results]

    with (
        anyio.from_thread.start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(server)) as client,
    ):
        yield lambda queries: portal.call(asked, client, queries)


@pytest.fixture(scope="module")
def root(tmp_path_factory) -> pathlib.Path:
    return staged_copy(tmp_path_factory.mktemp("root"))


@pytest.fixture(scope="module")
def ask(extension, tmp_path_factory):
    with serving(tmp_path_factory.mktemp("open"), f"LOAD '{extension}'") as run:
        yield run


@pytest.fixture(scope="module")
def ask_locked(extension, root, tmp_path_factory):
    with serving(tmp_path_factory.mktemp("locked"), lockdown_script(extension, root)) as run:
        yield run


def placed(call: str, repo) -> str:
    return call.format(repo=repo, file=f"{repo}/a.txt", tracked="a.txt")


def test_every_reading_function_answers_through_the_query_tool(ask, root):
    calls = [placed(call, root / "plain") for call in [*READING_CALLS, *PURE_CALLS.values()]]
    tools = [placed(call, root / "plain") for call, _ in TOOL_CALLS.values()]
    answers = ask(calls + tools)
    for call, (is_error, text) in zip(calls + tools, answers, strict=True):
        assert not is_error and json.loads(text)["rowCount"] >= ("approvals_given" not in call), (
            call,
            text,
        )
    for (_, words), (_, text) in zip(TOOL_CALLS.values(), answers[len(calls) :], strict=True):
        assert words in json.loads(text)["rows"][0][0]


def test_error_codes_reach_the_client(ask):
    [(is_error, text)] = ask(["FROM file_changes('no-such-branch', 'HEAD', '.')"])
    assert is_error and "not_found: " in text


def test_a_tool_that_raises_is_an_error_of_the_call_and_one_that_does_not_is_a_row(
    ask_locked,
):
    call = 'SELECT system.main.redline_call_text(\'GitDiff\', \'{"from": "FROM", "repo": "workspace/plain", "max_bytes": 12000}\', \'agent\', RAISES) AS answer'
    asked = [
        call.replace("FROM", rev, 1).replace("RAISES", raises)
        for rev in ("HEAD", "nowhere")
        for raises in ("true", "false")
    ]
    answers = ask_locked(asked)
    assert [is_error for is_error, _ in answers] == [False, False, True, False], answers
    assert "Invalid Input Error: not_found: " in answers[2][1] and json.loads(answers[3][1])[
        "rows"
    ][0][0].startswith("not_found: ")


def test_the_lockdown_holds_for_the_query_tool(ask_locked, extension, root):
    outside = root.parent / "secret.txt"
    inside, shut = (
        [
            placed(call, "workspace/plain")
            for call in FILE_CALLS["read_file"] + REPOSITORY_CALLS["file_diff"]
        ],
        [
            f"SELECT read_file('{outside}')",
            "SELECT read_file('workspace/../secret.txt')",
            "SELECT write_file('workspace/new.txt', 'x')",
            f"FROM read_text('{outside}')",
            f"COPY (SELECT 1) TO '{root}/new.csv'",
            "SET redline_tool_grants = ['*']",
            f"LOAD '{extension.parent}/other.duckdb_extension'",
        ],
    )
    answers = ask_locked(inside + shut)
    for query, (is_error, text) in zip(inside + shut, answers, strict=True):
        assert is_error == (query in shut) and "SECRET" not in text, (query, text)
    assert not (root / "new.txt").exists() and not (root / "new.csv").exists()

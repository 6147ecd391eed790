"""The real extension duckdb_mcp beside redline, in the command line tool of DuckDB 1.5: sql/mcp_server.sql over stdio and
sql/mcp_http.sql over HTTP. REDLINE_TEST_MCP names its build; `.ci/night` makes one where the source is at hand."""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request

import pytest
import waiting
from lockdown import READING_TOOLS
from repositories import ROOT

SHELL = pathlib.Path(sys.executable).parent / "duckdb"
KEY, TOKEN = "k" * 40, "t" * 40

pytestmark = [
    pytest.mark.skipif(
        not os.environ.get("REDLINE_TEST_MCP"),
        reason="REDLINE_TEST_MCP names no build of duckdb_mcp",
    ),
    pytest.mark.skipif(not SHELL.exists(), reason="this version has no command line tool on PyPI"),
]


@pytest.fixture
def folder(tmp_path, extension) -> pathlib.Path:
    """Returns a directory with sql/ set up for the sandbox `workspace` in it."""
    (tmp_path / "ws").mkdir(exist_ok=True)
    (tmp_path / "ws/a.txt").write_text("one\ntwo\n")
    (tmp_path / "sql").mkdir()
    for path in (ROOT / "sql").glob("*.sql"):
        script = (
            path.read_text()
            .replace("/srv/workspace", str(tmp_path / "ws"))
            .replace("LOAD redline;", f"LOAD '{extension}';")
        )
        (tmp_path / "sql" / path.name).write_text(
            script.replace("LOAD duckdb_mcp;", f"LOAD '{os.environ['REDLINE_TEST_MCP']}';")
        )
    return tmp_path


def request(number, method, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


HELLO = request(
    0,
    "initialize",
    protocolVersion="2024-11-05",
    capabilities={},
    clientInfo={"name": "t", "version": "1"},
)


def serve(folder, *calls):
    """Returns the answers of a server on stdio to calls, each a tool and its arguments or a method."""
    asked = [HELLO, {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    for number, (name, arguments) in enumerate(calls, 1):
        is_method = "/" in name
        asked.append(
            request(number, name, **arguments)
            if is_method
            else request(number, "tools/call", name=name, arguments=arguments)
        )
    lines = "".join(json.dumps(one) + "\n" for one in asked)
    done = subprocess.run(
        [SHELL, "-unsigned", "-f", "sql/mcp_server.sql"],
        cwd=folder,
        input=lines,
        capture_output=True,
        text=True,
        timeout=120,
    )
    # Only the protocol is on stdout: each line is an answer.
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert sorted(answers) == list(range(len(calls) + 1)), (done.stdout, done.stderr)
    return [answers[number] for number in range(1, len(calls) + 1)]


def text(answer):
    return answer["result"]["content"][0]["text"]


def test_the_shipped_script_serves_and_says_nothing_else(folder):
    listed, read, wrong, lists, missing, able, prompts = serve(
        folder,
        ("tools/list", {}),
        ("read_file", {"path": "workspace/a.txt", "last_line": 1}),
        ("read_file", {"path": "a.txt"}),
        ("GitDiff", {"from": "HEAD", "paths": "src"}),
        ("read_file", {"path": "workspace/none"}),
        ("redline_capabilities", {}),
        ("prompts/list", {}),
    )
    names = {tool["name"] for tool in listed["result"]["tools"]}
    assert names == set(READING_TOOLS)
    assert text(read).endswith("```\none\n```\n")
    # A failure is an error of the protocol, our code first, and shows no SQL.
    for answer, code in ((wrong, "fs_denied"), (lists, "not_found"), (missing, "not_found")):
        message = answer["error"]["message"]
        assert (
            message.startswith(f"SQL error: Invalid Input Error: {code}: ")
            and "SELECT" not in message
        )
    assert "Did you mean 'workspace/a.txt'?" in wrong["error"]["message"]
    assert "for example workspace/a.txt" in text(able)
    assert [prompt["name"] for prompt in prompts["result"]["prompts"]] == ["review"]


def test_nothing_is_served_for_a_directory_that_is_not_there(folder):
    (folder / "ws/a.txt").unlink()
    (folder / "ws").rmdir()
    done = subprocess.run(
        [SHELL, "-unsigned", "-f", "sql/mcp_server.sql"],
        cwd=folder,
        input=json.dumps(HELLO) + "\n",
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode != 0 and done.stdout == ""


def test_a_person_approves_at_the_shell_of_the_http_server(folder):
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    script = (folder / "sql/mcp_http.sql").read_text().replace("8765", str(port))
    (folder / "sql/mcp_http.sql").write_text(script)
    environment = os.environ | {"REDLINE_KEY": KEY, "REDLINE_TOKEN": TOKEN}
    shell = subprocess.Popen(
        [SHELL, "-unsigned", "-cmd", ".read sql/mcp_http.sql"], cwd=folder, env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    said: list[str] = []
    reader = threading.Thread(
        target=lambda: said.extend(iter(shell.stdout.readline, "")), daemon=True
    )
    reader.start()

    def type_in(line, awaited):
        before = len(said)
        shell.stdin.write(line + "\n")
        shell.stdin.flush()
        waiting.until(
            lambda: any(awaited in one for one in said[before:]) or shell.poll() is not None,
            lambda: "".join(said),
        )
        assert shell.poll() is None, "".join(said)
        return "".join(said[before:])

    def call(name, token=TOKEN, **arguments):
        body = json.dumps(request(1, "tools/call", name=name, arguments=arguments)).encode()
        headers = {"Content-Type": "application/json"} | (
            {"Authorization": f"Bearer {token}"} if token else {}
        )

        def ask():
            try:
                with urllib.request.urlopen(
                    urllib.request.Request(f"http://localhost:{port}/mcp", body, headers),
                    timeout=waiting.SECONDS,
                ) as answer:
                    return json.loads(answer.read())
            except urllib.error.HTTPError as error:
                return error.code
            except OSError:
                assert shell.poll() is None, "".join(said)
                return None

        return waiting.until(ask, lambda: "".join(said))

    try:
        edit = {"path": "workspace/a.txt", "old_string": "two", "new_string": "2"}
        assert [call("edit_file", token=token, **edit) for token in (None, "wrong")] == [401, 403]
        first = call("edit_file", **edit)
        assert (
            "approval_required: " in first["error"]["message"]
            and (folder / "ws/a.txt").read_text() == "one\ntwo\n"
        )
        shown = type_in("FROM waiting();", "Apply this edit?")
        assert "-two" in shown and "+2" in shown
        (name,) = set(re.findall(r"\b[0-9a-f]{64}\b", shown))
        (seen,) = re.findall(r"seen = ([0-9a-f]{12})$", shown, re.MULTILINE)
        type_in(f"SELECT yes('{name}', '{'0' * 12}') AS given;", "what waits is not what was seen")
        type_in(f"SELECT yes('{name}', '{seen}') AS given;", "given = ")
        assert text(call("edit_file", **edit)).startswith("Replaced 1 line at line 2")
        assert (folder / "ws/a.txt").read_text() == "one\n2\n"
        # A no is final.
        again = edit | {"old_string": "one", "new_string": "1"}
        message = call("edit_file", **again)["error"]["message"]
        (name,) = set(re.findall(r"\b[0-9a-f]{64}\b", message))
        type_in(f"SELECT no('{name}') AS declined;", "declined = ")
        assert "declined: " in call("edit_file", **again)["error"]["message"]
        assert (folder / "ws/a.txt").read_text() == "one\n2\n"
    finally:
        shell.kill()
        shell.wait()

"""The server over streamable HTTP with bearer tokens, and both transports with two generations of the official client."""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import urllib.parse

import jsonschema
import pytest

pytest.importorskip("mcp", reason="`make test` installs the packages of the servers")

import anyio
import mcp_types as types
from served import COMMAND, OLD_CLIENT, ROOT, Served, by_old_client, exchange, words
from tool_calls import GOOD, WRONG, fill

sys.path.insert(0, str(ROOT / "python"))

from duckdb_redline.server import command, over_http

INITIALIZE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}  # fmt: skip
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}


@pytest.fixture(scope="module")
def served(extension, tmp_path_factory):
    made = Served(
        fill(tmp_path_factory.mktemp("workspace")),
        extension,
        tmp_path_factory.mktemp("server"),
        "--write",
        "--commit",
        "--approve",
        "client",
    )
    yield made
    assert made.close() == ""
    # No token is anywhere in what was said.
    said = "".join(made.said)
    assert (
        said.startswith("redline-mcp: any holder of a token can answer for the person")
        and "redline-mcp: serving at " in said
        and not any(token in said for token in made.tokens)
    ), said


@pytest.fixture
def folder(served) -> pathlib.Path:
    return fill(served.folder)


def post(served, message: object, token: str | None = "", **headers: str | list[str] | None):
    """Sends a message as a program without the official client would; the token is the first client's."""
    place = urllib.parse.urlsplit(served.address("serving"))
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    sent = {
        "host": place.netloc,
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
    }
    if token is not None:
        sent["authorization"] = f"Bearer {token or served.tokens[0]}"
    sent |= {name.replace("_", "-"): given for name, given in headers.items()}
    answer = exchange(place, "POST", place.path, {"content-length": str(len(body))} | sent, body)
    return answer.status, answer.headers, answer.text


# Promise (http): Only a token of the file opens, in the header alone; a file that others may
# read, or with a short token, is refused. With
# `test_a_token_file_that_protects_nothing_is_refused`.
def test_only_a_token_of_the_file_opens(served):
    right = served.tokens[0]
    status, headers, text = post(served, INITIALIZE)
    assert status == 200 and '"redline"' in text
    wrong = [
        None,
        "x" * 43,
        right[:-1],
        right + "x",
        right.swapcase(),
        f"{right} {right}",
        "\xe9" * 43,
    ]
    for token in wrong:
        for message in (INITIALIZE, LIST):
            status, headers, text = post(served, message, token)
            assert status == 401 and "read_file" not in text and "redline" not in text, (
                token,
                status,
                text,
            )
            assert headers["www-authenticate"].startswith("Bearer ")
    for authorization in (
        f"Basic {right}",
        right,
        "Bearer",
        "Bearer ",
        f"Token {right}",
        ["Bearer x", f"Bearer {right}"],
    ):
        assert post(served, INITIALIZE, None, authorization=authorization)[0] == 401, authorization
    # Nor anywhere else than in the header.
    assert (
        post(served, INITIALIZE | {"params": INITIALIZE["params"] | {"token": right}}, None)[0]
        == 401
    )


# Promise (http): Another host name or origin is refused, and what is too large unread. With
# `test_a_large_request_is_refused_unread`.
def test_another_host_or_origin_is_refused(served):
    place = urllib.parse.urlsplit(served.address("serving"))
    for host in (
        "evil.example",
        f"evil.example:{place.port}",
        f"127.0.0.1:{place.port + 1}",
        f"127.0.0.1.evil.example:{place.port}",
        "",
        None,
        [place.netloc, "evil.example"],
    ):
        assert post(served, INITIALIZE, host=host)[0] in (400, 421), host
    for origin in (
        "http://evil.example",
        "null",
        f"https://{place.netloc}",
        f"http://127.0.0.1:{place.port + 1}",
        [f"http://{place.netloc}", "http://evil.example"],
    ):
        assert post(served, INITIALIZE, origin=origin)[0] == 403, origin
    assert post(served, INITIALIZE, origin=f"http://{place.netloc}")[0] == 200
    # A page of another site may not even ask whether it may send.
    assert (
        post(
            served,
            INITIALIZE,
            token=None,
            origin="http://evil.example",
            access_control_request_method="POST",
        )[0]
        == 403
    )


# Promise (http): A session belongs to its token; what one client was allowed or refused is not
# another's. With `test_a_no_of_one_client_is_none_of_another`,
# `test_a_scope_is_what_the_person_has_chosen`.
def test_a_session_belongs_to_the_token_that_began_it(served):
    status, headers, _ = post(served, INITIALIZE)
    session = next(given for name, given in headers.items() if name == "mcp-session-id")
    assert status == 200
    assert post(served, LIST, mcp_session_id=session, mcp_protocol_version="2025-06-18")[0] in (
        200,
        202,
    )
    assert post(
        served, LIST, served.tokens[1], mcp_session_id=session, mcp_protocol_version="2025-06-18"
    )[0] in (403, 404)


def test_a_large_request_is_refused_unread(served):
    assert post(served, b"{", content_length=str(9 << 20))[0] == 413
    with contextlib.suppress(
        ConnectionError
    ):  # The answer may come while the request is still sent.
        assert post(served, INITIALIZE, x_long="y" * 200_000)[0] == 400


async def accept(context, params):
    return types.ElicitResult(action="accept", content={"approve": True})


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_every_tool_is_answered_over_http(served, folder, mode):
    asked = []

    async def answer(context, params):
        asked.append(params)
        return await accept(context, params)

    async def conversation(client):
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == set(GOOD) == set(WRONG)
        for name, (arguments, code) in WRONG.items():
            result = await client.call_tool(name, arguments)
            assert result.is_error and words(result).startswith(f"{code}: "), (name, words(result))
        for name, (arguments, wanted) in GOOD.items():
            jsonschema.validate(arguments, tools[name].input_schema)
            result = await client.call_tool(name, arguments)
            assert not result.is_error and wanted in words(result), (name, words(result))
            assert result.structured_content is None and tools[name].output_schema is None

    served.run(conversation, mode=mode, elicitation_callback=answer)
    assert (folder / "a.txt").read_text() == "one\n2\n" and (
        folder / "new/c.txt"
    ).read_text() == "c\n"
    # A form has a box to tick, so its text asks for no key.
    assert (
        len(asked) == 6
        and not any("[y" in one.message for one in asked)
        and all(
            one.message.endswith(("file?", "edit?", "patch?", "commit?", "Stage this?"))
            for one in asked
        )
    )


@pytest.mark.slow
@pytest.mark.skipif(not OLD_CLIENT.is_dir(), reason="`make test` installs the older client")
def test_the_generation_before_gets_values_that_are_complete_where_they_are_asked_for(
    served, folder, extension, con
):
    """By `--structured`, and by the format of a call, also of a client that shows its model the values alone."""
    schemas = {
        name: json.loads(schema)
        for name, schema in con.execute(
            "SELECT name, output_schema FROM redline_tools()"
        ).fetchall()
    }
    command = [
        *COMMAND,
        str(folder),
        "--extension",
        str(extension),
        "--write",
        "--commit",
        "--structured",
        "--query",
    ]
    by_option = by_old_client(
        {
            "command": command,
            "calls": [
                *((name, arguments) for name, (arguments, _) in GOOD.items()),
                ("query", {"sql": "SELECT 1 AS one"}),
            ],
        }
    )
    assert by_option["results"].pop() == [
        "query",
        False,
        "1 row",
        {"columns": ["one"], "rows": [[1]], "cut": None},
    ]
    assert {
        tool["name"]: tool["outputSchema"] for tool in by_option["tools"] if tool["name"] != "query"
    } == schemas
    reached = {
        "url": served.address("serving"),
        "headers": {"Authorization": f"Bearer {served.tokens[1]}"},
    }
    fill(folder)
    by_call = by_old_client(
        reached
        | {
            "calls": [
                (name, arguments | {"format": "json"}) for name, (arguments, _) in GOOD.items()
            ]
        }
    )
    for told in (by_option, by_call):
        assert len(told["results"]) == len(GOOD)
        for name, is_error, text, values in told["results"]:
            assert (
                not is_error
                and set(values) >= set(schemas[name]["properties"])
                and "\n" not in text
            ), (name, text)


@pytest.mark.skipif(not OLD_CLIENT.is_dir(), reason="`make test` installs the older client")
@pytest.mark.parametrize("transport", [pytest.param("stdio", marks=pytest.mark.slow), "http"])
def test_the_generation_before_is_served_alike(served, folder, extension, con, transport):
    calls = [(name, arguments) for name, (arguments, _) in [*WRONG.items(), *GOOD.items()]]
    reached = {
        "url": served.address("serving"),
        "headers": {"Authorization": f"Bearer {served.tokens[1]}"},
    }
    if transport == "stdio":
        reached = {
            "command": [*COMMAND, str(folder), "--extension", str(extension), "--write", "--commit"]
        }
    told = by_old_client(reached | {"calls": calls})
    assert told["client"].startswith("1.") and told["protocol"] < "2026"
    (instructions,) = con.execute("SELECT instructions FROM redline_capabilities()").fetchone()
    assert told["instructions"] == instructions
    assert {tool["name"] for tool in told["tools"]} == set(GOOD) and not any(
        "outputSchema" in tool for tool in told["tools"]
    )
    for at, (name, is_error, text, values) in enumerate(told["results"]):
        assert name == calls[at][0]
        if at < len(WRONG):
            assert is_error and text.startswith(f"{WRONG[name][1]}: "), (name, text)
        else:
            assert not is_error and GOOD[name][1] in text, (name, text)
            assert values is None
    assert (folder / "a.txt").read_text() == "one\n2\n" and len(told["questions"]) == 6
    assert not any("[y" in one["message"] for one in told["questions"])


@pytest.mark.parametrize(
    "content, mode, said",
    [
        ("short\n", 0o600, "tokens of 32 characters or more"),
        ("x" * 40 + "\n" + "x" * 40 + "\n", 0o600, "different tokens"),
        ("", 0o600, "tokens of 32 characters or more"),
        ("# none\n", 0o600, "tokens of 32 characters or more"),
        (
            "a token with spaces that is long enough to be one\n",
            0o600,
            "tokens of 32 characters or more",
        ),
        ("é" * 40, 0o600, "cannot be read"),
        ("x" * 40, 0o640, "others may read"),
        ("x" * 40, 0o604, "others may read"),
        (None, 0, "cannot be read"),
    ],
)
def test_a_token_file_that_protects_nothing_is_refused(tmp_path, content, mode, said):
    file = tmp_path / "tokens"
    if content is not None:
        file.write_text(content)
        file.chmod(mode)
    with pytest.raises(ValueError, match=said) as refused:
        over_http.tokens_of(file)
    assert "x" * 40 not in str(refused.value)
    file.unlink(missing_ok=True)
    file.write_text("# ours\n" + "x" * 40 + "\n\n" + "y" * 40)
    file.chmod(0o600)
    assert len(over_http.tokens_of(file).sessions) == 2


@pytest.mark.parametrize(
    "text",
    [
        "here",
        "0.0.0.0:0",
        "[::]:0",
        "localhost:0",
        "65536",
        "-1",
        "",
        ":",
        "127.0.0.1",
        "127.0.0.1:x",
        "http://127.0.0.1:1",
    ],
)
def test_only_a_numeric_address_with_a_port_is_accepted(text):
    with pytest.raises(ValueError, match="is not PORT or ADDRESS:PORT"):
        over_http.place(text)


def test_a_place_is_read():
    assert (
        over_http.place("8000") == ("127.0.0.1", 8000)
        and over_http.place("[::1]:0") == ("::1", 0)
        and over_http.place("10.0.0.1:80") == ("10.0.0.1", 80)
    )


@pytest.fixture
def start(monkeypatch, capsys):
    """Returns a function that starts a server which is refused, in this process, and gives its exit code, stdout and stderr."""
    monkeypatch.setattr(anyio, "run", lambda *_: pytest.fail("it is not refused"))

    def run(root: pathlib.Path, *arguments: str) -> tuple[object, str, str]:
        try:
            code = command.main([str(root), *arguments])
        except SystemExit as ended:
            code = ended.code
        return code, *capsys.readouterr()

    return run


def test_the_error_names_an_option_that_cannot_be_served(extension, served, start, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    file = tmp_path / "tokens"
    file.write_text("x" * 40)
    file.chmod(0o604)
    taken = str(urllib.parse.urlsplit(served.address("serving")).port)
    for place, mode, said in [
        ("0", 0o604, "others may read"),
        (taken, 0o600, "Address already in use"),
    ]:
        file.chmod(mode)
        code, out, err = start(
            root, "--http", place, "--token-file", str(file), "--extension", str(extension)
        )
        assert (code, out) == (1, "") and said in err, (place, err)
    for arguments in (["--http", "0"], ["--open"]):
        code, _, err = start(tmp_path, *arguments)
        assert code == 2 and "belong" in err, err
    code, _, err = start(root, "--http", "0", "--token-file", str(file), "--write")
    assert code == 2 and "--http and --write need --approve" in err, err


# Promise (http): A file of tokens, or an extension, that agents reach is refused.
def test_a_token_file_or_an_extension_that_agents_reach_is_refused(extension, start, tmp_path):
    """A reader of the tokens has every client's session; a writer of the extension controls the server."""
    root = tmp_path / "root"
    root.mkdir()
    inside = root / "tokens"
    inside.touch(mode=0o600)
    inside.write_text("x" * 40)
    (tmp_path / "link").symlink_to(inside)
    outside = tmp_path / "outside"
    outside.touch(mode=0o600)
    outside.write_text("y" * 40)
    (root / "to-outside").symlink_to(outside)
    http = ["--http", "0", "--extension", str(extension), "--token-file"]
    for file in (inside, tmp_path / "link", root / "to-outside"):
        code, _, err = start(root, *http, str(file))
        assert code == 2 and "lies beneath" in err and "move it elsewhere" in err, err
    os.link(outside, root / "hard")
    code, _, err = start(root, *http, str(outside))
    assert code == 1 and "has another name" in err, err
    (root / "redline.duckdb_extension").write_bytes(b"")
    code, _, err = start(root, "--write", "--extension", str(root / "redline.duckdb_extension"))
    assert code == 2 and "put it elsewhere" in err, err


# Promise (http): A server whose own program is where agents write does not start; in an
# environment next to the work (`.venv`, `site-packages`) redline writes nothing. With
# `test_files_that_tools_obey_are_not_written_unless_the_host_allows_it`.
@pytest.mark.parametrize(
    "place, starts",
    [
        ("project", False),
        ("project/vendor", False),
        ("project/.venv/lib/site-packages", True),
        ("elsewhere", True),
    ],
)
def test_a_server_whose_own_program_agents_could_change_does_not_start(
    extension, tmp_path, place, starts
):
    """In an environment beside the work, redline writes nothing (docs/sandboxes.md); elsewhere beneath a root it would."""
    (tmp_path / "project").mkdir()
    shutil.copytree(ROOT / "python/duckdb_redline", tmp_path / place / "duckdb_redline")
    about = tmp_path / place / "duckdb_redline-0.1.0.dist-info/METADATA"
    about.parent.mkdir()
    about.write_text("Metadata-Version: 2.1\nName: duckdb-redline\nVersion: 0.1.0\n")
    command = [
        sys.executable,
        "-m",
        "duckdb_redline.server",
        str(tmp_path / "project"),
        "--extension",
        str(extension),
    ]
    run = lambda *more: subprocess.run(
        [*command, *more],
        env=os.environ | {"PYTHONPATH": str(tmp_path / place)},
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )
    done = run("--write")
    assert (done.returncode, done.stdout) == ((0, "") if starts else (2, "")), done.stderr
    assert starts or "this program lies beneath" in done.stderr and run().returncode == 0


def open_session(served, token=""):
    status, headers, _ = post(served, INITIALIZE, token)
    assert status == 200
    return next(given for name, given in headers.items() if name == "mcp-session-id")


# Promise (http): Each token has its share of sessions and connections; connections that ask
# nothing keep nobody out. With `test_connections_that_ask_nothing_keep_nobody_out`.
def test_one_token_leaves_sessions_for_the_others(served):
    """One more than its share ends its oldest session, not those of others."""
    others = open_session(served, served.tokens[1])
    own = [open_session(served) for _ in range(3 * over_http.MAX_SESSIONS)]
    version = {"mcp_protocol_version": "2025-06-18"}
    assert [
        post(served, LIST, mcp_session_id=session, **version)[0]
        for session in (own[0], own[-1], own[-over_http.MAX_SESSIONS])
    ] == [404, 200, 200]
    assert post(served, LIST, served.tokens[1], mcp_session_id=others, **version)[0] == 200
    assert open_session(served, served.tokens[1])


def test_connections_that_ask_nothing_keep_nobody_out(served):
    place = urllib.parse.urlsplit(served.address("serving"))
    with contextlib.ExitStack() as opened:
        for _ in range(300):
            opened.enter_context(socket.create_connection((place.hostname, place.port), timeout=30))
        for token in served.tokens:
            assert open_session(served, token)

"""redline-mcp --roots: the directories that a client names are served, and nothing else."""

import json

import pytest
import waiting
from test_opening import Server, handshake, request

pytest.importorskip("mcp", reason="`make test` installs the packages of the servers")

ROOTS = {"roots": {"listChanged": True}}
APPROVERS = [(), ("--approve", "web")]


@pytest.fixture
def folders(tmp_path):
    """Two directories for a client, and the one that the server is started in."""
    for name in ("here", "first", "second", "deep/first", "a b"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / f"{name.replace('/', '_')}.txt").write_text("one\n")
    return tmp_path


@pytest.fixture
def start(extension, folders):
    servers = []

    def started(*options):
        servers.append(Server(extension, "--roots", *options, cwd=folders / "here"))
        return servers[-1]

    yield started
    for server in servers:
        server.process.kill()
        server.process.wait(waiting.SECONDS)


def greeted(server, abilities=ROOTS):
    """Greets a server, asks it for its tools at once, and returns the id of its request for the roots."""
    server.ask("initialize", 1, **handshake(abilities=abilities))
    # What comes before the roots waits for them.
    server.send(
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        request("tools/call", 2, name="list_files", arguments={}),
    )
    if "roots" in abilities:
        asked = json.loads(server.process.stdout.readline())
        assert asked["method"] == "roots/list"
        return asked["id"]
    return None


def listed(server, answer, abilities=ROOTS):
    """Returns the text of the first call, with this answer to the request for the roots."""
    number = greeted(server, abilities)
    if number is not None:
        server.send({"jsonrpc": "2.0", "id": number} | answer)
    return server.answer(2)["content"][0]["text"]


def named(*paths):
    return {"result": {"roots": [{"uri": path.as_uri(), "name": "any"} for path in paths]}}


@pytest.mark.parametrize("options", APPROVERS, ids=str)
def test_the_root_of_the_client_is_served_in_place_of_the_current_directory(
    start, folders, options
):
    text = listed(start(*options), named(folders / "a b"))
    assert "a b.txt" in text and "here" not in text


def test_several_roots_have_their_own_names_and_a_number_where_these_are_equal(start, folders):
    roots = [folders / name for name in ("first", "second", "deep/first", "first", "a b")]
    text = listed(start(), named(*roots))
    for sandbox in ("first/", "second/", "first-2/", "root/"):
        assert f" {sandbox} (ro" in text
    assert "first-3" not in text


NO_ROOTS = [
    ({}, None),
    (ROOTS, {"error": {"code": -32601, "message": "no such method"}}),
    (ROOTS, {"result": {"roots": []}}),
    (ROOTS, {"result": None}),
    (ROOTS, {"result": {"roots": [{"uri": "https://example.org/"}, {"uri": "file://other/tmp"}, {"uri": 1}, 2,
                                  {"uri": "file:///no/such/directory"}, {"uri": "file:///%00"}, {"uri": "file://["}]}}),
]  # fmt: skip


@pytest.mark.parametrize(
    "options, abilities, answer",
    # Each answer to one approver or the other, by turns; to both at night.
    [
        pytest.param(options, *case, marks=[pytest.mark.slow] * ((number + at) % 2))
        for number, case in enumerate(NO_ROOTS)
        for at, options in enumerate(APPROVERS)
    ],
    ids=str,
)
def test_without_a_root_the_current_directory_is_served(start, options, abilities, answer):
    assert "here.txt" in listed(start(*options), answer, abilities)


def test_a_root_that_holds_what_the_server_relies_on_is_refused(extension, start):
    server = start("--write")
    number = greeted(server)
    server.send({"jsonrpc": "2.0", "id": number} | named(extension.parent))
    assert server.process.stdout.read() == b""
    assert server.process.wait(waiting.SECONDS) == 1


def test_the_tool_query_reads_the_roots_of_the_client(start, folders):
    server = start("--query")
    assert "first.txt" in listed(server, named(folders / "first"))
    text = json.dumps(
        server.ask("tools/call", 3, name="query", arguments={"sql": "FROM redline_capabilities()"})
    )
    assert str(folders / "first") in text or "workspace" in text
    assert "here" not in text


@pytest.mark.parametrize("options", [("first",), ("--http", "0", "--token-file", "t")], ids=str)
def test_roots_stand_alone(start, options):
    server = start(*options)
    assert server.process.wait(waiting.SECONDS) == 2

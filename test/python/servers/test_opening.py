"""The start of redline-mcp: what a client asks first is answered before the SDK is imported, and as the SDK answers it."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys

import pytest
import waiting
from repositories import ROOT

pytest.importorskip("mcp", reason="`make test` installs the packages of the servers")

INFO = {"name": "codex-mcp-client", "version": "1"}
META = "io.modelcontextprotocol"
ABILITIES = [{}, {"elicitation": {}}, {"roots": {"listChanged": True}, "sampling": {}}]


class Server:
    """A server over stdin and stdout, spoken to by its lines."""

    def __init__(self, extension, *arguments, cwd=None, stderr=None):
        command = [sys.executable, "-B", str(ROOT / "examples/mcp_server.py")]
        self.process = subprocess.Popen(
            [*command, *map(str, arguments), "--extension", str(extension)],
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
        )

    def send(self, *messages):
        lines = [m if isinstance(m, bytes) else json.dumps(m).encode() + b"\n" for m in messages]
        self.process.stdin.write(b"".join(lines))
        self.process.stdin.flush()

    def ask(self, method, number=1, **params):
        """Returns the result or the error of a request."""
        self.send(request(method, number, **params))
        return self.answer(number)

    def answer(self, number):
        said = json.loads(self.process.stdout.readline())
        assert said["id"] == number and said["jsonrpc"] == "2.0", said
        return said.get("result", said.get("error"))

    def has_sdk(self) -> bool:
        """Tells whether the SDK is loaded, by the library that its types are checked with."""
        return "pydantic_core" in pathlib.Path(f"/proc/{self.process.pid}/maps").read_text()

    def cpu_seconds(self) -> float:
        """Returns the processor time that the process has used."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2]
        user, system = map(int, fields.split()[11:13])
        return (user + system) / os.sysconf("SC_CLK_TCK")

    def megabytes(self) -> int:
        status = pathlib.Path(f"/proc/{self.process.pid}/smaps_rollup").read_text()
        # What the process alone has in memory: of libraries only what it has changed.
        private = [line.split()[1] for line in status.splitlines() if line.startswith("Private_")]
        return sum(map(int, private)) // 1024


def request(method, number, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method} | (
        {"params": params} if params else {}
    )


@contextlib.contextmanager
def starting(extension, folder):
    """Yields a function that starts a server of a folder."""
    (folder / "a.txt").write_text("one\n")
    with contextlib.ExitStack() as stack:

        def started(*options, **given):
            server = Server(extension, folder, *options, **given)
            stack.callback(server.process.kill)
            return server

        yield started


@pytest.fixture
def start(extension, tmp_path):
    with starting(extension, tmp_path) as started:
        yield started


def handshake(version="2025-11-25", abilities=None):
    return {
        "protocolVersion": version,
        "capabilities": abilities if abilities is not None else {},
        "clientInfo": INFO,
    }


def envelope(abilities):
    return {
        "_meta": {
            f"{META}/protocolVersion": "2026-07-28", f"{META}/clientInfo": INFO, f"{META}/clientCapabilities": abilities,
        }
    }  # fmt: skip


proc = pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="there is no /proc")


@proc
@pytest.mark.parametrize(
    "version, abilities",
    [
        pytest.param("2024-11-05", ABILITIES[0], marks=pytest.mark.slow),
        ("2025-06-18", ABILITIES[1]),
        pytest.param("2025-11-25", ABILITIES[2], marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_a_handshake_is_answered_as_by_the_sdk(start, version, abilities):
    options = ("--write", "--query") if abilities else ("--structured",)
    early, late = start(*options), start(*options)
    # A message that the SDK alone answers comes before all.
    assert "code" in late.ask("resources/list", 9)
    for server in (early, late):
        server.greeted = server.ask("initialize", 1, **handshake(version, abilities))
        server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        server.pinged = server.ask("ping", 2)
        server.listed = server.ask("tools/list", "3")
    assert not early.has_sdk() and late.has_sdk()
    assert early.greeted == late.greeted and early.pinged == late.pinged
    assert early.listed == late.listed and len(early.listed["tools"]) >= 15
    # The SDK goes on with the same client.
    for server in (early, late):
        called = server.ask(
            "tools/call", 4, name="read_file", arguments={"path": "workspace/a.txt"}
        )
        assert "one\\n" in json.dumps(called) and not called["isError"]
    assert early.has_sdk()
    assert early.ask("tools/list", 5) == late.listed
    early.process.stdin.close()
    assert early.process.wait(waiting.SECONDS) == 0 and early.process.stdout.read() == b""


@pytest.fixture(
    scope="module",
    params=[pytest.param(ABILITIES[0], marks=pytest.mark.slow), ABILITIES[1]],
    ids=str,
)
def listed(extension, tmp_path_factory, request):
    """Returns a server that has told of its tools before it had the SDK, one that did it by the SDK, and what each call has."""
    meta = envelope(request.param)
    with starting(extension, tmp_path_factory.mktemp("listed")) as start:
        early, late = start("--write", "--query"), start("--write", "--query")
        assert late.ask("resources/list", 9, **meta)["resources"] == []
        for server in (early, late):
            server.found = server.ask("server/discover", 1, **meta)
            server.listed = server.ask("tools/list", 2, **meta)
            server.had_sdk = server.has_sdk()
            server.worked, server.size = server.cpu_seconds(), server.megabytes()
        yield early, late, meta


@proc
def test_todays_protocol_is_answered_as_by_the_sdk(listed):
    early, late, meta = listed
    assert not early.had_sdk and late.had_sdk
    assert early.found == late.found and early.listed == late.listed
    for server in (early, late):
        called = server.ask("tools/call", 3, name="list_files", arguments={}, **meta)
        assert "a.txt" in called["content"][0]["text"]


@proc
def test_the_list_takes_a_part_of_the_start_that_the_sdk_takes(listed):
    early, late, _ = listed
    assert "tools" in early.listed and "tools" in late.listed
    # As they were measured: 0.3 s of processor time and 1.6 s; 0.5 s is what it may be on that machine.
    assert early.worked < late.worked / 2, (early.worked, late.worked)
    # And 90 MB in all: what libraries share among processes is not counted here.
    assert early.size + 20 < late.size < 150, (early.size, late.size)


@proc
@pytest.mark.slow
def test_what_is_not_usual_is_left_to_the_sdk(start):
    views = {"extensions": {f"{META}/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}}
    greeting = request("initialize", 0, **handshake(abilities=views))
    for *before, first, has in [
        (request("initialize", 1, **handshake("1999-01-01")), "protocolVersion"),
        (request("initialize", 1, protocolVersion="2025-11-25", capabilities={}), "code"),
        (greeting, request("tools/list", 1), "tools"),
        (request("tools/list", 1, **envelope(views)), "tools"),
        (request("tools/list", 1), "code"),
        (request("nothing", 1, **envelope({})), "code"),
    ]:
        server = start()
        for number, message in enumerate(before):
            server.send(message)
            assert server.answer(number) and not server.has_sdk()
        server.send(first)
        assert has in server.answer(1) and server.has_sdk(), first
    # No message of a client ends the server.
    server = start()
    server.send(
        b"no json\n", b"[]\n", b'{"jsonrpc": "2.0"}\n', request("tools/list", 1, **envelope({}))
    )
    answers = [json.loads(server.process.stdout.readline())]
    while answers[-1].get("id") != 1:
        answers.append(json.loads(server.process.stdout.readline()))
    assert "tools" in answers[-1]["result"]


@proc
def test_messages_that_come_at_once_are_answered_in_their_order(start):
    server = start()
    call = {"name": "read_file", "arguments": {"path": "workspace/a.txt"}}
    lines = [
        json.dumps(one).encode() + b"\n"
        for one in [
            request("initialize", 1, **handshake()),
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            request("tools/list", 2),
            request("tools/call", 3, **call),
            request(
                "tools/call",
                4,
                name="write_file",
                arguments={"path": "x", "content": "x" * 300_000},
            ),
        ]
    ]
    whole = b"".join(lines)
    # Cut within a line, which is longer than what is read at once.
    server.send(whole[:-100_000])
    server.send(whole[-100_000:])
    found = [json.loads(server.process.stdout.readline()) for _ in range(4)]
    assert [one["id"] for one in found[:2]] == [1, 2] and {one["id"] for one in found} == {
        1,
        2,
        3,
        4,
    }
    # A client that goes without a word, or with half of one, ends the server.
    for sent in (b"", b'{"jsonrpc": "2.0", '):
        server = start()
        server.send(sent)
        server.process.stdin.close()
        assert server.process.wait(waiting.SECONDS) == 0


@pytest.mark.parametrize(
    "has_sdk, end",
    [
        (False, "signal"),
        (True, "signal"),
        # The call by which the client is seen to be gone loads the SDK.
        (False, "closed"),
        pytest.param(True, "closed", marks=pytest.mark.slow),
    ],
)
def test_a_server_ends_by_sigterm_and_with_a_client_that_no_longer_reads(start, has_sdk, end):
    server = start(stderr=subprocess.PIPE)
    server.ask("initialize", 1, **handshake())
    server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    if has_sdk:
        assert not server.ask("tools/call", 2, name="list_files", arguments={})["isError"]
    if end == "signal":
        server.process.terminate()
    else:
        # The answer meets a pipe that nobody reads.
        server.process.stdout.close()
        server.send(request("tools/call", 3, name="list_files", arguments={}))
        server.process.stdin.close()
    assert server.process.wait(waiting.SECONDS) == 0
    assert server.process.stderr.read() == b""

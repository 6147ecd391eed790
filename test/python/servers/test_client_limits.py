"""Clients that show their model a part of a long answer: an agent that pages on misses nothing."""

import re
from collections.abc import Callable

import pytest

pytest.importorskip("mcp", reason="`make test` installs the packages of the servers")

import mcp_types as types
from histories import Clock, write
from mcp import Client
from repositories import git
from tool_calls import MODES

LINES = 4_000
CURSOR = re.compile(r"cursor (\w+)")


def without_middle(text: str) -> str:
    """Returns what Codex shows of an answer."""
    raw, most = text.encode(), 12_000
    if len(raw) <= most:
        return text
    half = most // 2
    return f"{raw[:half].decode(errors='ignore')}…tokens truncated…{raw[-half:].decode(errors='ignore')}"


def without_end(text: str) -> str:
    return text.encode()[:18_500].decode(errors="ignore")


def in_a_file(text: str) -> str:
    """Returns what Copilot shows of an answer."""
    return text if len(text.encode()) <= 20_000 else f"too large … saved to /tmp/x {text[:900]}"


# The client's name, what it shows of an answer, and the bytes that the answer has.
CLIENTS: list[tuple[str, Callable[[str], str], int]] = [
    ("codex-mcp-client", without_middle, 11_000),
    ("Codex", without_middle, 11_000),
    ("github-copilot-developer", in_a_file, 18_000),
    ("claude-code", without_end, 18_000),
]
# Tool, arguments, and what an agent must have seen of it at the end.
CALLS = [
    ("GitDiff", {"from": "one", "to": "two", "repo": "workspace/many"}, r"\+changed (\d+)"),
    ("GitLog", {"repo": "workspace/many", "range": "log"}, r"commit number (\d+)"),
    ("GitFile", {"repo": "workspace/many", "file": "long.txt"}, r"line (\d+) of"),
    ("read_file", {"path": "workspace/many/long.txt"}, r"line (\d+) of"),
    ("list_files", {"path": "workspace/many/listed"}, r"name(\d+)\.txt"),
    ("search", {"pattern": "line", "path": "workspace/many/long.txt"}, r"line (\d+) of"),
]


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Returns a directory with a repository whose lists and files have several pages each."""
    folder = tmp_path_factory.mktemp("workspace")
    root = folder / "many"
    root.mkdir()
    write(root, "init --quiet --initial-branch=main .")
    clock = Clock(root)
    long = "".join(f"line {number} of many\n" for number in range(LINES))
    old = {f"f{number}.txt": f"old {number}\n" * 3 for number in range(150)}
    clock.commit("one", files=old | {"long.txt": long})
    write(root, "tag one")
    new = {
        name: "".join(f"changed {int(name[1:-4]) * 10 + line} {'x' * 60}\n" for line in range(10))
        for name in old
    }
    clock.commit("two", files=new)
    write(root, "tag two")
    stream = []
    for number in range(600):
        message = f"commit number {number} {'x' * 30}"
        start = "from refs/tags/two^0\n" if number == 0 else ""
        stream.append(
            f"commit refs/heads/log\ncommitter A U Thor <a@example.com> {1700000000 + number} +0000\n"
            f"data {len(message)}\n{message}\n{start}\n"
        )
    git(root, "fast-import", "--quiet", stdin="".join(stream).encode())
    (root / "listed").mkdir()
    for number in range(3_000):
        (root / f"listed/name{number}.txt").touch()
    return folder


async def seen_by_an_agent(client, show, most, tool, arguments) -> tuple[list[str], int]:
    """Returns what an agent has seen that pages on by the cursor it sees, alone or beside its arguments, and the number of its calls."""
    shown, cursor = [], None
    for number in range(100):
        given = {} if number % 2 else arguments
        given = given | ({"cursor": cursor} if cursor else {})
        result = await client.call_tool(tool, given)
        text = result.content[0].text
        assert not result.is_error and len(text.encode()) <= most, text[:500]
        shown.append(show(text))
        assert shown[-1] == text, "the client has cut it"
        found = CURSOR.findall(shown[-1].rstrip().rpartition("\n")[2])
        if not found:
            return shown, len(shown)
        cursor = found[-1]
    raise AssertionError("no end")


@pytest.mark.parametrize(
    "number, call",
    # Each call by a client of each size, and so by each protocol; by all four at night.
    [
        pytest.param(
            number,
            call,
            marks=[pytest.mark.slow] * (number not in (call % 2, 3 - call % 2)),
            id=f"{CLIENTS[number][0]}-{CALLS[call][0]}",
        )
        for number in range(len(CLIENTS))
        for call in range(len(CALLS))
    ],
)
def test_an_agent_that_pages_on_misses_nothing(extension, many, number, call):
    (name, show, most), (tool, arguments, wanted) = CLIENTS[number], CALLS[call]
    run = driven(extension, many, name, MODES[(number + call) % len(MODES)])

    async def conversation(client):
        listed = [tool.input_schema["properties"] for tool in (await client.list_tools()).tools]
        # Tools that change files take it without listing it.
        defaults = [
            properties["max_bytes"]["default"] for properties in listed if "max_bytes" in properties
        ]
        assert len(defaults) > 10 and set(defaults) == {most}
        shown, calls = await seen_by_an_agent(client, show, most, tool, arguments)
        found = {int(number) for text in shown for number in re.findall(wanted, text)}
        assert found == set(range(len(found))) and len(found) >= 600 and calls > 2

    run(conversation)


@pytest.mark.parametrize("show", [without_middle, in_a_file])
def test_an_answer_of_another_size_would_lose_a_part(extension, many, show):
    """The clients that are played here cut what is larger than they show."""
    run = driven(extension, many, "somebody", "auto", "--max-bytes", "30000")

    async def conversation(client):
        result = await client.call_tool("read_file", CALLS[3][1])
        text = result.content[0].text
        assert 27_000 < len(text.encode()) <= 30_000 and show(text) != text
        # The command's number counts for every client, a call's own for the call.
        small = await client.call_tool("read_file", CALLS[3][1] | {"max_bytes": 2_500})
        assert len(small.content[0].text.encode()) <= 2_500
        rows = {"sql": "SELECT range AS n, repeat('x', 50) FROM range(5000)", "limit": 5000}
        queried = await client.call_tool("query", rows)
        assert 27_000 < len(queried.content[0].text.encode()) <= 30_000

    run(conversation)


def driven(extension, folder, name, mode, *options):
    """Returns a function that runs a coroutine function with a client of this name."""
    import anyio
    import in_memory

    def run(conversation):
        async def main():
            server = in_memory.server(extension, str(folder), "--query", *options)
            info = types.Implementation(name=name, version="1")
            with anyio.fail_after(180):
                async with Client(server, mode=mode, client_info=info) as client:
                    return await conversation(client)

        return anyio.run(main)

    return run

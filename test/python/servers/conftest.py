"""Clients of new servers: in the memory of this process, or over stdin and stdout of one of its own."""

import sys

import pytest
from repositories import ROOT
from tool_calls import fill


@pytest.fixture
def folder(tmp_path):
    """Returns a directory that the calls of every tool are about."""
    return fill(tmp_path)


def driver(open_client):
    import anyio

    def run(conversation, *arguments, mode="auto", write=True, options=(), **more):
        async def main():
            with anyio.fail_after(180):
                async with open_client(
                    ["--write", "--commit"] * write + [*options], mode, more
                ) as client:
                    return await conversation(client, *arguments)

        return anyio.run(main)

    return run


@pytest.fixture
def drive(extension, folder):
    """Returns a function that runs a coroutine function with a client of a new server in this process."""
    import in_memory
    from mcp import Client

    def open_client(options, mode, more):
        return Client(in_memory.server(extension, str(folder), *options), mode=mode, **more)

    return driver(open_client)


@pytest.fixture
def drive_apart(extension, folder):
    """Returns the same for a server in a process of its own, with which the client speaks over stdin and stdout."""
    from mcp import Client, StdioServerParameters

    def open_client(options, mode, more):
        command = [str(ROOT / "examples/mcp_server.py"), str(folder), "--extension", str(extension)]
        server = StdioServerParameters(command=sys.executable, args=[*command, *options])
        return Client(server, mode=mode, **more)

    return driver(open_client)

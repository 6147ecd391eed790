"""The server's stdin and stdout as the SDK takes them, with no thread that waits in them: a signal ends the server at once."""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import anyio
from mcp.server.stdio import stdio_server

CHUNK_BYTES = 1 << 16
# What a pipe that can be written to takes without a wait: at least PIPE_BUF of POSIX.
AT_ONCE_BYTES = 512


def client_streams() -> contextlib.AbstractAsyncContextManager[Any]:
    """Returns the streams of messages to and from the client."""
    if os.name == "nt":
        # A pipe cannot be waited for there.
        return stdio_server()
    return over_pipes()


@contextlib.asynccontextmanager
async def over_pipes() -> AsyncIterator[Any]:
    with claimed() as (source, target):
        async with stdio_server(Lines(source), Answers(target)) as streams:  # type: ignore[arg-type]
            yield streams


@contextlib.contextmanager
def claimed() -> Iterator[tuple[int, int]]:
    """Keeps stdin and stdout for the client alone: who else reads gets nothing, and what else is printed goes to stderr."""
    source, target = os.dup(0), os.dup(1)
    try:
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        yield source, target
    finally:
        os.dup2(source, 0)
        os.dup2(target, 1)
        os.close(source)
        os.close(target)


async def ready(wait: Callable[[int], Awaitable[None]], end: int) -> None:
    # What cannot be waited for, such as a file, is ready.
    with contextlib.suppress(PermissionError):
        await wait(end)


class Lines:
    """The lines of a client."""

    def __init__(self, source: int) -> None:
        self.source, self.has_ended = source, False
        # Of the line that is not read whole.
        self.parts: list[bytes] = []
        # Read and not taken, the last first.
        self.lines: list[bytes] = []

    def __aiter__(self) -> Lines:
        return self

    async def __anext__(self) -> str:
        while not self.lines:
            if self.has_ended:
                raise StopAsyncIteration
            await ready(anyio.wait_readable, self.source)
            chunk = os.read(self.source, CHUNK_BYTES)
            self.has_ended = not chunk
            end, *more = chunk.split(b"\n")
            self.parts.append(end)
            if more or self.has_ended and any(self.parts):
                self.lines = [b"".join(self.parts), *more[:-1]][::-1]
                self.parts = more[-1:]
        return self.lines.pop().decode(errors="replace")


class Answers:
    """What is sent to a client; a client that has gone is told nothing."""

    def __init__(self, target: int) -> None:
        self.target = target

    async def write(self, text: str) -> None:
        rest = memoryview(text.encode())
        try:
            while rest:
                await ready(anyio.wait_writable, self.target)
                rest = rest[os.write(self.target, rest[:AT_ONCE_BYTES]) :]
        except BrokenPipeError as error:
            raise anyio.ClosedResourceError from error

    async def flush(self) -> None:
        """Does nothing, since nothing is kept."""

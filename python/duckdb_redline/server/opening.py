"""Answers what a client asks first, before the SDK is imported, which takes several times as long as all else of a start.

Only messages whose answer is the same in every case are answered here; with the first other one the SDK takes over, and is
told what was said until then. A host that starts many servers, and a client with a short patience, get their list of tools
at once, and the memory of the SDK is taken by servers that are called.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from .. import __version__
from . import roots
from .answers import bytes_of

if TYPE_CHECKING:
    from .listed import Listed

Message = dict[str, Any]
# The versions of the protocol with a handshake, and the one without.
HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
TODAY = "2026-07-28"
META = "io.modelcontextprotocol"
SERVER = {"name": "redline", "version": __version__}
RESOURCES = {"resources": {"listChanged": False, "subscribe": False}}
CAPABILITIES = RESOURCES | {"tools": {"listChanged": False}}
# Of an answer of today's protocol.
COMPLETE = {"cacheScope": "private", "resultType": "complete", "ttlMs": 0}
CHUNK_BYTES = 1 << 16


class Opening:
    """The beginning of a conversation over stdin and stdout."""

    def __init__(
        self,
        listed: Listed,
        max_bytes: int | None,
        serve: Callable[[bytes], Listed] | None = None,
        only_roots: bool = False,
    ) -> None:
        """Takes what is told of the server, and the bytes of an answer where the command gives them.

        Where the client may choose what is served, `serve` takes its answer to the request for its roots, and returns what
        is told from then on; `only_roots` leaves all that comes after it to the SDK.
        """
        self.listed, self.max_bytes = listed, max_bytes
        self.serve, self.only_roots = serve, only_roots
        # Whether the client was asked for its roots, and has not answered.
        self.awaits_roots = False
        # The lines that the SDK must know: the handshake, and what it has to answer.
        self.handshake: list[bytes] = []
        self.client: Message = {}
        self.rest: list[bytes] = []

    def run(self, source: int, answer: int) -> bool:
        """Answers until a message is for the SDK, which is then in `rest` with all that were read; returns false if the client has gone."""
        before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        try:
            waiting = deque[bytes]()
            for lines in whole_lines(source):
                waiting.extend(lines)
                while line := self.next_of(waiting):
                    result = self.answered(line)
                    if result is None:
                        self.rest = [line, *waiting]
                        return True
                    with contextlib.suppress(BrokenPipeError):
                        written(answer, result)
            return False
        finally:
            signal.signal(signal.SIGTERM, before)

    def next_of(self, waiting: deque[bytes]) -> bytes | None:
        """Takes the next line out of those that wait; None if there is none, or all wait for the roots of the client."""
        if self.awaits_roots:
            told = next((line for line in waiting if roots.is_answer(line)), None)
            if told is None:
                return None
            assert self.serve is not None
            waiting.remove(told)
            self.awaits_roots, self.listed = False, self.serve(told)
        return waiting.popleft() if waiting else None

    def answered(self, line: bytes) -> bytes | None:
        """Returns the answer to a line, without bytes where it needs none; None where the SDK must answer."""
        try:
            message = json.loads(line)
            method, params = message["method"], message.get("params") or {}
            if method == "notifications/initialized" and self.client and "id" not in message:
                self.handshake.append(line)
                self.awaits_roots = (
                    self.serve is not None and "roots" in self.client["capabilities"]
                )
                return roots.REQUEST if self.awaits_roots else b""
            if self.only_roots and (self.client or method != "initialize"):
                return None
            name = message["id"]
            known = {"jsonrpc", "id", "method", "params"}
            if set(message) - known or isinstance(name, bool) or not isinstance(name, (int, str)):
                return None
            result = self.result(method, params)
        except (ValueError, KeyError, TypeError, AttributeError):
            return None
        if result is None:
            return None
        if method == "initialize":
            self.handshake.append(line)
        said = {"jsonrpc": "2.0", "id": name, "result": result}
        return json.dumps(said, ensure_ascii=False).encode() + b"\n"

    def result(self, method: str, params: Message) -> Message | None:
        if method == "initialize" and not self.client:
            return self.greeting(params)
        meta = params.get("_meta") or {}
        if meta.get(f"{META}/protocolVersion") == TODAY:
            client = {
                "clientInfo": meta[f"{META}/clientInfo"],
                "capabilities": meta[f"{META}/clientCapabilities"],
            }
            end = COMPLETE | {"_meta": {f"{META}/serverInfo": SERVER}}
        else:
            client, end = self.client, {}
        # A cursor, or a client that draws views, is not of the usual kind.
        if not is_usual(client) or set(params) - {"_meta"}:
            return None
        if method == "server/discover" and end:
            capabilities: Message = {"extensions": {f"{META}/ui": {}}} | CAPABILITIES
            return end | {
                "capabilities": capabilities, "instructions": self.listed.instructions, "supportedVersions": [TODAY],
            }  # fmt: skip
        if method == "tools/list":
            return end | {"tools": self.tools(client)}
        return {} if method == "ping" and not end else None

    def greeting(self, params: Message) -> Message | None:
        if params["protocolVersion"] not in HANDSHAKE or not is_told(params):
            return None
        self.client = params
        return {
            "protocolVersion": params["protocolVersion"], "capabilities": CAPABILITIES, "serverInfo": SERVER,
            "instructions": self.listed.instructions,
        }  # fmt: skip

    def tools(self, client: Message) -> list[Message]:
        most = bytes_of(client["clientInfo"]["name"]) if self.max_bytes is None else self.max_bytes
        return self.listed.offered("elicitation" in client["capabilities"], most)


def is_usual(client: Message) -> bool:
    """Tells whether a client has told who it is, and asks for no view."""
    return is_told(client) and "extensions" not in client["capabilities"]


def is_told(client: Message) -> bool:
    """Tells whether a client has told who it is, and what it can do."""
    info, capabilities = client.get("clientInfo"), client.get("capabilities")
    return (
        isinstance(info, dict)
        and isinstance(info.get("name"), str)
        and isinstance(info.get("version"), str)
        and isinstance(capabilities, dict)
        and isinstance(capabilities.get("elicitation", {}), dict)
    )


def whole_lines(source: int) -> Iterator[list[bytes]]:
    """Returns the lines of a file as they come, none cut in two: what was read of it is all in them."""
    part = b""
    while chunk := os.read(source, CHUNK_BYTES):
        part += chunk
        if part.endswith(b"\n"):
            yield part.splitlines(keepends=True)
            part = b""
    if part:
        yield [part]


def written(target: int, text: bytes) -> None:
    while text:
        text = text[os.write(target, text) :]

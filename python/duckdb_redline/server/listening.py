"""HTTP on this machine: a socket, its permitted clients, and its server."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
from collections.abc import Iterator

import uvicorn
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

# Connections at a time, bytes of a request's head, seconds that it may take, and those between two requests of a connection.
MAX_CONNECTIONS, MAX_HEAD_BYTES, HEAD_SECONDS, IDLE_SECONDS = 64, 16 << 10, 10.0, 5


class Guard:
    """Refuses requests that another site's page may have sent: for another host, or from another origin."""

    def __init__(
        self, app: ASGIApp, authorities: frozenset[str], needs_origin: bool = False
    ) -> None:
        self.app, self.authorities, self.needs_origin = app, authorities, needs_origin
        self.origins = {f"http://{authority}" for authority in authorities}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        changes = scope["method"] not in ("GET", "HEAD")
        refusal = None
        # A name that another site points at this machine (DNS rebinding) stays in the header.
        if len(hosts) != 1 or hosts[0].lower() not in self.authorities:
            refusal = PlainTextResponse("This is not the host of this server.\n", 421)
        elif any(origin not in self.origins for origin in origins) or (
            self.needs_origin and changes and len(origins) != 1
        ):
            refusal = PlainTextResponse("Another site may not send this.\n", 403)
        await (refusal or self.app)(scope, receive, send)


class Impatient(H11Protocol):
    """A connection that is closed when the head of a request does not come to its end in time."""

    waits_for: asyncio.TimerHandle | None = None
    # How many connections there may be.
    most = MAX_CONNECTIONS

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.make_room()
        self.watch()

    def make_room(self) -> None:
        """Closes a connection on which nothing is asked, where there are too many: one that asks is not refused for it."""
        others = [one for one in self.connections if isinstance(one, Impatient) and one is not self]
        if len(others) >= self.most:
            idle = [one for one in others if not one.is_answering() and one.waits_for is not None]
            oldest = min(
                idle, key=lambda one: one.waits_for.when() if one.waits_for else 0.0, default=self
            )
            oldest.transport.close()
            self.connections.discard(oldest)

    def is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self.watch()

    def watch(self) -> None:
        """Starts to wait for a head, or stops, where a request is being answered."""
        is_answering = self.is_answering()
        if is_answering and self.waits_for is not None:
            self.waits_for.cancel()
            self.waits_for = None
        elif not is_answering and self.waits_for is None:
            self.waits_for = self.loop.call_later(HEAD_SECONDS, self.give_up)

    def give_up(self) -> None:
        self.waits_for = None
        if not self.is_answering():
            self.transport.close()


class Listener(uvicorn.Server):
    """A server whose process keeps its own signals, and which logs nothing: an address may hold a token."""

    def __init__(self, app: ASGIApp, most: int = MAX_CONNECTIONS) -> None:
        """Takes the connections that there may be at a time."""
        super().__init__(
            uvicorn.Config(
                app, http=type("Bounded", (Impatient,), {"most": most}), ws="none", lifespan="auto", log_config=None, log_level="critical", access_log=False, server_header=False,
                proxy_headers=False, timeout_keep_alive=IDLE_SECONDS,
                h11_max_incomplete_event_size=MAX_HEAD_BYTES, timeout_graceful_shutdown=1,
            )
        )  # fmt: skip

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def bound(address: str, port: int) -> socket.socket:
    """Returns a socket that listens; an OSError says why there is none."""
    listening = socket.socket(
        socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM
    )
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((address, port))
        listening.listen(MAX_CONNECTIONS)
    except BaseException:
        listening.close()
        raise
    return listening


def authorities(listening: socket.socket) -> frozenset[str]:
    """Returns the permitted values of the Host header."""
    address, port = listening.getsockname()[:2]
    names = {f"[{address}]" if ":" in address else address}
    if ipaddress.ip_address(address).is_loopback:
        names.add("localhost")
    return frozenset(f"{name}:{port}" for name in names)


def origin(listening: socket.socket) -> str:
    """Returns the address of the server."""
    address, port = listening.getsockname()[:2]
    return f"http://[{address}]:{port}" if ":" in address else f"http://{address}:{port}"

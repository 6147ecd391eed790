"""The protocol over streamable HTTP: clients that have a bearer token, each with a session of its own."""

from __future__ import annotations

import collections
import hashlib
import hmac
import ipaddress
import os
import pathlib
import re
import secrets
import socket
import stat
import sys
from typing import TYPE_CHECKING, Any

from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend
from mcp.server.auth.provider import AccessToken
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .listening import Guard, Listener, authorities, origin

if TYPE_CHECKING:
    from .approver import Context

PATH = "/mcp"
SESSION = "mcp-session-id"
# What a request may have, and how long a session may be idle.
MAX_BODY_BYTES, MAX_IDLE_SECONDS = 8 << 20, 30 * 60
# What one token may have at a time, whatever the others do.
MAX_SESSIONS, MAX_REQUESTS = 16, 32
# Connections beyond those: of clients that have sent no token yet.
MAX_UNKNOWN = 64
TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]{32,512}")
MAKE_ONE = "python3 -c 'import secrets; print(secrets.token_urlsafe(32))'"


class Tokens:
    """The tokens of a file, one a line: each is a client of its own."""

    def __init__(self, tokens: list[str]) -> None:
        self.digests = {f"client {number}": digest(token) for number, token in enumerate(tokens, 1)}
        self.sessions = {client: f"{client}:{secrets.token_urlsafe(16)}" for client in self.digests}

    async def verify_token(self, token: str) -> AccessToken | None:
        """Returns whose token it is, in a time that does not depend on how much of it is right."""
        given, found = digest(token), None
        for client, expected in self.digests.items():
            if hmac.compare_digest(given, expected):
                found = client
        return AccessToken(token="", client_id=found, scopes=[]) if found else None

    def session_of(self, context: Context) -> str:
        """Returns the session of the client that sent a request."""
        request: Any = context.request
        return self.sessions[request.user.access_token.client_id]


class Shares:
    """Gives each token its share of the server: requests at a time, and sessions; a further one ends the oldest."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.requests: collections.Counter[str] = collections.Counter()
        # The sessions of each token, the one that was used last at the end.
        self.sessions: dict[str, dict[str, None]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        token = getattr(scope.get("user"), "access_token", None)
        if scope["type"] != "http" or token is None:
            return await self.app(scope, receive, send)
        client = token.client_id
        if self.requests[client] >= MAX_REQUESTS:
            busy = PlainTextResponse(
                f"This client has {MAX_REQUESTS} requests at a time.\n", 503, {"retry-after": "1"}
            )
            return await busy(scope, receive, send)
        named = Headers(scope=scope).get(SESSION, "")
        opened: list[str] = []

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 300:
                opened.extend(
                    value.decode("latin-1")
                    for name, value in message["headers"]
                    if name.lower() == SESSION.encode()
                )
            await send(message)

        self.requests[client] += 1
        try:
            await self.app(scope, receive, sending)
        finally:
            self.requests[client] -= 1
            sessions = self.sessions.setdefault(client, {})
            for session in {*opened, named} & {*opened, *sessions}:
                sessions.pop(session, None)
                if scope["method"] != "DELETE":
                    sessions[session] = None
            while len(sessions) > MAX_SESSIONS:
                await self.end(scope, oldest := next(iter(sessions)))
                sessions.pop(oldest, None)

    async def end(self, scope: Scope, session: str) -> None:
        """Ends a session of the client that sent a request, as its own DELETE would."""
        headers = [
            (name, value) for name, value in scope["headers"] if name in (b"host", b"authorization")
        ]

        async def nothing() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def forget(message: Message) -> None:
            pass

        await self.app(
            {
                **scope,
                "method": "DELETE",
                "headers": [*headers, (SESSION.encode(), session.encode("latin-1"))],
            },
            nothing,
            forget,
        )


def digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def tokens_of(path: pathlib.Path) -> Tokens:
    """Reads the file of the tokens; a ValueError describes the defect."""
    try:
        with path.open(encoding="ascii") as file:
            found = os.fstat(file.fileno())
            lines = [line.strip() for line in file]
    except (OSError, ValueError) as error:
        raise ValueError(
            f"the token file {str(path)!r} cannot be read ({error}); make one: {MAKE_ONE} > {path}"
        ) from error
    if found.st_nlink > 1:
        raise ValueError(
            f"the token file {str(path)!r} has another name, which agents could read: make it anew"
        )
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise ValueError(f"others may read the token file {str(path)!r}: chmod 600 {path}")
    tokens = [line for line in lines if line and not line.startswith("#")]
    if (
        not tokens
        or not all(TOKEN.fullmatch(token) for token in tokens)
        or len(set(tokens)) != len(tokens)
    ):
        raise ValueError(
            f"the token file {str(path)!r} must have different tokens of 32 characters or more, one a line: {MAKE_ONE}"
        )
    return Tokens(tokens)


def place(text: str) -> tuple[str, int]:
    """Reads `[ADDRESS:]PORT`; a ValueError describes the defect."""
    address, _, port = text.rpartition(":")
    address = address.strip("[]") or "127.0.0.1"
    try:
        is_address = not ipaddress.ip_address(address).is_unspecified
    except ValueError:
        is_address = False
    if not is_address or not port.isdecimal() or int(port) > 65535:
        raise ValueError(
            f"{text!r} is not PORT or ADDRESS:PORT, with the numeric address that clients use"
        )
    return address, int(port)


async def serve_http(server: Server[Any], tokens: Tokens, listening: socket.socket) -> None:
    """Serves clients over HTTP until the process ends."""
    # The guard has checked host and origin already; the library's own check stays on, with the same names.
    names = authorities(listening)
    security = TransportSecuritySettings(
        allowed_hosts=sorted(names), allowed_origins=[f"http://{name}" for name in sorted(names)]
    )
    app = server.streamable_http_app(
        streamable_http_path=PATH, transport_security=security, token_verifier=tokens, max_request_body_size=MAX_BODY_BYTES,
        session_idle_timeout=MAX_IDLE_SECONDS, max_sessions=(MAX_SESSIONS + MAX_REQUESTS) * len(tokens.digests),
    )  # fmt: skip
    # The last that is added is asked first.
    app.add_middleware(Shares)
    app.add_middleware(AuthContextMiddleware)
    app.add_middleware(AuthenticationMiddleware, backend=BearerAuthBackend(tokens))
    print(f"redline-mcp: serving at {origin(listening)}{PATH}", file=sys.stderr, flush=True)
    await Listener(Guard(app, names), MAX_UNKNOWN + MAX_REQUESTS * len(tokens.digests)).serve(
        [listening]
    )

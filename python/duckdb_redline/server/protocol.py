"""The protocol's side of a server: the tools listed as the registry has them, and their calls."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import anyio
import duckdb
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage

from .. import __version__
from .answers import bytes_of, client_of
from .approver import Approver, Call, refusal
from .apps import EXTENSION_ID, URI, Apps
from .host import Host
from .listed import QUERY, Listed
from .opening import Opening
from .pipes import client_streams
from .progress import SECONDS, Progress
from .query import Queries

if TYPE_CHECKING:
    from .approver import Context

NOBODY = (
    "permission_denied: a person must approve this, and nobody can be asked here. Tell the person to use a client that shows "
    "forms (MCP elicitation), or to start the server with --approve web, or in a terminal with --approve terminal."
)


def one_session() -> Callable[[Context], str]:
    """Returns the function that names the session of a call, for a server of one client."""
    session = f"client:{secrets.token_urlsafe(16)}"
    return lambda context: session


def make_server(
    host: Host,
    approver: Approver,
    session_of: Callable[[Context], str],
    structured: bool = False,
    queries: Queries | None = None,
    progress_seconds: float = SECONDS,
    max_bytes: int | None = None,
) -> Server[Any]:
    """Returns a server of the tools, with SQL where `queries` runs it.

    `structured` answers with values for programs, and `max_bytes` limits an answer, where a call does not say otherwise;
    without it each client gets what its model sees whole.
    """
    apps = Apps(host)

    def most_bytes(context: Context) -> int:
        return bytes_of(client_of(context)) if max_bytes is None else max_bytes

    listed = Listed(host, structured, queries is not None)

    async def list_tools(
        context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        offered = listed.offered(approver.can_ask(context), most_bytes(context))
        tools = [types.Tool.model_validate(tool) for tool in offered]
        return types.ListToolsResult(
            tools=[
                apps.tool(context, tool) if tool.name in host.writing else tool for tool in tools
            ]
        )

    async def list_resources(
        context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=apps.listed(context))

    async def read_resource(
        context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        if str(params.uri) != URI:
            raise MCPError(types.INVALID_PARAMS, "not_found: there is no such resource")
        # A later read returns the calls that wait then.
        return types.ReadResourceResult(contents=[await apps.read(session_of(context))], ttl_ms=0)

    async def call_tool(
        context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        progress = Progress(context, progress_seconds)
        return await progress.during(lambda: answered(context, params, progress))

    async def answered(
        context: Context, params: types.CallToolRequestParams, progress: Progress
    ) -> types.CallToolResult | types.InputRequiredResult:
        arguments = ({"format": "json"} if structured else {}) | (params.arguments or {})
        call = params.name, json.dumps(params.arguments or {}), session_of(context)
        if queries is not None and params.name == QUERY:
            return await queries.run(call[2], arguments, most_bytes(context))
        payload = None
        # In these sandboxes no other tool needs approval.
        if params.name in host.writing:
            try:
                payload = await host.called(
                    call[2], "SELECT system.main.needs_approval(?, ?, ?, ?)", *call, host.key
                )
            except duckdb.Error:
                pass  # The answer to the call has the error.
        if payload is not None:
            if not approver.can_ask(context):
                return refusal(NOBODY)
            asked = Call(*call, str(payload))
            apps.asked(asked)
            with progress.waiting():
                instead = await approver.ask(context, params, asked)
            if instead is not None:
                return instead
        answer = await host.called(
            call[2],
            "SELECT system.main.redline_call(?, ?, ?, ?, ?)",
            call[0],
            json.dumps(arguments),
            call[2],
            most_bytes(context),
            ",".join(listed.names(approver.can_ask(context))),
        )
        return types.CallToolResult.model_validate_json(str(answer))

    server: Server[Any] = Server(
        "redline", version=__version__, instructions=listed.instructions, on_list_tools=list_tools, on_call_tool=call_tool,
        on_list_resources=list_resources, on_read_resource=read_resource,
    )  # fmt: skip
    server.extensions[EXTENSION_ID] = {}
    server.middleware.append(
        RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="redline")
    )
    return server


# The id of the handshake that a server is told again; no client gives such a one.
TOLD_AGAIN = "redline: the handshake, told again"


async def serve_stdio(server: Server[Any], opening: Opening | None = None) -> None:
    """Serves one client on stdin and stdout until it closes them, going on where its opening has ended."""
    async with client_streams() as (read, write):
        options = server.create_initialization_options()
        if opening is None:
            await server.run(read, write, options)
            return
        answered = anyio.Event()
        earlier = Earlier(read, opening, answered)
        await server.run(earlier, Without(write, answered), options)


class Earlier:
    """A stream of messages, after those that were read before it: the handshake first, and once it is answered the others."""

    def __init__(self, stream: Any, opening: Opening, answered: anyio.Event) -> None:
        self.stream, self.answered = stream, answered
        self.handshake = [message_of(line) for line in opening.handshake]
        self.rest = [message_of(line) for line in opening.rest]
        if self.handshake:
            self.handshake[0].message.id = TOLD_AGAIN

    async def receive(self) -> Any:
        if self.handshake:
            message = self.handshake.pop(0)
            if not isinstance(message.message, types.JSONRPCRequest):
                await self.answered.wait()
            return message
        return self.rest.pop(0) if self.rest else await self.stream.receive()

    def __aiter__(self) -> Earlier:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    async def __aenter__(self) -> Earlier:
        await self.stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        return await self.stream.__aexit__(*error)


class Without:
    """A stream of messages without the answer to the handshake that was told again."""

    def __init__(self, stream: Any, answered: anyio.Event) -> None:
        self.stream, self.answered = stream, answered

    async def send(self, message: Any) -> None:
        if getattr(message.message, "id", None) == TOLD_AGAIN:
            self.answered.set()
        else:
            await self.stream.send(message)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    async def __aenter__(self) -> Without:
        await self.stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        return await self.stream.__aexit__(*error)


def message_of(line: bytes) -> Any:
    """Returns the message of a line, or the error of one that is none."""
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error

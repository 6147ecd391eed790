"""The protocol's side of a server: the tools listed as the registry has them, and their calls."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import duckdb
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from .. import __version__
from .answers import bytes_of, client_of
from .approver import Approver, Call, refusal
from .apps import EXTENSION_ID, URI, Apps
from .host import Host
from .progress import SECONDS, Progress
from .query import NAME, Queries

if TYPE_CHECKING:
    from .approver import Context

# The columns of redline_tools() that the protocol lists, and how their text is read.
COLUMNS: dict[str, Callable[[str], Any]] = {
    "name": str, "title": str, "description": str, "input_schema": json.loads, "output_schema": json.loads, "annotations": json.loads,
}  # fmt: skip
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

    granted = granted_tools(host, structured)
    granted += [queries.tool(structured)] if queries is not None else []

    def offered_to(context: Context) -> list[types.Tool]:
        """Returns the tools for a client: one that cannot ask a person is not offered those that need approval."""
        can_ask = approver.can_ask(context)
        return [
            tool.model_copy(deep=True)
            for tool in granted
            if tool.name not in host.writing or can_ask
        ]

    async def list_tools(
        context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        offered = offered_to(context)
        for tool in offered:
            tool.input_schema["properties"]["max_bytes"]["default"] = most_bytes(context)
        return types.ListToolsResult(
            tools=[
                apps.tool(context, tool) if tool.name in host.writing else tool for tool in offered
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
        if queries is not None and params.name == NAME:
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
            ",".join(tool.name for tool in offered_to(context)),
        )
        return types.CallToolResult.model_validate_json(str(answer))

    capabilities = (
        host.con.cursor()
        .execute("SELECT instructions FROM system.main.redline_capabilities()")
        .fetchone()
    )
    instructions = str(capabilities[0]) if capabilities else None
    server: Server[Any] = Server(
        "redline", version=__version__, instructions=instructions, on_list_tools=list_tools, on_call_tool=call_tool,
        on_list_resources=list_resources, on_read_resource=read_resource,
    )  # fmt: skip
    server.extensions[EXTENSION_ID] = {}
    server.middleware.append(
        RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="redline")
    )
    return server


def granted_tools(host: Host, structured: bool) -> list[types.Tool]:
    """Returns the tools that the database grants, as the registry describes them; schemas of answers where they have values."""
    columns = {
        name: read for name, read in COLUMNS.items() if structured or name != "output_schema"
    }
    rows = (
        host.con.cursor()
        .execute(f"SELECT {', '.join(columns)} FROM system.main.redline_tools()")
        .fetchall()
    )
    ((granted,),) = (
        host.con.cursor()
        .execute("SELECT grants FROM system.main.redline_capabilities()")
        .fetchall()
    )
    tools: list[dict[str, Any]] = [
        {name: read(text) for (name, read), text in zip(columns.items(), row)} for row in rows
    ]
    return [types.Tool.model_validate(camel(tool)) for tool in tools if tool["name"] in granted]


def camel(tool: dict[str, Any]) -> dict[str, Any]:
    """Returns a row of redline_tools() with the names that the protocol has for its columns."""
    names = {"input_schema": "inputSchema", "output_schema": "outputSchema"}
    return {names.get(name, name): given for name, given in tool.items()}


async def serve_stdio(server: Server[Any]) -> None:
    """Serves one client on stdin and stdout until it closes them."""
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())

"""The protocol's side of a server: the tools listed as the registry has them, and their calls."""

import json
import secrets
import threading

import anyio
import anyio.to_thread
import duckdb
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server

from .. import __version__
from .approval import ask, can_ask, pages_of
from .host import WRITING, Host, value
from .terminal import Terminal

# The columns of redline_tools() that the protocol lists, and how their text is read.
COLUMNS = {"name": str, "title": str, "description": str, "input_schema": json.loads, "output_schema": json.loads, "annotations": json.loads}


NOBODY = (
    "permission_denied: a person must approve this, and nobody can be asked here. Tell the person to use a client that shows "
    "forms (MCP elicitation), or to start the server in a terminal with --approve terminal."
)


def refusal(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)


async def ask_at(terminal: Terminal, pages: list[dict]) -> bool | None:
    """Asks at the terminal, in a thread; a call that is cancelled withdraws its question."""
    stop = threading.Event()
    try:
        return await anyio.to_thread.run_sync(terminal.ask, pages, stop, abandon_on_cancel=True)
    finally:
        stop.set()


def make_server(host: Host, terminal: Terminal | None = None) -> Server:
    # One client is served on stdin and stdout; a server of many gives each a session of its own.
    session = secrets.token_urlsafe(16)

    async def list_tools(ctx, params) -> types.ListToolsResult:
        tools = granted_tools(host)
        # Who cannot ask a person is not offered what a person must approve.
        return types.ListToolsResult(tools=[tool for tool in tools if tool.name not in WRITING or terminal or can_ask(ctx)])

    async def call_tool(ctx, params) -> types.CallToolResult | types.InputRequiredResult:
        call = params.name, json.dumps(params.arguments or {}), session
        try:
            payload = await host.value("SELECT system.main.needs_approval(?, ?, ?, ?)", *call, host.key)
        except duckdb.Error:
            payload = None  # The answer to the call says what is wrong with it.
        pages = None
        if payload is not None and not terminal and not can_ask(ctx):
            return refusal(NOBODY)
        if payload is not None:
            pages = await (pages_of(host, payload, terminal.size()) if terminal else pages_of(host, payload))
        if pages is not None:
            answered = await (ask_at(terminal, pages) if terminal else ask(ctx, params, pages))
            if isinstance(answered, types.InputRequiredResult):
                return answered
            if answered is False:
                await host.value("SELECT system.main.decline(?, ?)", payload, host.key)
            if answered:
                approved = payload, "once", host.key, pages[-1]["proof"]
                await host.value("SELECT system.main.approve(?, ?, ?, ?)", *approved)
        answer = await value(host.con.cursor(), "SELECT system.main.redline_call(?, ?, ?)", *call)
        return types.CallToolResult.model_validate_json(answer)

    (instructions,) = host.con.cursor().execute("SELECT instructions FROM system.main.redline_capabilities()").fetchone()
    server = Server("redline", version=__version__, instructions=instructions, on_list_tools=list_tools, on_call_tool=call_tool)
    server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="redline"))
    return server


def granted_tools(host: Host) -> list[types.Tool]:
    """Returns the tools that the database grants, as the registry describes them."""
    rows = host.con.cursor().execute(f"SELECT {', '.join(COLUMNS)} FROM system.main.redline_tools()").fetchall()
    (granted,) = host.con.cursor().execute("SELECT grants FROM system.main.redline_capabilities()").fetchone()
    tools = [{name: read(text) for (name, read), text in zip(COLUMNS.items(), row)} for row in rows]
    return [types.Tool.model_validate(camel(tool)) for tool in tools if tool["name"] in granted]


def camel(tool: dict) -> dict:
    """Returns what the protocol calls the columns of redline_tools()."""
    names = {"input_schema": "inputSchema", "output_schema": "outputSchema"}
    return {names.get(name, name): given for name, given in tool.items()}


async def serve(server: Server) -> None:
    """Serves one client on stdin and stdout until it closes them."""
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())

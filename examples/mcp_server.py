"""A server for agents: the tools of redline over the Model Context Protocol, on stdin and stdout.

    python examples/mcp_server.py FOLDER            reads files and repositories below the folder
    python examples/mcp_server.py FOLDER --write    changes files too, when a person approves each change

The folder is the sandbox `workspace`. A change is shown to a person through the client (elicitation); where the client
cannot ask, nothing is changed, and the answer holds the payload that was to be approved. Needs: pip install mcp duckdb
"""

import argparse
import json
import pathlib

import anyio
import duckdb
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

EXTENSION = pathlib.Path(__file__).resolve().parent.parent / "build/release/redline.duckdb_extension"
READING, WRITING = ["Diff", "GitDiff", "GitDiffSummary", "GitDiffFile", "read_file"], ["write_file", "edit_file"]
FORM = {"type": "object", "properties": {"approve": {"type": "boolean", "title": "Approve"}}, "required": ["approve"]}


def open_database(folder: pathlib.Path, write: bool, extension: pathlib.Path) -> duckdb.DuckDBPyConnection:
    """Returns the host's connection to a locked database; its cursors are the agents', and may not approve."""
    host = duckdb.connect(config={"allow_unsigned_extensions": True})
    host.execute(f"LOAD '{extension}'")
    sandboxes = json.dumps([{"name": "workspace", "root": str(folder), "mode": "rw" if write else "ro"}])
    host.execute("SET GLOBAL redline_sandboxes = '{}'".format(sandboxes.replace("'", "''")))
    grants = READING + WRITING * write
    host.execute(f"SET GLOBAL redline_tool_grants = {grants}")
    host.execute(f"SET SESSION redline_tool_grants = {[*grants, 'Approve']}")
    return host.execute("SET GLOBAL lock_configuration = true")


async def value(con: duckdb.DuckDBPyConnection, query: str, *arguments):
    """Returns the one value of a query, run in a thread; a call that is cancelled interrupts it."""
    try:
        return await anyio.to_thread.run_sync(lambda: con.execute(query, arguments).fetchone()[0], abandon_on_cancel=True)
    except anyio.get_cancelled_exc_class():
        con.interrupt()
        raise


def make_server(host: duckdb.DuckDBPyConnection) -> Server:
    asking = anyio.Lock()

    async def list_tools(ctx, params) -> types.ListToolsResult:
        tools = """SELECT json_group_array(json_object('name', name, 'title', title, 'description', description,
            'inputSchema', input_schema, 'outputSchema', output_schema, 'annotations', annotations))
            FROM redline_tools() JOIN redline_capabilities() ON list_contains(grants, name)"""
        return types.ListToolsResult(tools=json.loads(await value(host.cursor(), tools)))

    async def on_host(query: str, *arguments):
        async with asking:  # One connection runs one query at a time.
            return await value(host, query, *arguments)

    async def call_tool(ctx, params) -> types.CallToolResult | types.InputRequiredResult:
        call = params.name, json.dumps(params.arguments or {})
        try:
            payload = await on_host("SELECT needs_approval(?, ?)", *call)
        except duckdb.Error:
            payload = None  # The answer to the call says what is wrong with it.
        if payload is not None and getattr(ctx.session.client_capabilities, "elicitation", None) is not None:
            shown = await value(host.cursor(), "SELECT approval_display(?, 100, 200)", payload)
            if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
                answer = await ctx.session.elicit_form(shown, FORM, ctx.request_id)
            elif params.request_state == (state := json.loads(payload)["approval_id"]):
                answer = (params.input_responses or {}).get("approval")
            else:  # Today's protocol returns the question, and the client repeats the call with the answer to it.
                asked = types.ElicitRequest(params=types.ElicitRequestFormParams(message=shown, requested_schema=FORM))
                return types.InputRequiredResult(input_requests={"approval": asked}, request_state=state)
            if isinstance(answer, types.ElicitResult) and answer.action == "accept" and answer.content == {"approve": True}:
                await on_host("SELECT approve(?)", payload)
                payload = None
        result = types.CallToolResult.model_validate_json(await value(host.cursor(), "SELECT redline_call(?, ?)", *call))
        result.content += [types.TextContent(type="text", text=payload)] if payload is not None else []
        return result

    server = Server("redline", on_list_tools=list_tools, on_call_tool=call_tool)
    server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="redline"))
    return server


async def serve(server: Server) -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--extension", type=pathlib.Path, default=EXTENSION)
    given = parser.parse_args()
    anyio.run(serve, make_server(open_database(given.folder.resolve(), given.write, given.extension.resolve())))

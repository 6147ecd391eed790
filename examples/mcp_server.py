"""A server for agents: the tools of redline over the Model Context Protocol, on stdin and stdout.

    python examples/mcp_server.py FOLDER            reads files and repositories below the folder
    python examples/mcp_server.py FOLDER --write    changes files too, when a person approves each change

The directory is the sandbox `workspace`. A change is shown to a person through the client (elicitation), page by page
where it is long; where the client cannot ask, or there are too many pages, nothing is changed. Every function is called
as system.main.…, which no macro shadows. Needs: pip install mcp duckdb
"""

import argparse
import hashlib
import json
import pathlib
import secrets

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
NEXT = {"type": "object", "properties": {"next": {"type": "boolean", "title": "I have read this page"}}, "required": ["next"]}
# A page of a form, and how many a person is asked to read; what is longer is refused.
WIDTH, HEIGHT, MOST_PAGES = 100, 60, 20


class Host:
    """The host's connection, and the key that no agent has."""

    def __init__(self, con: duckdb.DuckDBPyConnection):
        self.con, self.key, self.asking = con, secrets.token_urlsafe(32), anyio.Lock()

    async def value(self, query: str, *arguments):
        async with self.asking:  # One connection runs one query at a time.
            return await value(self.con, query, *arguments)


def open_database(folder: pathlib.Path, write: bool, extension: pathlib.Path) -> Host:
    """Returns the host of a locked database; its cursors are the agents', and none of them knows the key."""
    host = Host(duckdb.connect(config={"allow_unsigned_extensions": True}))
    quoted = lambda text: "'" + text.replace("'", "''") + "'"
    host.con.execute(f"LOAD {quoted(str(extension))}")
    sandboxes = json.dumps([{"name": "workspace", "root": str(folder), "mode": "rw" if write else "ro"}])
    host.con.execute(f"SET GLOBAL redline_sandboxes = {quoted(sandboxes)}")
    host.con.execute(f"SET GLOBAL redline_tool_grants = {READING + WRITING * write}")
    host.con.execute(f"SET GLOBAL redline_approver = '{hashlib.sha256(host.key.encode()).hexdigest()}'")
    host.con.execute("SET GLOBAL lock_configuration = true")
    return host


async def value(con: duckdb.DuckDBPyConnection, query: str, *arguments):
    """Returns the one value of a query, run in a thread; a call that is cancelled interrupts it."""
    try:
        return await anyio.to_thread.run_sync(lambda: con.execute(query, arguments).fetchone()[0], abandon_on_cancel=True)
    except anyio.get_cancelled_exc_class():
        con.interrupt()
        raise


def make_server(host: Host) -> Server:
    # One client is served on stdin and stdout; a server of many gives each a session of its own.
    session = secrets.token_urlsafe(16)

    async def list_tools(ctx, params) -> types.ListToolsResult:
        columns = {"name": str, "title": str, "description": str, "input_schema": json.loads, "output_schema": json.loads, "annotations": json.loads}
        rows = host.con.cursor().execute(f"SELECT {', '.join(columns)} FROM system.main.redline_tools()").fetchall()
        (granted,) = host.con.cursor().execute("SELECT grants FROM system.main.redline_capabilities()").fetchone()
        tools = [{name: read(text) for (name, read), text in zip(columns.items(), row)} for row in rows]
        return types.ListToolsResult(tools=[types.Tool.model_validate(camel(tool)) for tool in tools if tool["name"] in granted])

    async def pages_of(payload: str) -> list[dict] | None:
        """Returns the pages that a person must see; None where there are more than anybody reads."""
        try:
            pages = await host.value("SELECT system.main.approval_pages(?, ?, ?)", payload, WIDTH, HEIGHT)
        except duckdb.Error:
            return None
        return pages if len(pages) <= MOST_PAGES else None

    async def call_tool(ctx, params) -> types.CallToolResult | types.InputRequiredResult:
        call = params.name, json.dumps(params.arguments or {}), session
        try:
            payload = await host.value("SELECT system.main.needs_approval(?, ?, ?, ?)", *call, host.key)
        except duckdb.Error:
            payload = None  # The answer to the call says what is wrong with it.
        pages = None
        if payload is not None and getattr(ctx.session.client_capabilities, "elicitation", None) is not None:
            pages = await pages_of(payload)
        if pages is not None:
            answered = await ask(ctx, params, pages)
            if isinstance(answered, types.InputRequiredResult):
                return answered
            if answered:
                approved = payload, "once", host.key, pages[-1]["proof"]
                await host.value("SELECT system.main.approve(?, ?, ?, ?)", *approved)
        answer = await value(host.con.cursor(), "SELECT system.main.redline_call(?, ?, ?)", *call)
        return types.CallToolResult.model_validate_json(answer)

    async def ask(ctx, params, pages: list[dict]) -> bool | types.InputRequiredResult:
        """Shows a person one page after the other; True is a yes to all that was shown."""
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            for page in pages:
                if not is_yes(await ctx.session.elicit_form(page["text"], form(page), ctx.request_id), page):
                    return False
            return True
        # Today's protocol returns the question, and the client repeats the call with the answer. What was asked last is
        # known by its proof, which no client can make: each carries on from the page before.
        asked = next((page for page in pages if page["proof"] == params.request_state), None)
        if asked is not None:
            if not is_yes((params.input_responses or {}).get("approval"), asked):
                return False
            if asked["page"] == asked["pages"]:
                return True
        page = pages[asked["page"] if asked else 0]
        question = types.ElicitRequest(params=types.ElicitRequestFormParams(message=page["text"], requested_schema=form(page)))
        return types.InputRequiredResult(input_requests={"approval": question}, request_state=page["proof"])

    server = Server("redline", on_list_tools=list_tools, on_call_tool=call_tool)
    server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="redline"))
    return server


def camel(tool: dict) -> dict:
    """Returns what the protocol calls the columns of redline_tools()."""
    names = {"input_schema": "inputSchema", "output_schema": "outputSchema"}
    return {names.get(name, name): given for name, given in tool.items()}


def form(page: dict) -> dict:
    return FORM if page["page"] == page["pages"] else NEXT


def is_yes(answer, page: dict) -> bool:
    wanted = {"approve": True} if page["page"] == page["pages"] else {"next": True}
    return isinstance(answer, types.ElicitResult) and answer.action == "accept" and answer.content == wanted


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

"""The client of mcp-use."""

import asyncio
import os

from dialogue import CALLS, READING, SERVER, say

os.environ["MCP_USE_ANONYMIZED_TELEMETRY"] = "false"

from mcp.types import ElicitResult
from mcp_use import MCPClient


async def yes(context, params):
    return ElicitResult(
        action="accept", content=dict.fromkeys(params.requestedSchema["properties"], True)
    )


async def main() -> None:
    servers = {"mcpServers": {"redline": {"command": SERVER[0], "args": SERVER[1:]}}}
    client = MCPClient.from_dict(servers, elicitation_callback=yes)
    session = await client.create_session("redline")

    async def text(name, arguments):
        result = await session.call_tool(name, arguments)
        return "".join(part.text for part in result.content)

    tools = [tool.name for tool in await session.list_tools()]
    results = [await text(*call) for call in READING]
    form = await text(*CALLS["edit"])
    await client.close_all_sessions()
    say(tools=tools, results=results, form=form)


asyncio.run(main())

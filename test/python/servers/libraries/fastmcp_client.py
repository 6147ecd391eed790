"""The client of fastmcp."""

import asyncio

from dialogue import CALLS, READING, SERVER, say
from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StdioTransport


async def main() -> None:
    async def yes(message, response_type, params, context):
        return ElicitResult(
            action="accept", content=dict.fromkeys(params.requestedSchema["properties"], True)
        )

    async with Client(StdioTransport(SERVER[0], SERVER[1:]), elicitation_handler=yes) as client:

        async def text(name, arguments):
            result = await client.call_tool(name, arguments, raise_on_error=False)
            return "".join(part.text for part in result.content)

        tools = [tool.name for tool in await client.list_tools()]
        results = [await text(*call) for call in READING]
        say(tools=tools, results=results, form=await text(*CALLS["edit"]))


asyncio.run(main())

"""The tools as langchain-mcp-adapters makes them."""

import asyncio

from dialogue import READING, SERVER, say
from langchain_mcp_adapters.client import MultiServerMCPClient


async def main() -> None:
    client = MultiServerMCPClient(
        {"redline": {"transport": "stdio", "command": SERVER[0], "args": SERVER[1:]}}
    )
    tools = {tool.name: tool for tool in await client.get_tools()}

    async def text(name, arguments):
        content = await tools[name].ainvoke(arguments)
        return content if isinstance(content, str) else "".join(part["text"] for part in content)

    say(tools=list(tools), results=[await text(*call) for call in READING])


asyncio.run(main())

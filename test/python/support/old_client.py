"""Drives a server by the official client of the generation before: a program of its own, since both have the name `mcp`.

Its argument is JSON: how to reach the server, and the calls to make. It prints what it was told as JSON.
"""

import contextlib
import importlib.metadata
import json
import sys

import anyio
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


@contextlib.asynccontextmanager
async def streams(given: dict):
    if "url" in given:
        async with streamablehttp_client(given["url"], headers=given["headers"]) as (read, write, _):
            yield read, write
    else:
        async with stdio_client(StdioServerParameters(command=given["command"][0], args=given["command"][1:])) as (read, write):
            yield read, write


async def main(given: dict) -> dict:
    questions = []

    async def answer(context, params):
        questions.append({"message": params.message, "schema": params.requestedSchema, "meta": params.meta.model_dump() if params.meta else None})
        return types.ElicitResult(action="accept", content={"approve": True})

    with anyio.fail_after(60):
        async with streams(given) as (read, write):
            async with ClientSession(read, write, elicitation_callback=answer) as client:
                said = await client.initialize()
                tools = [tool.model_dump(by_alias=True, exclude_none=True) for tool in (await client.list_tools()).tools]
                results = []
                for name, arguments in given["calls"]:
                    # The client checks the answer against the tool's output schema.
                    result = await client.call_tool(name, arguments)
                    results.append([name, result.isError, result.content[0].text, result.structuredContent])
    return {
        "client": importlib.metadata.version("mcp"), "protocol": said.protocolVersion, "instructions": said.instructions, "tools": tools,
        "results": results, "questions": questions,
    }  # fmt: skip


print(json.dumps(anyio.run(main, json.loads(sys.argv[1]))))

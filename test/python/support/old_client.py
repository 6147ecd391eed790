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
        async with streamablehttp_client(given["url"], headers=given["headers"]) as (
            read,
            write,
            _,
        ):
            yield read, write
    else:
        async with stdio_client(
            StdioServerParameters(command=given["command"][0], args=given["command"][1:])
        ) as (read, write):
            yield read, write


def heard(given: dict, scope: anyio.CancelScope, progress: list) -> dict:
    """Returns what a call asks for where it waits `patience` seconds for an answer or a sign of progress."""

    async def sign(done, total, message):
        progress.append([done, message])
        scope.deadline = anyio.current_time() + given["patience"]

    return {"progress_callback": sign} if "patience" in given else {}


async def main(given: dict) -> dict:
    questions, progress = [], []

    async def answer(context, params):
        questions.append(
            {
                "message": params.message,
                "schema": params.requestedSchema,
                "meta": params.meta.model_dump() if params.meta else None,
            }
        )
        return types.ElicitResult(action="accept", content={"approve": True})

    with anyio.fail_after(180):
        async with streams(given) as (read, write):
            async with ClientSession(read, write, elicitation_callback=answer) as client:
                said = await client.initialize()
                tools = [
                    tool.model_dump(by_alias=True, exclude_none=True)
                    for tool in (await client.list_tools()).tools
                ]
                results = []
                for name, arguments in given["calls"]:
                    # The client checks the answer against the tool's output schema.
                    with anyio.move_on_after(given.get("patience", 60)) as scope:
                        result = await client.call_tool(
                            name, arguments, **heard(given, scope, progress)
                        )
                        results.append(
                            [name, result.isError, result.content[0].text, result.structuredContent]
                        )
    return {
        "client": importlib.metadata.version("mcp"), "protocol": said.protocolVersion, "instructions": said.instructions, "tools": tools,
        "results": results, "questions": questions, "progress": progress,
    }  # fmt: skip


print(json.dumps(anyio.run(main, json.loads(sys.argv[1]))))

"""An agent of pydantic-ai, whose model is a function."""

import asyncio

from dialogue import CALLS, READING, SERVER, say
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import (
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import FunctionModel

script, offered, seen = [*READING, CALLS["edit"]], [], []


async def yes(message, response_type, params, context):
    return ElicitResult(
        action="accept", content=dict.fromkeys(params.requestedSchema["properties"], True)
    )


def model(messages, info):
    offered[:] = [tool.name for tool in info.function_tools]
    parts = [part for message in messages for part in message.parts]
    seen[:] = [
        str(part.content) for part in parts if isinstance(part, (ToolReturnPart, RetryPromptPart))
    ]
    if len(seen) < len(script):
        return ModelResponse([ToolCallPart(*script[len(seen)])])
    return ModelResponse([TextPart("That is all.")])


async def main() -> None:
    server = MCPToolset(
        StdioTransport(SERVER[0], SERVER[1:]), elicitation_handler=yes, init_timeout=120
    )
    async with Agent(FunctionModel(model), toolsets=[server]) as agent:
        await agent.run("Go on.")
    say(tools=offered, results=seen[:-1], form=seen[-1])


asyncio.run(main())

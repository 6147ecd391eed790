"""An agent of openai-agents in strict mode, which makes every argument required; its model is at MODEL."""

import asyncio
import os

from agents import Agent, ModelSettings, OpenAIResponsesModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio
from dialogue import SERVER, say
from openai import AsyncOpenAI


async def main() -> None:
    set_tracing_disabled(True)
    params = {"command": SERVER[0], "args": SERVER[1:]}
    async with MCPServerStdio(params=params, client_session_timeout_seconds=120) as server:
        model = OpenAIResponsesModel(
            "scripted", AsyncOpenAI(base_url=os.environ["MODEL"] + "/v1", api_key="scripted")
        )
        agent = Agent(
            "agent",
            model=model,
            mcp_servers=[server],
            mcp_config={"convert_schemas_to_strict": True},
            model_settings=ModelSettings(),
        )
        await Runner.run(agent, "Go on.")
        say(tools=[tool.name for tool in await server.list_tools()])


asyncio.run(main())

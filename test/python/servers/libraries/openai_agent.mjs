// An agent of @openai/agents, whose model is at MODEL; dialogue.py says what is asked.
import { Agent, MCPServerStdio, OpenAIResponsesModel, run, setTracingDisabled } from "@openai/agents";
import OpenAI from "openai";

setTracingDisabled(true);
const [command, ...args] = JSON.parse(process.env.SERVER);
const server = new MCPServerStdio({ command, args, clientSessionTimeoutSeconds: 120, timeout: 120000 });
await server.connect();
const model = new OpenAIResponsesModel(new OpenAI({ baseURL: `${process.env.MODEL}/v1`, apiKey: "scripted" }), "scripted");
const agent = new Agent({ name: "agent", model, mcpServers: [server], mcpConfig: { convertSchemasToStrict: true } });
await run(agent, "Go on.");
console.log(JSON.stringify({ tools: (await server.listTools()).map((tool) => tool.name) }));
await server.close();

// The tools as the AI SDK makes them; dialogue.py says what is asked.
import { experimental_createMCPClient as createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";

const [command, ...args] = JSON.parse(process.env.SERVER);
const calls = JSON.parse(process.env.CALLS);
const client = await createMCPClient({ transport: new StdioMCPTransport({ command, args }) });
const tools = await client.tools();
const text = async ([name, given]) => {
  const result = await tools[name].execute(given, { toolCallId: "1", messages: [] });
  return result.content.map((part) => part.text).join("");
};
const results = [await text(calls.page), await text(calls.error)];
console.log(JSON.stringify({ tools: Object.keys(tools), results }));
await client.close();

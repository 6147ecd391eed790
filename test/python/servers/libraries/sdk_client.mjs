// The client of the SDK for TypeScript; dialogue.py says what is asked.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [command, ...args] = JSON.parse(process.env.SERVER);
const calls = JSON.parse(process.env.CALLS);
const client = new Client({ name: "sdk", version: "1" }, { capabilities: { elicitation: {} } });
const waiting = new AbortController();
let answers = true;
client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
  if (!answers) {
    waiting.abort();
    return new Promise(() => {});
  }
  const names = Object.keys(params.requestedSchema.properties);
  return { action: "accept", content: Object.fromEntries(names.map((name) => [name, true])) };
});
await client.connect(new StdioClientTransport({ command, args }), { timeout: 120000 });
const text = async ([name, given], options) =>
  (await client.callTool({ name, arguments: given }, undefined, options)).content.map((part) => part.text).join("");
const tools = (await client.listTools()).tools.map((tool) => tool.name);
const results = [await text(calls.page), await text(calls.error)];
const form = await text(calls.edit);
answers = false;
await text(calls.cancelled, { signal: waiting.signal }).catch(() => {});
console.log(JSON.stringify({ tools, results, form, cancelled: await text(calls.after) }));
await client.close();

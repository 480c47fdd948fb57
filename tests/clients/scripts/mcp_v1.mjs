// The calls of the plan through the npm client `@modelcontextprotocol/sdk`, which checks answers against output
// schemas once it has listed the tools. Runs with the folder of the packages as its working directory.

import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { LATEST_PROTOCOL_VERSION, McpError } from "@modelcontextprotocol/sdk/types.js";

const plan = JSON.parse(process.env.AON_PLAN);
const version = JSON.parse(readFileSync("node_modules/@modelcontextprotocol/sdk/package.json", "utf8")).version;

async function call(client, name, args) {
  try {
    return { result: await client.callTool({ name, arguments: args }) };
  } catch (error) {
    // The client adds its own prefix to what the server said, and uses the same class for its own complaints.
    const own = error.message.includes("does not match the tool's output schema");
    if (error instanceof McpError && !own) return { error: { code: error.code, message: error.message, data: error.data } };
    return { refused: `${error.constructor.name}: ${error.message}` };
  }
}

async function walk(transport, kind) {
  const client = new Client({ name: "aon-suite", version: "1" });
  await client.connect(transport);
  const { tools } = await client.listTools();
  const calls = {};
  for (const step of plan.calls) {
    const outcome = await call(client, step.tool, step.arguments);
    calls[step.name] = outcome;
    const corrected = outcome.result?.structuredContent?.error?.corrected_args;
    if (corrected !== undefined) calls[`${step.name}, corrected`] = await call(client, step.tool, corrected);
  }
  const protocol = transport.protocolVersion ?? LATEST_PROTOCOL_VERSION;
  await client.close();
  return { transport: kind, era: "2025-11-25", protocol, tools, calls };
}

const requestInit = { headers: { "X-Request-Id": plan.request_id } };
const [command, ...args] = plan.command;
const sessions = [
  await walk(new StreamableHTTPClientTransport(new URL(plan.mcp), { requestInit }), "http"),
  await walk(new StdioClientTransport({ command, args, stderr: "ignore" }), "stdio"),
];
console.log(JSON.stringify({ client: `npm @modelcontextprotocol/sdk ${version}`, sessions }));

// The calls of the plan through the npm client `@modelcontextprotocol/client`, in both protocol eras.
// Runs with the folder of the packages as its working directory.

import { readFileSync } from "node:fs";
import { Client, ProtocolError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const plan = JSON.parse(process.env.AON_PLAN);
const version = JSON.parse(readFileSync("node_modules/@modelcontextprotocol/client/package.json", "utf8")).version;

async function call(client, name, args) {
  try {
    return { result: await client.callTool({ name, arguments: args }) };
  } catch (error) {
    if (error instanceof ProtocolError) return { error: { code: error.code, message: error.message, data: error.data } };
    return { refused: `${error.constructor.name}: ${error.message}` };
  }
}

async function walk(transport, kind, era, options) {
  const client = new Client({ name: "aon-suite", version: "1" }, options);
  await client.connect(transport);
  const { tools } = await client.listTools();
  const calls = {};
  for (const step of plan.calls) {
    const outcome = await call(client, step.tool, step.arguments);
    calls[step.name] = outcome;
    const corrected = outcome.result?.structuredContent?.error?.corrected_args;
    if (corrected !== undefined) calls[`${step.name}, corrected`] = await call(client, step.tool, corrected);
  }
  const protocol = client.getNegotiatedProtocolVersion();
  await client.close();
  return { transport: kind, era, protocol, tools, calls };
}

const http = () =>
  new StreamableHTTPClientTransport(new URL(plan.mcp), { requestInit: { headers: { "X-Request-Id": plan.request_id } } });
const [command, ...args] = plan.command;
const stdio = () => new StdioClientTransport({ command, args, stderr: "ignore" });
const modern = { versionNegotiation: { mode: "auto" } };
const sessions = [
  await walk(http(), "http", "2025-11-25", {}),
  await walk(stdio(), "stdio", "2025-11-25", {}),
  await walk(http(), "http", "2026-07-28", modern),
  await walk(stdio(), "stdio", "2026-07-28", modern),
];
console.log(JSON.stringify({ client: `npm @modelcontextprotocol/client ${version}`, sessions }));

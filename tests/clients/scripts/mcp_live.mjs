// Calls that report, ask and are cancelled, through the npm client `@modelcontextprotocol/client`, in both protocol eras.
// Runs with the folder of the packages as its working directory.

import { readFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const plan = JSON.parse(process.env.AON_PLAN);
const version = JSON.parse(readFileSync("node_modules/@modelcontextprotocol/client/package.json", "utf8")).version;

async function call(transport, kind, mode, step) {
  const report = { name: step.name, transport: kind, mode, questions: [], progress: [], logs: [] };
  const answers = [...(step.answers ?? [])];
  const options = mode === "legacy" ? {} : { versionNegotiation: { mode: "auto" } };
  if (step.answers) options.capabilities = { elicitation: { form: {} } };
  const client = new Client({ name: "aon-suite", version: "1" }, options);
  if (step.answers) {
    client.setRequestHandler("elicitation/create", async (request) => {
      report.questions.push(request.params);
      return answers.shift() ?? { action: "cancel" };
    });
  }
  client.setNotificationHandler("notifications/message", (notification) => {
    report.logs.push(notification.params);
  });
  await client.connect(transport);
  report.era = client.getNegotiatedProtocolVersion();
  if (step.level && mode === "legacy") await client.setLoggingLevel(step.level);
  const request = { name: "play", arguments: step.arguments };
  if (step.meta) request._meta = step.meta;
  const extra = { timeout: 30000 };
  if (step.progress) extra.onprogress = (told) => report.progress.push([told.progress, told.total ?? null, told.message ?? null]);
  if (step.cancel_after) extra.signal = AbortSignal.timeout(step.cancel_after * 1000);
  try {
    report.result = await client.callTool(request, extra);
  } catch (error) {
    if (step.cancel_after) report.cancelled = true;
    else report.failed = `${error.constructor.name}: ${error.message}`;
  }
  await client.close();
  return report;
}

const [command, ...args] = plan.command;
const transports = {
  http: () => new StreamableHTTPClientTransport(new URL(plan.mcp)),
  stdio: () => new StdioClientTransport({ command, args, stderr: "ignore" }),
};
const calls = [];
for (const kind of ["http", "stdio"]) {
  for (const mode of ["legacy", "auto"]) {
    for (const step of plan.calls) {
      try {
        calls.push(await call(transports[kind](), kind, mode, step));
      } catch (error) {
        calls.push({ name: step.name, transport: kind, mode, failed: `${error.constructor.name}: ${error.message}` });
      }
    }
  }
}
console.log(JSON.stringify({ client: `npm @modelcontextprotocol/client ${version}`, calls }));
process.exit(0);

// The calls of the plan through the npm client `@a2a-js/sdk`: version 1.0, version 0.3, and 1.0 with our extension.
// Runs with the folder of the packages as its working directory.

import { readFileSync } from "node:fs";
import { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory } from "@a2a-js/sdk/client";

const plan = JSON.parse(process.env.AON_PLAN);
const version = JSON.parse(readFileSync("node_modules/@a2a-js/sdk/package.json", "utf8")).version;

async function outcome(call) {
  try {
    return { data: await call() };
  } catch (error) {
    const { data, envelopeCode, reason, domain, metadata, errorInfo, statusCode } = error;
    return {
      error: { class: error.constructor.name, message: error.message, data, code: envelopeCode, reason, domain, metadata, errorInfo, statusCode },
    };
  }
}

async function walk(card, wanted, extensions) {
  const headers = [];
  const fetchImpl = async (url, init) => {
    const response = await fetch(url, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), "X-Request-Id": plan.request_id } });
    headers.push(Object.fromEntries([...response.headers].filter(([name]) => name.includes("a2a"))));
    return response;
  };
  const own = { ...card, supportedInterfaces: card.supportedInterfaces.filter((each) => each.protocolVersion.startsWith(wanted)) };
  const transports = [new JsonRpcTransportFactory({ fetchImpl, legacyCompat: { enabled: true } })];
  const client = await new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { transports })).createFromAgentCard(own);
  const options = extensions.length > 0 ? { serviceParameters: { "A2A-Extensions": extensions.join(",") } } : undefined;
  const calls = {};
  for (const step of plan.calls) {
    const data = { skill: step.skill, ...step.arguments };
    const part = { content: { $case: "data", value: data }, filename: "", mediaType: "application/json" };
    const message = { messageId: "m", contextId: "", taskId: "", role: 1, parts: [part], extensions: [], referenceTaskIds: [] };
    calls[step.name] = await outcome(async () => {
      const answer = await client.sendMessage({ message, tenant: "" }, options);
      return answer.parts[0].content.value;
    });
  }
  calls.GetTask = await outcome(() => client.getTask({ id: "t", tenant: "" }, options));
  calls.CancelTask = await outcome(() => client.cancelTask({ id: "t", tenant: "" }, options));
  return { version: wanted, extensions, calls, headers };
}

const card = await new DefaultAgentCardResolver().resolve(plan.base);
const sessions = [
  await walk(card, "1.0", []),
  await walk(card, "0.3", []),
  await walk(card, "1.0", [plan.extension]),
];
console.log(JSON.stringify({ client: `npm @a2a-js/sdk ${version}`, card, sessions }));

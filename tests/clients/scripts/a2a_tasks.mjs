// Tasks through the npm client `@a2a-js/sdk`: it streams, is asked, cancels, comes back, lists, and reads the final problem.
// Runs with the folder of the packages as its working directory.

import { readFileSync } from "node:fs";
import { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } from "@a2a-js/sdk/client";

const plan = JSON.parse(process.env.AON_PLAN);
const version = JSON.parse(readFileSync("node_modules/@a2a-js/sdk/package.json", "utf8")).version;

const states = ["UNSPECIFIED", "SUBMITTED", "WORKING", "COMPLETED", "FAILED", "CANCELED", "INPUT_REQUIRED", "REJECTED", "AUTH_REQUIRED"];
const word = (state) => (typeof state === "number" ? `TASK_STATE_${states[state]}` : state);

function request(content, taskId = "") {
  const part = { content, filename: "", mediaType: "", metadata: undefined };
  const message = { messageId: "m", contextId: "", taskId, role: 1, parts: [part], extensions: [], referenceTaskIds: [] };
  return { message, tenant: "" };
}

const data = (value) => request({ $case: "data", value });

/** What one event of the client is: its kind, the state it tells of, and the object. */
function shown(event) {
  const { $case: kind, value: body } = event.payload ?? event;
  const state = body?.status ? word(body.status.state) : null;
  return { kind, state, body };
}

async function collect(events, most = 1000) {
  const seen = [];
  for await (const event of events) {
    seen.push(shown(event));
    if (seen.length >= most) break;
  }
  return seen;
}

const taskId = (events) => events[0].body.id || events[0].body.taskId;

async function walk(card, wanted, binding) {
  const fits = (each) => each.protocolVersion.startsWith(wanted) && each.protocolBinding === binding;
  const own = { ...card, supportedInterfaces: card.supportedInterfaces.filter(fits) };
  const transports = [
    binding === "JSONRPC" ? new JsonRpcTransportFactory({ legacyCompat: { enabled: true } }) : new RestTransportFactory({ legacyCompat: { enabled: true } }),
  ];
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { transports });
  const client = await new ClientFactory(options).createFromAgentCard(own);
  const rollout = { skill: "possibility_rollout", id: "acme" };
  const out = { version: wanted, binding };
  out.streamed = await collect(client.sendMessageStream(data({ ...rollout, steps: 3, fails: true })));
  out.asked = await collect(client.sendMessageStream(data({ skill: "possibility_auth_guided", id: "acme", auth_ux: "magic" })));
  const answer = request({ $case: "text", value: "hosted" }, taskId(out.asked));
  out.answered = await collect(client.sendMessageStream(answer));
  let begun = await collect(client.sendMessageStream(data({ ...rollout, steps: 10 })), 2);
  const hook = { taskId: taskId(begun), id: "mine", tenant: "" };
  const authentication = { scheme: "Bearer", credentials: "let-me-in" };
  await client.createTaskPushNotificationConfig({ ...hook, url: `${plan.hook}/${wanted}/${binding}`, token: "known-by-this", authentication });
  const gone = { ...hook, id: "gone" };
  await client.createTaskPushNotificationConfig({ ...gone, url: `${plan.hook}/gone`, token: "", authentication: undefined });
  await client.deleteTaskPushNotificationConfig(gone);
  out.hook = await client.getTaskPushNotificationConfig(hook);
  out.hooks = (await client.listTaskPushNotificationConfig({ taskId: hook.taskId, tenant: "", pageSize: 0, pageToken: "" })).configs.map((each) => each.id);
  out.resubscribed = await collect(client.resubscribeTask({ id: taskId(begun), tenant: "" }));
  begun = await collect(client.sendMessageStream(data({ ...rollout, steps: 300 })), 2);
  out.cancelled = word((await client.cancelTask({ id: taskId(begun), tenant: "" })).status.state);
  out.got = await client.getTask({ id: taskId(out.asked), tenant: "" });
  if (wanted === "1.0") {
    const listed = await client.listTasks({ contextId: out.got.contextId, tenant: "", status: 0, pageToken: "" });
    out.listed = listed.tasks.map((task) => task.id);
  }
  try {
    await collect(client.sendMessageStream(data({ skill: "possibility_auth_configuration", id: "private", auth_ux: "custom" })));
  } catch (error) {
    const { data, metadata, errorInfo } = error;
    out.refused = { class: error.constructor.name, message: error.message, data, metadata, errorInfo };
  }
  return out;
}

const card = await new DefaultAgentCardResolver().resolve(plan.base);
const walks = [await walk(card, "1.0", "JSONRPC"), await walk(card, "1.0", "HTTP+JSON"), await walk(card, "0.3", "JSONRPC")];
console.log(JSON.stringify({ client: `npm @a2a-js/sdk ${version}`, walks }));

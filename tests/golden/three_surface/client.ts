// Sends the same bad calls to each surface of a running demo, and reads the answers with the generated client.
import { strict as assert } from "node:assert";
import { type AnyProblem, isKnown, match, parseEnvelope, parseProblem } from "./typescript/index.js";

const base = process.argv[2] ?? "";
const json = { "content-type": "application/json" };
let compared = 0;

async function rest(call: Call): Promise<AnyProblem> {
  const { id, ...body } = call;
  const init = { method: "PATCH", headers: json, body: JSON.stringify(body) };
  const problem = await parseProblem(await fetch(`${base}/possibilities/${id}/auth`, init));
  assert(problem, "REST sent no problem");
  return problem;
}

async function mcp(call: Call): Promise<unknown> {
  const headers = { ...json, accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25" };
  const params = { name: "update_possibility_auth", arguments: call };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  return (await fetch(`${base}/mcp`, { method: "POST", headers, body })).json();
}

async function a2a(call: Call, version?: string): Promise<unknown> {
  const data = { skill: "possibility_auth_configuration", ...call };
  const message =
    version === "1.0"
      ? { messageId: "m", role: "ROLE_USER", parts: [{ data }] }
      : { kind: "message", messageId: "m", role: "user", parts: [{ kind: "data", data }] };
  const method = version === "1.0" ? "SendMessage" : "message/send";
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { message } });
  const headers = version === undefined ? json : { ...json, "a2a-version": version };
  return (await fetch(`${base}/a2a`, { method: "POST", headers, body })).json();
}

/** What is equal wherever a problem arrives. */
function content(problem: AnyProblem): object {
  const { request_id, instance, ...rest } = problem;
  assert(typeof request_id === "string" && typeof instance === "string");
  return rest;
}

interface Call {
  readonly id: string;
  readonly auth_ux: string;
}

const calls: ReadonlyArray<readonly [Call, string, boolean]> = [
  [{ id: "42", auth_ux: "Hosted" }, "invalid_auth_ux", true],
  [{ id: "42", auth_ux: "magic" }, "invalid_auth_ux", true],
  [{ id: "missing", auth_ux: "custom" }, "possibility_not_found", true],
  [{ id: "private", auth_ux: "custom" }, "sign_in_required", true],
  [{ id: "provisioning", auth_ux: "custom" }, "still_provisioning", true],
  [{ id: "read-only", auth_ux: "custom" }, "missing_scope", false],
  [{ id: "busy", auth_ux: "custom" }, "too_many_changes", false],
  [{ id: "broken", auth_ux: "custom" }, "storage", false],
  [{ id: "retired", auth_ux: "custom" }, "possibility_retired", false],
];

for (const [call, code, known] of calls) {
  const canonical = await rest(call);
  assert.equal(canonical.code, code);
  assert.equal(isKnown(canonical), known, code);
  const answers: ReadonlyArray<readonly ["mcp" | "a2a", unknown]> = [
    ["mcp", await mcp(call)],
    ["a2a", await a2a(call)],
    ["a2a", await a2a(call, "1.0")],
    ["a2a", await a2a(call, "0.3")],
  ];
  for (const [surface, answer] of answers) {
    const parsed = parseEnvelope(answer);
    assert(parsed, `${surface} sent no problem: ${JSON.stringify(answer)}`);
    assert.equal(parsed.surface, surface);
    assert.deepEqual(content(parsed.problem), content(canonical), `${code} on ${surface}`);
    assert.equal(typeof parsed.hints?.retryable, "boolean");
    const skill = surface === "a2a" ? { skill: "possibility_auth_configuration" } : {};
    if (call.auth_ux === "Hosted") assert.deepEqual(parsed.corrected, { id: "42", auth_ux: "hosted", ...skill });
    const inner = answer as { result?: unknown; error?: unknown };
    assert.deepEqual(parseProblem(inner.result ?? inner.error), parsed.problem);
    assert.deepEqual(parseProblem(JSON.stringify(answer)), parsed.problem);
    const told = match<number | string | undefined>(parsed.problem, {
      invalid_auth_ux: (problem) => problem.valid_values?.["auth_ux"]?.length,
      possibility_not_found: (problem) => problem.status,
      sign_in_required: (problem) => problem.status,
      still_provisioning: (problem) => problem.status,
      Unknown: (problem) => problem.code,
    });
    const expected = { invalid_auth_ux: 2, possibility_not_found: 404, sign_in_required: 401, still_provisioning: 409 };
    assert.equal(told, known ? expected[code as keyof typeof expected] : code);
    compared += 1;
  }
  compared += 1;
}

const good = { id: "42", auth_ux: "custom" };
assert.equal(parseProblem(await mcp(good)), undefined);
assert.equal(parseProblem(await a2a(good)), undefined);
for (const nothing of [undefined, null, 5, "", "text", [], {}, { result: {} }, { content: [] }]) {
  assert.equal(parseProblem(nothing), undefined);
}
// A member of the wrong type is absent; an unknown member is kept.
const odd = parseProblem({ code: "invalid_auth_ux", status: "422", title: 5, further: { a: 1 } });
assert.deepEqual({ ...odd }, { code: "invalid_auth_ux", status: undefined, title: undefined, further: { a: 1 } });
console.log(`answers compared: ${compared}`);

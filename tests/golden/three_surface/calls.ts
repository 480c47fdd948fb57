// Calls a running demo with the generated client: values and problems arrive as what they are.
import { strict as assert } from "node:assert";
import { Client, type Result, match } from "./typescript/index.js";

const base = process.argv[2] ?? "";
const client = new Client(base, { headers: async () => ({ "x-request-id": "calls-of-the-client" }) });
let made = 0;

function problem<T>(result: Result<T>): Extract<Result<T>, { ok: false }> {
  made += 1;
  assert(!result.ok, `a value: ${JSON.stringify(result)}`);
  return result;
}

const good = await client.updatePossibilityAuth({ path: { id: "42" }, body: { auth_ux: "custom" } });
assert(good.ok, JSON.stringify(good));
// The type of the value is that of the API: this would not compile otherwise.
const ux: "hosted" | "custom" = good.value.auth_ux;
assert.equal(ux, "custom");
const read = await client.getPossibilityAuth({ path: { id: "42" } });
assert(read.ok && read.value.auth_ux === "custom", JSON.stringify(read));
const list = await client.listPossibilities();
assert(list.ok);
made += 3;

const calls: ReadonlyArray<readonly [id: string, code: string, status: number]> = [
  ["missing", "possibility_not_found", 404],
  ["private", "sign_in_required", 401],
  ["provisioning", "still_provisioning", 409],
  ["read-only", "missing_scope", 403],
  ["broken", "storage", 503],
];
for (const [id, code, status] of calls) {
  const failed = problem(await client.updatePossibilityAuth({ path: { id }, body: { auth_ux: "custom" } }));
  assert.equal(failed.problem.code, code);
  assert.equal(failed.problem.status, status);
  assert.equal(failed.response.status, status);
  assert.equal(failed.problem.request_id, "calls-of-the-client");
}

// Some codes, and one function for all others.
const bad = problem(await client.updatePossibilityAuth({ path: { id: "42" }, body: { auth_ux: "Hosted" as "hosted" } }));
const told = match(bad.problem, {
  invalid_auth_ux: (problem) => problem.valid_values?.["auth_ux"]?.length ?? 0,
  Default: () => -1,
});
assert.equal(told, 2);
const other = problem(await client.updatePossibilityAuth({ path: { id: "missing" }, body: { auth_ux: "custom" } }));
assert.equal(match(other.problem, { invalid_auth_ux: () => 1, Default: (problem) => problem.status }), 404);

// What would lead to another path is not sent.
for (const id of ["", ".", ".."]) {
  await assert.rejects(client.getPossibilityAuth({ path: { id } }), TypeError);
  made += 1;
}
assert((await client.getPossibilityAuth({ path: { id: "a/b?c#d é" } })).ok, "the id is one part of the path");

// A header of one call, and another fetch.
let asked = "";
const spy = new Client(base, {
  fetch: (url, init) => {
    asked = `${init.method} ${url} ${init.headers["x-own"]}`;
    return fetch(url, init);
  },
});
await spy.getPossibilityAuth({ path: { id: "a b" } }, { headers: { "X-Own": "1" } });
assert.equal(asked, `GET ${base}/possibilities/a%20b/auth 1`);
console.log(`calls made: ${made + 1}`);

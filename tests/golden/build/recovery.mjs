// Runs the shared vectors of recovery in generated TypeScript. The last word is the number of decisions.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, table] = process.argv.slice(2);
const { Recovery, Seen } = await import(pathToFileURL(`${folder}/recovery.js`).href);
const body = (http) => (typeof http.body === "string" ? http.body : JSON.stringify(http.body));
let decisions = 0;
for (const vector of JSON.parse(readFileSync(table, "utf8"))) {
  const recovery = new Recovery(vector.call, vector.known ?? [], vector.allowed, vector.budget);
  for (const event of vector.events) {
    const { rest, mcp, a2a } = event;
    let decision;
    if (rest) decision = recovery.failed(Seen.rest(rest.status, rest.headers ?? {}, body(rest)), 10);
    else if (mcp) decision = recovery.failed(Seen.mcp(mcp), 10);
    else if (a2a) decision = recovery.failed(Seen.a2a(a2a.status, a2a.headers ?? {}, a2a.body), 10);
    else if (event.lost) decision = recovery.failed(Seen.lost(event.lost), 10);
    else if ("granted" in event) decision = recovery.granted(event.granted);
    else if ("chosen" in event) decision = recovery.chosen(event.chosen);
    else if ("helped" in event) decision = recovery.helped(event.helped);
    else decision = recovery.waited();
    assert.deepEqual({ rule: decision.rule, step: decision.step }, event.expect, vector.name);
    decisions += 1;
  }
}
console.log(`decisions ${decisions}`);

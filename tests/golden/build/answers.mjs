// Hands every answer of the table to the generated parser in a folder. The last word is the number of answers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, table] = process.argv.slice(2);
const { parseEnvelope, isKnown } = await import(pathToFileURL(`${folder}/index.js`).href);
const answers = JSON.parse(readFileSync(table, "utf8"));
for (const { name, value, response, deep, ...expected } of answers) {
  let given = value;
  if (deep !== undefined) given = `${"[".repeat(deep)}${"]".repeat(deep)}`;
  if (response !== undefined) given = new Response(response.status === 304 ? null : response.body, { status: response.status });
  const found = await parseEnvelope(given);
  assert.equal(found?.surface ?? null, expected.surface, name);
  if (found === undefined) continue;
  const { problem } = found;
  assert.equal(isKnown(problem), expected.known, name);
  assert.equal(problem.code, expected.code, name);
  assert.equal(problem.status, expected.status, name);
  if ("detail" in expected) assert.equal(problem.detail, expected.detail, name);
  for (const member of expected.keeps ?? []) assert(problem[member] !== undefined, `${name}: ${member} is lost`);
  assert.deepEqual(found.suggested, expected.suggested ?? [], name);
}
console.log(`answers ${answers.length}`);

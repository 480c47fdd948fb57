// Tries every value of the table on the zod schemas in a folder. What is taken must come out as it went in.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, table] = process.argv.slice(2);
const types = await import(pathToFileURL(`${folder}/types.js`).href);
let tried = 0;
for (const [name, { good, bad }] of Object.entries(JSON.parse(readFileSync(table, "utf8")))) {
  for (const value of good) {
    const result = types[name].safeParse(value);
    assert(result.success, `${name} refuses ${JSON.stringify(value)}: ${result.error?.message}`);
    assert.deepEqual(result.data, value, `${name} changes ${JSON.stringify(value)}`);
    tried += 1;
  }
  for (const value of bad) {
    assert(!types[name].safeParse(value).success, `${name} takes ${JSON.stringify(value)}`);
    tried += 1;
  }
}
console.log(tried);

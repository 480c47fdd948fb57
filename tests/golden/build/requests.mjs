// What the generated client of the pets sends, seen by a fetch that answers itself.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const { Client, match } = await import(pathToFileURL(`${process.argv[2]}/index.js`).href);
const everyByte = new Uint8Array(Array.from({ length: 256 }, (_, at) => at));
let answer;
let sent;
const fetch = async (url, init) => {
  sent = new Request(url, init);
  return answer;
};
const pets = new Client(undefined, { fetch });
const json = (body, status = 200) => new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });

answer = json([]);
const query = { where: { kind: "cat" }, box: { x: 1, y: 2 }, near: { city: "Köln" }, tags: ["a", "b"], names: ["c", "d"] };
assert((await pets.listPets({ query })).ok);
const url = new URL(sent.url);
assert.equal(url.host, "pets.example.com");
assert.deepEqual([...url.searchParams].sort(), [
  ["box", "x,1,y,2"],
  ["names", "c"],
  ["names", "d"],
  ["near[city]", "Köln"],
  ["tags", "a|b"],
  ["where", '{"kind":"cat"}'],
]);

answer = new Response(null, { status: 204 });
await pets.putPhoto({ path: { id: "7" }, body: everyByte });
assert.deepEqual(new Uint8Array(await sent.arrayBuffer()), everyByte);

answer = new Response(everyByte, { headers: { "content-type": "image/png" } });
const photo = await pets.getPhoto({ path: { id: "7" } });
assert.deepEqual(photo.value, everyByte);

// RFC 9457 alone: no code, and no status in the body.
answer = json({ type: "https://pets.example.com/problems/no_pet" }, 404);
const gone = await pets.getPhoto({ path: { id: "7" } });
assert.deepEqual([gone.problem.code, gone.problem.status], ["no_pet", 404]);

answer = new Response("<pet/>", { status: 201, headers: { "content-type": "application/xml" } });
const body = { scan: everyByte, more: ["1", new File(["2"], "two.txt")], note: "ü", about: { vet: "Ada", year: 2026 } };
assert.equal((await pets.sendPapers({ body })).value, "<pet/>");
const form = await sent.formData();
assert.deepEqual(new Uint8Array(await form.get("scan").arrayBuffer()), everyByte);
assert.deepEqual([form.getAll("more").map((file) => file.name), form.get("note")], [["more", "two.txt"], "ü"]);
assert.deepEqual(JSON.parse(form.get("about")), { vet: "Ada", year: 2026 });

// A code in a branch of an allOf, a type alone, and an error that is not a problem.
answer = json({ code: "too_many_pages", title: "Too many pages", status: 413, most: 20 }, 413);
const many = await pets.sendPapers({ body });
assert.equal(match(many.problem, { too_many_pages: (problem) => problem.most, Default: () => undefined }), 20);
answer = json({ type: "https://pets.example.com/problems/unreadable-scan" }, 422);
assert.equal((await pets.sendPapers({ body })).problem.code, "unreadable_scan");
answer = json({ message: "no such vet", vet: "Ada" }, 400);
const { problem } = await pets.sendPapers({ body });
assert.deepEqual([problem.status, problem.detail, problem.vet], [400, "no such vet", "Ada"]);
console.log("requests 8");

// The generated stream reader in node: every case of the plan at once, one line of JSON at the end.
const plan = JSON.parse(process.env.AON_PLAN);
const { follow, NdjsonReader, SseReader, reconnectWait } = await import(plan.module);

const cases = plan.cases.map(async ({ url, channel, cuts }) => {
  const notices = [];
  const stream = follow(url, { method: "POST", body: "{}", channel, onNotice: (notice) => notices.push(notice.notice) });
  const events = [];
  for await (const event of stream) if (event.seq !== undefined) events.push([event.seq, event.type]);
  const { outcome, reason, data, problem } = await stream.outcome;
  return { channel, cuts, events, outcome, reason, data, problem, notices };
});

const encoder = new TextEncoder();
const bodies = {
  ndjson: '\ufeff{"type":"status","message":"grün 🌲"}\r\n\n\r\n{"type":"result","data":0}\n',
  sse: '\ufeffretry: 1000\n\n: hb\r\rid: e-1\r\nevent: status\r\ndata: {"m":"🌲"}\r\n\r\ndata:two\ndata: lines\n\n',
};
function read(make, pieces) {
  const reader = make();
  return JSON.stringify(pieces.flatMap((piece) => reader.feed(piece)).filter((item) => !("alive" in item)));
}
let splits = 0;
const wrong = [];
for (const [name, make] of [["ndjson", () => new NdjsonReader()], ["sse", () => new SseReader()]]) {
  const bytes = encoder.encode(bodies[name]);
  const whole = read(make, [bytes]);
  for (let at = 0; at <= bytes.length; at += 1) {
    if (read(make, [bytes.slice(0, at), bytes.slice(at)]) !== whole) wrong.push([name, at]);
    splits += 1;
  }
  if (read(make, [...bytes].map((byte) => Uint8Array.of(byte))) !== whole) wrong.push([name, "bytes"]);
}
const long = encoder.encode(`{"type":"result","data":"${"é".repeat(1 << 19)}"}\n`);
const reader = new NdjsonReader();
let lines = 0;
for (let at = 0; at < long.length; at += 1021) lines += reader.feed(long.slice(at, at + 1021)).length;
const waits = [1, 2, 3, 4, 5, 6].map((attempt) => reconnectWait(attempt, 1));
console.log(JSON.stringify({ cases: await Promise.all(cases), splits, wrong, lines, waits }));

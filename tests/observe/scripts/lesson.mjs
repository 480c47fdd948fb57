// Follows a lesson with the generated reader by the rules of a consumer, then a server that falls silent. One line of JSON.
const plan = JSON.parse(process.env.AON_PLAN);
const live = await import(plan.module);

const inserts = [];
let lessons = 0;
let done;
const stream = live.follow(plan.lesson, { intervalMs: 1000, once: plan.once });
for await (const event of stream) {
  if (event.type === "insert") inserts.push(event.members.data.questionId);
  if (event.type === "lesson") lessons += 1;
  if (event.type === "done") {
    done = event.members.data.reason;
    break;
  }
}
const outcome = await stream.outcome;

// Heartbeats each second: 2.5 seconds of silence are a dead connection.
const silent = live.follow(plan.silent, { intervalMs: 1000 });
const start = Date.now();
let seen = 0;
for await (const _event of silent) {
  seen += 1;
  if (seen === 2) break;
}
const waits = [1, 2, 3, 4, 5, 6].map((attempt) => live.reconnectWait(attempt, 1));
console.log(JSON.stringify({ inserts, lessons, done, outcome: outcome.outcome, reason: outcome.reason, cursor: stream.cursor, silentMs: Date.now() - start, waits }));

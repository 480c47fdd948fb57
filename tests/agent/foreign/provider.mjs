// A client that behaves as the earlier provider did: one connection per request, `status` has to say `running`, a line that
// is not JSON is a token, and a stream is over when the connection is closed.

import net from "node:net";
import fs from "node:fs";

const path = process.env.FAZAI_GEMMA_SOCK;

function ask(request) {
  return new Promise((resolve, reject) => {
    const socket = net.createConnection(path);
    let text = "";
    socket.on("connect", () => socket.write(JSON.stringify(request) + "\n"));
    socket.on("data", (chunk) => {
      text += chunk.toString();
      if (text.includes("\n")) {
        socket.end();
        resolve(JSON.parse(text.slice(0, text.indexOf("\n"))));
      }
    });
    socket.on("error", reject);
  });
}

function generate(session, prompt, onEvent = () => {}) {
  return new Promise((resolve, reject) => {
    const socket = net.createConnection(path);
    const events = [];
    let rest = Buffer.alloc(0);
    socket.on("connect", () =>
      socket.write(JSON.stringify({ type: "generate", session_id: session, prompt, stream: true }) + "\n"),
    );
    socket.on("data", (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
        const line = rest.subarray(0, at).toString();
        rest = rest.subarray(at + 1);
        let event;
        try {
          event = JSON.parse(line);
        } catch {
          event = { type: "token", text: line };
        }
        events.push(event);
        onEvent(event, socket);
      }
    });
    socket.on("end", () => resolve(events));
    socket.on("error", reject);
  });
}

const report = {};
report.exists = fs.existsSync(path);
report.status = await ask({ type: "status" });
const created = await ask({ type: "create_session", params: { delay_ms: 5 } });
report.stream = await generate(created.session_id, " olá 世界");
// The way the earlier client aborted: on the connection that streams.
const slow = await ask({ type: "create_session", params: { delay_ms: 5, repeat: 100000 } });
let sent = false;
report.aborted = await generate(slow.session_id, "word ", (event, socket) => {
  if (!sent) {
    sent = true;
    socket.write(JSON.stringify({ type: "abort", session_id: slow.session_id }) + "\n");
  }
});
report.closed = await ask({ type: "close_session", session_id: created.session_id });
report.unknown = await generate("nobody", "x");
console.log(JSON.stringify(report));

"""A daemon that keeps to the wire, but for one defect that is named on the command line, as the earlier one had them."""

import itertools
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

defect = sys.argv[1]
sessions = {}
running = 0
lock = threading.Lock()
numbers = itertools.count(1)


class Daemon(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, words):
        value = {"ok": False, "error": words}
        if defect != "no_problem":
            value["problem"] = {"status": status, "code": "refused", "detail": words}
        self.answer(status, value)

    def do_GET(self):
        if self.path == "/metrics":
            label = "ET SCAN Potential SSH Scan from somewhere" if defect == "free_labels" else "worker"
            body = f'# TYPE ingest counter\ningest_total{{source="{label}"}} 1\n'.encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        elif self.path == "/agent/status":
            self.answer(200, {"ok": True, "running": running})
        else:
            self.refuse(404, "no such route")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-type") != "application/json":
            return self.refuse(415, "JSON is wanted")
        try:
            asked = json.loads(body)
        except ValueError:
            return self.refuse(400, "not JSON")
        if self.path == "/agent/sessions":
            session = f"s{next(numbers)}"
            sessions[session] = dict(asked.get("params") or {}, stop=False)
            return self.answer(200, {"ok": True, "session_id": session})
        if self.path == "/agent/abort":
            if asked.get("session_id") not in sessions:
                return self.refuse(404 if "session_id" in asked else 422, "no such session")
            sessions[asked["session_id"]]["stop"] = True
            return self.answer(200, {"ok": True})
        return self.generate(asked)

    def event(self, number, value):
        block = ""
        if defect != "bare":
            block += f"event: {value['type']}\n"
        block += "data: " + json.dumps(value) + "\n"
        if defect not in ("bare", "no_id"):
            block += f"id: e-{number}\n"
        data = (block + "\n").encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def generate(self, asked):
        global running
        prompt = asked.get("objective" if defect == "objective" else "prompt")
        if not prompt:
            return self.refuse(422, "prompt is missing")
        params = sessions.get(asked.get("session_id"), {"stop": False})
        if "session_id" in asked and asked["session_id"] not in sessions:
            return self.refuse(404, "no such session")
        params["stop"] = False
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        if defect == "cors":
            self.send_header("access-control-allow-origin", "*")
        self.end_headers()
        with lock:
            running += 1
        try:
            self.stream(prompt, params)
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            if defect == "deaf_to_leaving":
                return
        with lock:
            running -= 1

    def stream(self, prompt, params):
        number = itertools.count(1)
        effects = 0
        for line in prompt.split("\n"):
            for _ in range(params.get("repeat", 1)):
                if params["stop"] and defect != "deaf":
                    self.event(next(number), {"type": "error", "message": "aborted"})
                    return
                self.event(next(number), {"type": "token", "text": line})
                if params.get("delay_ms"):
                    time.sleep(params["delay_ms"] / 1000)
            if line.startswith('{"type":"shell"'):
                effects += 1
                if effects > 1 and defect != "two_effects":
                    self.event(next(number), {"type": "error", "message": "effect_limit"})
                    return
                self.event(next(number), {"type": "action", "action": "shell", "command": "true"})
        if defect == "strange":
            self.event(next(number), {"type": "thinking", "text": "hm"})
        self.event(next(number), {"type": "done", "result": None})
        if defect == "two_ends":
            self.event(next(number), {"type": "done", "result": None})
        if defect == "after_end":
            self.event(next(number), {"type": "exec_log", "stream": "stdout", "chunk": "late"})


server = ThreadingHTTPServer(("127.0.0.1", 0), Daemon)
server.daemon_threads = True
print(server.server_address[1], flush=True)
server.serve_forever()

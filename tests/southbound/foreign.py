"""The side that acts, over HTTP, written from the specification alone; with defects that are named on the command line.

Arguments: key file, defects joined by commas (`none` for none).
"""

import hashlib
import hmac
import json
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

key_file, defects = sys.argv[1], sys.argv[2].split(",")
LIMIT = 65536
KEYS = {}
for block in open(key_file).read().split("[[key]]")[1:]:
    field = dict(re.findall(r'(\w+) = "([^"]*)"', block))
    KEYS[field["agent"], field["id"]] = bytes.fromhex(field["secret"])
nonces = set()
done = {}


def has(defect):
    return defect in defects


def refused(status, code):
    problem = {"type": f"urn:x:{code}", "title": code, "status": status, "code": code}
    return status, {"ok": False, "error": code, "problem": problem}


class Side(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        status, value = self.answer()
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST

    def answer(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if len(body) > LIMIT and not has("any_size"):
            return refused(413, "too_large")
        if has("parses_first"):
            try:
                json.loads(body)
            except ValueError:
                return refused(400, "invalid_json")
        verdict = self.verify(body)
        if verdict:
            return verdict
        return self.act(self.headers["x-agent-id"], body)

    def verify(self, body):
        names = ["x-agent-id", "x-key-id", "x-timestamp", "x-nonce", "x-signature"]
        if any(len(self.headers.get_all(name) or []) != 1 for name in names):
            return None if has("unsigned") else refused(401, "not_signed")
        agent, key, timestamp, nonce, signature = (self.headers[name] for name in names)
        if (agent, key) not in KEYS and has("tells_who_exists"):
            return refused(404, "no_such_agent")
        path, _, query = self.path.partition("?")
        pairs = query.split("&") if has("query_as_it_is") else sorted(query.split("&"))
        if query and not has("no_query"):
            path += "?" + "&".join(pairs)
        signed = b"" if has("no_body") else body
        lines = [self.command, path, hashlib.sha256(signed).hexdigest(), timestamp, nonce, agent]
        secret = KEYS.get((agent, key), bytes(32))
        good = "v1=" + hmac.new(secret, "\n".join(lines).encode(), hashlib.sha256).hexdigest()
        same = good.startswith(signature) if has("half_a_signature") else hmac.compare_digest(good, signature)
        if not same:
            return refused(401, "bad_signature")
        late = time.time() - int(timestamp)
        if not has("any_time") and (late > 300 or late < -300 and not has("future")):
            return refused(401, "outside_window")
        if (agent, nonce) in nonces and not has("nonce_again"):
            return refused(401, "nonce_used")
        nonces.add((agent, nonce))
        return None

    def act(self, agent, body):
        try:
            message = json.loads(body)
        except ValueError:
            return refused(400, "invalid_json")
        method, action = message.get("method"), message.get("action_id")
        if method == "hello":
            if message.get("agent_id") != agent and not has("any_hello"):
                # The specification does not say which status.
                return refused(401, "another_agent")
            if not message.get("version", "1").startswith("1") and not has("any_version"):
                return refused(422, "unsupported_version")
            return 200, {"ok": True, "policy": {"timeouts": {"exec": 1000}, "max_payload": LIMIT}}
        if method not in ("command.exec", "telemetry.push", "file.diff", "file.apply"):
            return refused(404, "unknown_operation")
        if not isinstance(action, str) and not has("no_id"):
            return refused(422, "missing_field")
        asked = json.dumps(message, sort_keys=True)
        if (agent, action) in done and not has("forgets"):
            before, value = done[agent, action]
            if before != asked and not has("same_id"):
                return refused(422, "action_id_reused")
            return 200, value if has("silent_replay") else {**value, "replayed": True}
        if method == "command.exec" and not has("any_program"):
            return refused(403, "command_not_allowed")
        if method.startswith("file") and not has("any_path"):
            return refused(403, "path_not_allowed")
        done[agent, action] = (asked, {"ok": True})
        return 200, {"ok": True}


server = ThreadingHTTPServer(("127.0.0.1", 0), Side)
print(server.server_address[1], flush=True)
server.serve_forever()

"""A worker that keeps to the wire, but for one defect that is named on the command line, as earlier workers had them."""

import itertools
import json
import os
import socket
import sys
import threading
import time

path, defect = sys.argv[1], sys.argv[2]
sessions = {}
numbers = itertools.count(1)
LONGEST = 1 << 20


def write(connection, value):
    data = (json.dumps(value, ensure_ascii=False) + "\n").encode()
    if defect == "short_write":
        # What a write does not take is lost.
        connection.setblocking(False)
        try:
            connection.send(data)
        except BlockingIOError:
            pass
        connection.setblocking(True)
        return
    try:
        connection.sendall(data)
    except OSError:
        if defect == "sigpipe":
            os._exit(13)
        raise


def refuse(words):
    if defect == "no_ok":
        return {"error": words}
    answer = {"ok": False, "error": words}
    if defect != "no_problem":
        answer["problem"] = {"status": 400, "code": "refused", "detail": words}
    return answer


def generate(connection, request):
    session = request.get("session_id")
    if session not in sessions:
        write(connection, refuse("no such session"))
        return
    params = sessions[session]
    params["stop"] = False
    text = request["prompt"]
    words = text.split(" ")
    words = [words[0]] + [" " + word for word in words[1:]]
    for _ in range(params.get("repeat", 1)):
        for word in words:
            if params["stop"] and defect != "deaf":
                break
            if defect == "other_schema":
                write(connection, {"action_id": "1", "result": word, "metadata": {"event": "stream"}})
            else:
                write(connection, {"type": "token", "text": word})
            if params.get("delay_ms"):
                time.sleep(params["delay_ms"] / 1000)
        if params["stop"] and defect != "deaf":
            break
    if defect != "no_stop":
        write(connection, {"type": "stop"})
    if defect == "two_ends":
        write(connection, {"type": "stop"})
    if defect == "open":
        time.sleep(30)


def answer(connection, line):
    if defect == "nul":
        line = line.split(b"\0")[0]
    try:
        request = json.loads(line)
        kind = request.get("type") or request.get("method")
    except (ValueError, AttributeError):
        write(connection, refuse("not a JSON object"))
        return True
    if kind == "create_session" and isinstance(request.get("params"), dict):
        session = f"s{next(numbers)}"
        sessions[session] = dict(request["params"], stop=False)
        write(connection, {"ok": True, "session_id": session})
    elif kind == "generate" and isinstance(request.get("prompt"), str):
        generate(connection, request)
        return False
    elif kind == "abort" and request.get("session_id") in sessions:
        sessions[request["session_id"]]["stop"] = True
        write(connection, {"ok": True})
    elif kind == "close_session" and request.get("session_id") in sessions:
        if defect != "undead":
            del sessions[request["session_id"]]
        write(connection, {"ok": True})
    elif kind == "status":
        word = "ready" if defect == "not_running" else "running"
        write(connection, {"ok": True, "status": word})
    else:
        write(connection, refuse("invalid request"))
    return True


def serve(connection):
    buffer = b""
    try:
        with connection:
            while True:
                chunk = connection.recv(65536)
                if not chunk:
                    return
                if defect == "split":
                    # Decoding each piece by itself loses a character that is split.
                    chunk = chunk.decode(errors="ignore").encode()
                buffer += chunk
                while b"\n" in buffer:
                    line, buffer = buffer.split(b"\n", 1)
                    if not answer(connection, line):
                        return
                if len(buffer) > LONGEST and defect != "no_limit":
                    write(connection, refuse("line too long"))
                    return
    except OSError:
        pass


os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
os.chmod(path, 0o666 if defect == "world" else 0o600)
listener.listen(64)
if defect == "tcp":
    public = socket.socket()
    public.bind(("127.0.0.1", 0))
    public.listen()
if defect == "metrics":
    # Not a defect: another service of the same process, for this machine.
    from http.server import BaseHTTPRequestHandler, HTTPServer

    metrics = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    threading.Thread(target=metrics.serve_forever, daemon=True).start()
print("ready", flush=True)
while True:
    accepted, _ = listener.accept()
    if defect == "one_client":
        serve(accepted)
    else:
        threading.Thread(target=serve, args=(accepted,), daemon=True).start()

"""A worker written from the text of the specification alone, for the tests of the provider.

Tokens are raw lines of text in the first half of a stream and events in the second, and every line is sent in pieces that
split its characters.
"""

import itertools
import json
import os
import socket
import sys
import threading
import time

sessions = {}
numbers = itertools.count(1)


def pieces(connection, data):
    """One byte at a time, so that every character of more than one byte is split."""
    for byte in data:
        connection.sendall(bytes([byte]))
    time.sleep(0.001)


def line(connection, value):
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    pieces(connection, text.encode() + b"\n")


def generate(connection, request):
    session = request["session_id"]
    if session not in sessions:
        line(connection, {"ok": False, "error": "no such session"})
        return
    sessions[session] = False
    words = request["prompt"].split("|")
    if words == ["die"]:
        pieces(connection, "half a to".encode())
        os._exit(1)
    if words == ["cut"]:
        line(connection, "one")
        return
    if words == ["silence"]:
        time.sleep(5)
        return
    if words == ["fail"]:
        line(connection, "one")
        line(connection, {"type": "error", "message": "out of memory"})
        return
    if words == ["forever"]:
        while not sessions.get(session, True):
            line(connection, "word")
        line(connection, {"type": "stop"})
        return
    for number, word in enumerate(words):
        if number % 2:
            line(connection, {"type": "token", "text": word})
        else:
            line(connection, word)
    line(connection, {"type": "stop"})


def answer(connection, request):
    kind = request.get("type")
    if kind == "create_session" and isinstance(request.get("params"), dict):
        session = f"s{next(numbers)}"
        sessions[session] = False
        line(connection, {"ok": True, "session_id": session})
    elif kind == "generate":
        generate(connection, request)
    elif kind in ("abort", "close_session"):
        known = request.get("session_id") in sessions
        if known:
            sessions[request["session_id"]] = True
        line(connection, {"ok": True} if known else {"ok": False, "error": "no such session"})
    elif kind == "status":
        line(connection, {"ok": True, "status": "running"})
    else:
        line(connection, {"ok": False, "error": "invalid request"})


def serve(connection):
    try:
        with connection, connection.makefile("rb") as lines:
            answer(connection, json.loads(lines.readline()))
    except (BrokenPipeError, ConnectionResetError):
        pass


listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o600)
listener.listen(16)
print("ready", flush=True)
while True:
    accepted, _ = listener.accept()
    threading.Thread(target=serve, args=(accepted,), daemon=True).start()

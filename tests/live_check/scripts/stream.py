"""The generated stream readers in Python, sync and async: every case of the plan, one line of JSON at the end."""

import asyncio
import concurrent.futures
import importlib.util
import json
import os
import sys

plan = json.loads(os.environ["AON_PLAN"])
sys.path.insert(0, plan["folder"])
from python import stream as live  # noqa: E402

sockets = importlib.util.find_spec("websockets") is not None


def told(case, how, stream, events, notices):
    outcome = stream.outcome
    return {
        "channel": case["channel"],
        "cuts": case["cuts"],
        "how": how,
        "events": [[event.seq, event.type] for event in events if event.seq is not None],
        "outcome": type(outcome).__name__.lower(),
        "reason": getattr(outcome, "reason", None),
        "data": getattr(outcome, "data", None),
        "notices": [notice.kind for notice in notices],
    }


def sync(case):
    notices = []
    with live.follow(case["url"], json={}, channel=case["channel"], on_notice=notices.append) as stream:
        return told(case, "sync", stream, list(stream), notices)


async def once(case):
    notices = []
    async with live.follow_async(case["url"], json={}, channel=case["channel"], on_notice=notices.append) as stream:
        events = [event async for event in stream]
        return told(case, "async", stream, events, notices)


async def together(cases):
    return await asyncio.gather(*[once(case) for case in cases])


cases = [case for case in plan["cases"] if sockets or case["channel"] != "websocket"]
half = len(cases) // 2
with concurrent.futures.ThreadPoolExecutor(32) as pool:
    results = list(pool.map(sync, [case for case in cases if case["how"] == "sync"]))
results += asyncio.run(together([case for case in cases if case["how"] == "async"]))

BODIES = {
    "NdjsonReader": '\ufeff{"type":"status","message":"grün 🌲"}\r\n\n\r\n{"type":"result","data":0}\n',
    "SseReader": '\ufeffretry: 1000\n\n: hb\r\rid: e-1\r\nevent: status\r\ndata: {"m":"🌲"}\r\n\r\ndata:two\ndata: lines\n\n',
}


def read(name, pieces):
    reader = getattr(live, name)()
    return [item for piece in pieces for item in reader.feed(piece) if item.kind != "alive"]


splits, wrong = 0, []
for name, body in BODIES.items():
    data = body.encode()
    whole = read(name, [data])
    for at in range(len(data) + 1):
        if read(name, [data[:at], data[at:]]) != whole:
            wrong.append([name, at])
        splits += 1
    if read(name, [bytes([byte]) for byte in data]) != whole:
        wrong.append([name, "bytes"])
long = ('{"type":"result","data":"' + "é" * (1 << 19) + '"}\n').encode()
reader = live.NdjsonReader()
lines = sum(len(list(reader.feed(long[at : at + 1021]))) for at in range(0, len(long), 1021))
waits = [round(live.reconnect_wait(attempt, 1.0) * 1000) for attempt in range(1, 7)]
print(json.dumps({"cases": results, "splits": splits, "wrong": wrong, "lines": lines, "waits": waits, "sockets": sockets}))

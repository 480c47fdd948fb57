"""Follows a lesson with the generated reader by the rules of a consumer, then a server that falls silent. One line of JSON."""

import json
import os
import sys
import time

plan = json.loads(os.environ["AON_PLAN"])
sys.path.insert(0, plan["folder"])
from python import stream as live  # noqa: E402

inserts, lessons, done = [], 0, None
options = {} if plan.get("once") is None else {"once": plan["once"]}
with live.follow(plan["lesson"], interval=1.0, **options) as stream:
    for event in stream:
        if event.type == "insert":
            inserts.append(event.members["data"]["questionId"])
        elif event.type == "lesson":
            lessons += 1
        elif event.type == "done":
            done = event.members["data"]["reason"]
            break
outcome = stream.outcome

# Heartbeats each second: 2.5 seconds of silence are a dead connection.
start, seen = time.monotonic(), 0
with live.follow(plan["silent"], interval=1.0) as silent:
    for _ in silent:
        seen += 1
        if seen == 2:
            break
print(
    json.dumps(
        {
            "inserts": inserts,
            "lessons": lessons,
            "done": done,
            "outcome": type(outcome).__name__.lower(),
            "reason": getattr(outcome, "reason", None),
            "cursor": stream.cursor,
            "silentMs": (time.monotonic() - start) * 1000,
            "waits": [live.reconnect_wait(attempt, 1.0) * 1000 for attempt in range(1, 7)],
        }
    )
)

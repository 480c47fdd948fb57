"""Runs the shared vectors of recovery in a generated package. The last word is the number of decisions."""

import importlib
import json
import pathlib
import sys

folder, table = map(pathlib.Path, sys.argv[1:3])
sys.path.insert(0, str(folder.parent))
sys.dont_write_bytecode = True
client = importlib.import_module(f"{folder.name}.recovery")


def body(http):
    return http["body"] if isinstance(http["body"], str) else json.dumps(http["body"])


decisions = 0
for vector in json.loads(table.read_text()):
    allowed = {name: tuple(value) if isinstance(value, list) else value for name, value in vector.get("allowed", {}).items()}
    recovery = client.Recovery(
        client.Call(**vector["call"]),
        [client.Operation(**known) for known in vector.get("known", [])],
        client.Allowed(**allowed),
        client.Budget(**vector.get("budget", {})),
    )
    for event in vector["events"]:
        if "rest" in event:
            http = event["rest"]
            decision = recovery.failed(client.Seen.rest(http["status"], http.get("headers", {}), body(http)), 10)
        elif "mcp" in event:
            decision = recovery.failed(client.Seen.mcp(event["mcp"]), 10)
        elif "a2a" in event:
            http = event["a2a"]
            decision = recovery.failed(client.Seen.a2a(http["status"], http.get("headers", {}), http["body"]), 10)
        elif "lost" in event:
            decision = recovery.failed(client.Seen(lost=event["lost"]), 10)
        elif "granted" in event:
            decision = recovery.granted(event["granted"])
        elif "chosen" in event:
            decision = recovery.chosen(event["chosen"])
        elif "helped" in event:
            decision = recovery.helped(event["helped"])
        else:
            decision = recovery.waited()
        assert {"rule": decision.rule, "step": decision.step} == event["expect"], (vector["name"], decision)
        decisions += 1
print(f"decisions {decisions}")

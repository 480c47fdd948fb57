# A client written from the specification's text alone.
import asyncio, json, ssl, sys, uuid
import websockets

tls = ssl.create_default_context(cafile="ca.pem")
tls.load_cert_chain("ops-1.pem", "ops-1.key")
checks = 0


def check(condition, what):
    global checks
    assert condition, what
    checks += 1


async def main(url):
    async with websockets.connect(url, ssl=tls) as ws:
        async def ask(message):
            await ws.send(json.dumps(message))
            return json.loads(await ws.recv())

        hello = {"method": "hello", "agent_id": "ops-1", "name": "py", "version": "1.0.0",
                 "capabilities": ["command.exec", "telemetry.push", "file.diff", "file.apply"],
                 "timestamp": "2026-11-18T00:00:00Z"}
        answer = await ask(hello)
        check(answer["ok"] and answer["policy"]["timeouts"]["exec"] == 120000, answer)
        check(answer["policy"]["max_payload"] == 1048576, answer)
        action = {"method": "command.exec", "action_id": str(uuid.uuid4()), "command": "/bin/echo",
                  "args": ["hello"], "timeout": 5000, "cwd": "/"}
        answer = await ask(action)
        check(answer["ok"] and answer["exit_code"] == 0 and answer["stdout"] == "hello\n" and answer["stderr"] == "", answer)
        answer = await ask(action)
        check(answer["replayed"] and answer["stdout"] == "hello\n", answer)
        answer = await ask({"method": "telemetry.push", "action_id": str(uuid.uuid4()), "payload": {"n": 1}, "ts": "2026-11-18T00:00:00Z"})
        check(answer["ok"], answer)
        import os
        path = os.path.join(os.getcwd(), "files", "x.txt")
        open(path, "w").write("a\nb\n")
        answer = await ask({"method": "file.diff", "action_id": str(uuid.uuid4()), "path": path, "want": "a\nc\n"})
        check("-b\n+c\n" in answer["patch"], answer)
        answer = await ask({"method": "file.apply", "action_id": str(uuid.uuid4()), "path": path, "patch": answer["patch"]})
        check(answer["ok"] and answer["applied"] and open(path).read() == "a\nc\n", answer)
        answer = await ask({"method": "command.exec", "action_id": "z", "command": "/bin/sh", "args": []})
        check(not answer["ok"] and answer["error"] and answer["problem"]["code"] == "command_not_allowed", answer)
    print(checks, "checks")


asyncio.run(main(sys.argv[1]))

"""Calls that report, ask and are cancelled, through the PyPI client `mcp`, in both protocol eras, over HTTP and standard input.

Reads the plan from AON_PLAN, prints what the client handed to its caller as one JSON document.
"""

import asyncio
import importlib.metadata
import json
import logging
import os

from mcp import Client, MCPError, StdioServerParameters
from mcp.types import ElicitResult

logging.disable(logging.WARNING)

PLAN = json.loads(os.environ["AON_PLAN"])


async def call(server, mode, step):
    questions, progress, logs = [], [], []
    answers = list(step.get("answers", []))

    async def person(context, params):
        questions.append(params.model_dump(by_alias=True, mode="json", exclude_none=True))
        answer = answers.pop(0) if answers else {"action": "cancel"}
        return ElicitResult(**answer)

    async def told(done, total, message):
        progress.append([done, total, message])

    async def logged(params):
        logs.append(params.model_dump(by_alias=True, mode="json", exclude_none=True))

    asked = person if "answers" in step else None
    report = {"name": step["name"], "questions": questions, "progress": progress, "logs": logs}
    async with Client(server, mode=mode, elicitation_callback=asked, logging_callback=logged) as client:
        report["era"] = client.protocol_version
        if step.get("level") and mode == "legacy":
            await client.set_logging_level(step["level"])
        callback = told if step.get("progress") else None
        meta = step.get("meta")
        called = client.call_tool("play", step["arguments"], progress_callback=callback, meta=meta)
        try:
            if step.get("cancel_after"):
                await asyncio.wait_for(called, step["cancel_after"])
            result = await called if not step.get("cancel_after") else None
            report["result"] = result.model_dump(by_alias=True, mode="json", exclude_none=True)
        except asyncio.TimeoutError:
            report["cancelled"] = True
        except MCPError as error:
            report["error"] = {"code": error.code, "message": error.message, "data": error.data}
    return report


async def main():
    command, *arguments = PLAN["command"]
    calls = []
    for transport in ["http", "stdio"]:
        for mode in ["legacy", "auto"]:
            for step in PLAN["calls"]:
                server = PLAN["mcp"] if transport == "http" else StdioServerParameters(command=command, args=arguments)
                try:
                    report = await asyncio.wait_for(call(server, mode, step), 30)
                except Exception as error:  # told, so that the suite says which call it was
                    report = {"name": step["name"], "failed": f"{type(error).__name__}: {error}"}
                calls.append({"transport": transport, "mode": mode} | report)
    version = importlib.metadata.version("mcp")
    print(json.dumps({"client": f"PyPI mcp {version}", "calls": calls}))


asyncio.run(main())

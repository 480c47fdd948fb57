"""Bad calls through the PyPI client `mcp` with a person behind it, who accepts, declines or cancels, in both protocol eras.

Reads the plan from AON_PLAN, prints what the client handed to its caller as one JSON document.
"""

import asyncio
import importlib.metadata
import json
import logging
import os

from mcp import Client
from mcp.types import ElicitResult

logging.disable(logging.WARNING)

PLAN = json.loads(os.environ["AON_PLAN"])


async def call(mode, step):
    questions = []

    async def person(context, params):
        questions.append(params.model_dump(by_alias=True, mode="json", exclude_none=True))
        if step["action"] == "accept":
            return ElicitResult(action="accept", content=step["content"])
        return ElicitResult(action=step["action"])

    asked = person if step["action"] else None
    async with Client(PLAN["mcp"], mode=mode, elicitation_callback=asked) as client:
        result = await client.call_tool(step["tool"], step["arguments"])
        result = result.model_dump(by_alias=True, mode="json", exclude_none=True)
        return {"era": client.protocol_version, "questions": questions, "result": result}


async def main():
    calls = []
    for mode in ["legacy", "auto"]:
        for step in PLAN["calls"]:
            calls.append(await call(mode, step))
    version = importlib.metadata.version("mcp")
    print(json.dumps({"client": f"PyPI mcp {version}", "calls": calls}))


asyncio.run(main())

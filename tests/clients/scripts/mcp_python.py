"""The calls of the plan through the PyPI client `mcp`: both protocol eras, over HTTP and over standard input.

Reads the plan from AON_PLAN, prints what the client handed to its caller as one JSON document.
"""

import asyncio
import importlib.metadata
import json
import logging
import os

import httpx2
from mcp import Client, ClientSession, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

# A closed session of the older era is answered with 202, which the client reports as a failure.
logging.disable(logging.WARNING)

PLAN = json.loads(os.environ["AON_PLAN"])


async def call(client, tool, arguments):
    try:
        result = await client.call_tool(tool, arguments)
    except MCPError as error:
        return {"error": {"code": error.code, "message": error.message, "data": error.data}}
    except Exception as error:  # the client itself would not send it, or not take the answer
        return {"refused": f"{type(error).__name__}: {error}"}
    return {"result": result.model_dump(by_alias=True, mode="json", exclude_none=True)}


async def walk(client, transport, era, protocol):
    listed = await client.list_tools()
    calls = {}
    for step in PLAN["calls"]:
        outcome = await call(client, step["tool"], step["arguments"])
        calls[step["name"]] = outcome
        content = outcome.get("result", {}).get("structuredContent") or {}
        corrected = (content.get("error") or {}).get("corrected_args")
        if corrected is not None:
            calls[step["name"] + ", corrected"] = await call(client, step["tool"], corrected)
    tools = [tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in listed.tools]
    return {"transport": transport, "era": era, "protocol": protocol(), "tools": tools, "calls": calls}


def http():
    return httpx2.AsyncClient(headers={"X-Request-Id": PLAN["request_id"]}, timeout=60)


async def main():
    command, *arguments = PLAN["command"]
    stdio = StdioServerParameters(command=command, args=arguments)
    sessions = []
    async with http() as web, streamable_http_client(PLAN["mcp"], http_client=web) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            sessions.append(await walk(session, "http", "2025-11-25", lambda: session.protocol_version))
    async with stdio_client(stdio) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            sessions.append(await walk(session, "stdio", "2025-11-25", lambda: session.protocol_version))
    async with http() as web, Client(streamable_http_client(PLAN["mcp"], http_client=web)) as client:
        sessions.append(await walk(client, "http", "2026-07-28", lambda: client.protocol_version))
    async with Client(stdio) as client:
        sessions.append(await walk(client, "stdio", "2026-07-28", lambda: client.protocol_version))
    version = importlib.metadata.version("mcp")
    print(json.dumps({"client": f"PyPI mcp {version}", "sessions": sessions}))


asyncio.run(main())

"""Servers that know nothing of AON: one of them, on a free port that is printed once it listens.

foreign_servers.py mcp|fastmcp|a2a|fastapi|rest [certificate key]
"""

import json
import socket
import ssl
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal


def ready(scheme, port):
    print(f"ready {scheme}://127.0.0.1:{port}", flush=True)


def listen(app):
    """Serves an ASGI application with uvicorn."""
    import uvicorn

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    # Who connects before the application is ready waits in the queue.
    listener.listen()
    ready("http", listener.getsockname()[1])
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
    server.run(sockets=[listener])


def mcp():
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("foreign")

    @server.tool()
    def set_mode(mode: Literal["hosted", "custom"]) -> str:
        """Sets the mode."""
        return mode

    @server.tool()
    def fail(reason: str) -> str:
        """Fails."""
        raise ValueError(reason)

    listen(server.streamable_http_app())


def fastmcp():
    from fastmcp import FastMCP
    from fastmcp.exceptions import ToolError

    server = FastMCP("foreign")

    @server.tool
    def set_mode(mode: Literal["hosted", "custom"]) -> str:
        """Sets the mode."""
        return mode

    @server.tool
    def fail(reason: str) -> str:
        """Fails."""
        raise ToolError(reason)

    listen(server.http_app())


def a2a():
    from a2a.server.agent_execution import AgentExecutor
    from a2a.server.request_handlers import DefaultRequestHandler
    from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
    from a2a.server.tasks import InMemoryTaskStore
    from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
    from starlette.applications import Starlette

    class Echo(AgentExecutor):
        async def execute(self, context, event_queue):
            raise RuntimeError("this agent always fails")

        async def cancel(self, context, event_queue):
            raise RuntimeError("nothing to cancel")

    card = AgentCard(
        name="foreign",
        description="Knows nothing of AON.",
        version="1",
        supported_interfaces=[AgentInterface(url="/rpc", protocol_binding="JSONRPC", protocol_version="1.0")],
        capabilities=AgentCapabilities(),
        default_input_modes=["application/json"],
        default_output_modes=["application/json"],
        skills=[AgentSkill(id="echo", name="Echo", description="Echoes.", tags=["echo"])],
    )
    handler = DefaultRequestHandler(agent_executor=Echo(), task_store=InMemoryTaskStore(), agent_card=card)
    listen(Starlette(routes=[*create_agent_card_routes(card), *create_jsonrpc_routes(handler, "/rpc")]))


def fastapi():
    from fastapi import FastAPI
    from pydantic import BaseModel

    app = FastAPI()

    class Item(BaseModel):
        name: str

    @app.get("/")
    def hello():
        return {"hello": "world"}

    @app.post("/items")
    def add(item: Item):
        return item

    listen(app)


class Plain(BaseHTTPRequestHandler):
    """A REST server of the standard library: errors are pages of text, or JSON of its own."""

    def answer(self, status, media, body):
        self.send_response(status)
        self.send_header("content-type", media)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self):
        if self.path == "/":
            return self.answer(200, "text/plain", b"hello")
        self.answer(404, "application/json", json.dumps({"detail": "Not Found"}).encode())

    do_HEAD = do_GET

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.answer(422, "application/json", json.dumps({"detail": [{"loc": ["body"], "msg": "invalid"}]}).encode())

    def log_message(self, *_):
        pass


def rest(certificate=None, key=None):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Plain)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    ready("https" if certificate else "http", server.server_address[1])
    server.serve_forever()


if __name__ == "__main__":
    {"mcp": mcp, "fastmcp": fastmcp, "a2a": a2a, "fastapi": fastapi, "rest": rest}[sys.argv[1]](*sys.argv[2:])

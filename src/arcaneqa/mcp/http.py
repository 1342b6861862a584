"""The tools over streamable HTTP, behind the same door as the service: names, token, sizes and times."""

from __future__ import annotations

import socket
from collections.abc import Collection

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings

from arcaneqa.service.connections import uvicorn_config
from arcaneqa.service.safety import MOST_BODY, Safety

PATH = "/mcp"
GRACE = 10
"""Seconds for calls under way when the server is told to end."""


def serve_http(
    server: MCPServer, listening: socket.socket, token: str | None = None, hosts: Collection[str] = ()
) -> None:
    """Until SIGTERM or SIGINT. `hosts` are names, beside those of this machine, that it answers to."""
    # The SDK's own check of names would only know this machine's.
    unchecked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    app = server.streamable_http_app(
        streamable_http_path=PATH, max_request_body_size=MOST_BODY, transport_security=unchecked
    )
    app.add_middleware(Safety, token=token, hosts=hosts, guarded=PATH)
    uvicorn.Server(uvicorn_config(app, "warning", GRACE)).run([listening])

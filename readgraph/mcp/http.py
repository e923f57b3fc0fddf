"""The server over streamable HTTP: to this machine alone, unless the user says otherwise."""

import socket
from collections.abc import Sequence

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings

from readgraph.tools.sockets import LOOPBACK, is_loopback

EVERYWHERE = ("0.0.0.0", "::", "")
PATH = "/mcp"


def checked_names(host: str, names: Sequence[str]) -> TransportSecuritySettings:
    """What is let in: requests for this machine's names and those given, from pages of the same names or from none.

    A page in a browser could otherwise reach the server by a name of its own that leads here (DNS rebinding).
    """
    bound = [] if host in EVERYWHERE or is_loopback(host) else [f"[{host}]" if ":" in host else host]
    known = [*LOOPBACK, *bound, *names]
    hosts = [name for each in known for name in (each, f"{each}:*")]
    origins = [f"{scheme}://{name}" for scheme in ("http", "https") for name in hosts]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)


async def serve_http(server: MCPServer, listener: socket.socket, host: str, names: Sequence[str]) -> None:
    """Serve until the process is told to stop. No session is kept, so clients go on after a restart."""
    security = checked_names(host, names)
    app = server.streamable_http_app(
        streamable_http_path=PATH, stateless_http=True, host=host, transport_security=security
    )
    await uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none", timeout_graceful_shutdown=2)).serve(
        [listener]
    )

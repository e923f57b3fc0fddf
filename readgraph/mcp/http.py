"""The server over streamable HTTP: to this machine alone, unless the user says otherwise."""

import socket
from collections.abc import Sequence

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings

from readgraph.tools.sockets import LOOPBACK, in_address, is_loopback

EVERYWHERE = ("0.0.0.0", "::", "")
PATH = "/mcp"


def checked_names(host: str, port: int, names: Sequence[str]) -> TransportSecuritySettings:
    """What is let in: requests for this machine's names and those given, from pages of its own address or from none.

    A page in a browser could otherwise reach the server by a name of its own that leads here (DNS rebinding), and so
    could the page of any other server on this machine. Pages of the names that the user gave are let in too.
    """
    bound = [] if host in EVERYWHERE or is_loopback(host) else [in_address(host)]
    own = [*LOOPBACK, *bound]
    hosts = [name for each in (*own, *names) for name in (each, f"{each}:*")]
    origins = [f"http://{name}:{port}" for name in own]
    origins += [f"{scheme}://{name}{at}" for scheme in ("http", "https") for name in names for at in ("", f":{port}")]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)


async def serve_http(server: MCPServer, listener: socket.socket, host: str, names: Sequence[str]) -> None:
    """Serve until the process is told to stop. No session is kept, so clients go on after a restart."""
    security = checked_names(host, listener.getsockname()[1], names)
    app = server.streamable_http_app(
        streamable_http_path=PATH, stateless_http=True, host=host, transport_security=security
    )
    await uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none", timeout_graceful_shutdown=2)).serve(
        [listener]
    )

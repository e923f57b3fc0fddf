"""The server over streamable HTTP: to this machine alone, unless the user says otherwise."""

import socket
from collections.abc import Sequence

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings

from readgraph.state.errors import BadInput

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
EVERYWHERE = ("0.0.0.0", "::", "")
PATH = "/mcp"


def listening(host: str, port: int) -> socket.socket:
    """A socket on this address; port 0 takes a free one. Raises `BadInput` where that can't be."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()  # who connects before the server runs waits for it
    except OSError as problem:
        listener.close()
        raise BadInput(
            f"{host}:{port} can't be used ({problem.strerror or problem}): choose another --port or --host."
        ) from None
    return listener


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address."""
    return host in (*LOOPBACK, "::1") or host.startswith("127.")


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

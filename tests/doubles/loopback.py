"""A web server on the loopback interface that starts and stops without delay."""

import asyncio
import socket
from typing import Any

import uvicorn
from starlette.routing import Router
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class LoopbackServer(uvicorn.Server):
    """A uvicorn server that stops on request, without polling and without waiting for its clients."""

    def __init__(self, app: Router) -> None:
        """Prepare a quiet server."""
        quiet: dict[str, Any] = {"access_log": False, "log_config": None, "log_level": "critical"}
        # Idle connections stay open, so that none is closed just when a client takes it up again.
        plain: dict[str, Any] = {"http": "httptools", "ws": "none", "lifespan": "off", "timeout_keep_alive": 3600}
        super().__init__(uvicorn.Config(app, **plain, **quiet))
        self.told_to_stop = asyncio.Event()

    async def main_loop(self) -> None:
        """Serve until a stop is requested."""
        await self.told_to_stop.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Drop all connections and let their requests end."""
        for listener in self.servers:
            listener.close()
        for each in sockets or []:
            each.close()
        for connection in list(self.server_state.connections):
            if isinstance(connection, HttpToolsProtocol):
                connection.transport.abort()
        if self.server_state.tasks:
            await asyncio.wait(self.server_state.tasks, timeout=0.2)


def loopback_listener(port: int) -> socket.socket:
    """A socket that already accepts connections; port 0 means any free port."""
    # asyncio turns off Nagle's algorithm, which costs 40 ms per response, only for sockets that name TCP.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(2048)
    return listener

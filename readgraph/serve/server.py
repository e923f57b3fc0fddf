"""The server of a room."""

import asyncio
import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from readgraph.serve.app import library_app
from readgraph.serve.guard import Guard
from readgraph.serve.room import Room

SECONDS_TO_END = 2
"""How long connections may take to end once the runs have: one whose other side doesn't read would never end."""

_log = logging.getLogger("uvicorn.error")


class Server(uvicorn.Server):
    """A server that leaves signals to the command, which stops the runs first."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take no signal."""
        yield


async def serve_room(room: Room, guard: Guard, listener: socket.socket) -> None:
    """Serve until cancelled; runs are stopped then, and go on when they are begun again."""
    _log.setLevel(logging.WARNING)
    config = uvicorn.Config(
        library_app(room, guard),
        log_level="warning",
        access_log=False,
        ws="none",
        lifespan="off",
        timeout_graceful_shutdown=SECONDS_TO_END,
    )
    server = Server(config)
    serving = asyncio.ensure_future(server.serve([listener]))
    try:
        await asyncio.shield(serving)
    finally:
        server.should_exit = True
        await room.close()  # who follows a run gets its end, and lets go of the connection
        _log.setLevel(logging.CRITICAL)  # connections that are cut now are no errors
        await asyncio.wait([serving])

"""The server of a room."""

import logging
import socket

import uvicorn

from readgraph.serve.app import library_app
from readgraph.serve.guard import Guard
from readgraph.serve.room import Room

SECONDS_TO_END = 2
"""How long open connections may take to end: those that follow a run would never end by themselves."""


async def serve_room(room: Room, guard: Guard, listener: socket.socket) -> None:
    """Serve until the process is told to stop; runs are stopped then, and go on when they are begun again."""
    app = library_app(room, guard)
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, ws="none", lifespan="off", timeout_graceful_shutdown=SECONDS_TO_END
    )
    try:
        await uvicorn.Server(config).serve([listener])
    finally:
        await room.close()

"""The events of a run as server-sent events: each follower reads at its own pace, and can go on where it was."""

import asyncio
import json
from collections.abc import AsyncIterator

from starlette.responses import StreamingResponse

from readgraph.serve.run import Run

ALIVE = 15.0
"""Seconds of silence after which a comment is sent, so that nothing between takes the connection for dead."""


def event_stream(run: Run, after: int) -> StreamingResponse:
    """The events behind the one with this number, and those that come."""
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(_lines(run, after), media_type="text/event-stream", headers=headers)


async def _lines(run: Run, after: int) -> AsyncIterator[bytes]:
    yield b"retry: 1000\n\n"
    events = run.events(after)
    following = asyncio.ensure_future(anext(events, None))
    try:
        while True:
            done, _ = await asyncio.wait([following], timeout=ALIVE)
            if not done:
                yield b": still here\n\n"
                continue
            if (event := following.result()) is None:
                return
            number, told = event
            data = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
            yield f"id: {number}\ndata: {data}\n\n".encode(errors="replace")  # of a lone surrogate there is no form
            following = asyncio.ensure_future(anext(events, None))
    finally:
        following.cancel()

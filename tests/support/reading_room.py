"""A reading room that is open: a real server on loopback, over a library of its own."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from httpx2 import Client, Response

from readgraph.api.servers import open_listener
from readgraph.doors.serve.app import serve_room
from readgraph.doors.serve.guard import Guard
from readgraph.doors.serve.room import Room
from readgraph.library.opening import open_library
from readgraph.state.context import ReaderContext


@dataclass
class OpenRoom:
    """A room and its address; `url` lets in, `client` is let in already."""

    room: Room
    guard: Guard
    client: Client

    @property
    def url(self) -> str:
        """The address as the terminal prints it."""
        return f"{self.base}/?token={self.guard.token}"

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.guard.port}"

    def get(self, path: str, **query: Any) -> Any:
        return said(self.client.get(path, params=query))

    def post(self, path: str, **body: Any) -> Any:
        return said(self.client.post(path, json=body))

    def events(self, run: str, after: int = 0) -> Iterator[dict[str, Any]]:
        """What a run tells, until it ends."""
        with self.client.stream("GET", f"/api/runs/{run}/events", params={"after": after}) as response:
            assert response.status_code == 200 and response.headers["content-type"].startswith("text/event-stream")
            for line in response.iter_lines():
                if line.startswith("data: "):
                    yield json.loads(line[6:])

    def until(self, run: str, *types: str) -> list[dict[str, Any]]:
        """What a run tells, up to the first event of one of these types."""
        told = list[dict[str, Any]]()
        for event in self.events(run):
            told.append(event)
            if event["type"] in types:
                break
        return told

    def added(self, name: str, data: bytes) -> dict[str, Any]:
        """The document of a file that is put into the room."""
        run = said(self.client.put(f"/api/files/{name}", content=data))
        events = self.until(run["id"], "end")
        assert events[-1]["run"]["state"] == "done", events[-1]
        (document,) = [event["document"] for event in events if event["type"] == "document"]
        return dict(document)

    def ran(self, **body: Any) -> list[dict[str, Any]]:
        """All that a run tells from its beginning to its end."""
        return self.until(self.post("/api/runs", **body)["id"], "end")


def said(response: Response) -> Any:
    """The JSON of an answer without an error."""
    assert response.status_code < 300, (response.status_code, response.text)
    return response.json()


@contextmanager
def reading_room(folder: Path, context: ReaderContext, *, password: str = "") -> Iterator[OpenRoom]:
    """A room over the library in this folder, served by a thread of its own."""
    listener = open_listener("127.0.0.1", 0)
    guard = Guard(listener.getsockname()[1], password)
    opened: list[tuple[Room, asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []
    ready = threading.Event()

    async def serve() -> None:
        async with open_library(folder, answers=True) as library:
            room = Room(library, context)
            task = asyncio.ensure_future(serve_room(room, guard, listener))
            opened.append((room, asyncio.get_running_loop(), task))
            ready.set()
            await asyncio.wait([task])

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    assert ready.wait(30)
    room, loop, task = opened[0]
    headers = {"authorization": f"Bearer {guard.token}"}
    try:
        with Client(base_url=f"http://127.0.0.1:{guard.port}", headers=headers, timeout=60) as client:
            yield OpenRoom(room, guard, client)
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join(30)
        assert not thread.is_alive()

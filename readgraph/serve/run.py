"""One run: what was wanted, how far it is, and all that it has reported so far."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import uuid4

from pydantic import BaseModel, Field

Kind = Literal["add", "read", "ask", "chat"]
State = Literal["waiting", "working", "paused", "done", "failed", "stopped"]

ENDED = ("done", "failed", "stopped")
PASSING = ("pages", "progress", "converting", "waiting", "text", "begin")
"""Types of events that nobody needs once the run has ended: its result holds the same."""


class RunState(BaseModel):
    """How far a run is."""

    id: str
    kind: Kind
    state: State
    problem: str | None = Field(description="Why it failed, in one line; what was read before is kept.")
    title: str
    documents: list[str] = Field(description="Their ids; empty where retrieval picks them, or a file is converted.")
    method: str
    question: str
    thread: str = Field(description="The thread that keeps the steps of a question.")
    began: str = Field(description="When it began, in UTC.")
    ended: str | None
    last_event: int = Field(description="The number of the newest event; they count from 1.")


def now() -> str:
    """The time in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass
class Run:
    """A run, which works in another thread; all that is shown of it changes in the server's event loop alone."""

    kind: Kind
    loop: asyncio.AbstractEventLoop
    title: str = ""
    documents: list[str] = field(default_factory=list)
    method: str = ""
    question: str = ""
    thread: str = ""
    id: str = field(default_factory=lambda: uuid4().hex[:12])
    state: State = "waiting"
    problem: str | None = None
    began: str = field(default_factory=now)
    ended: str | None = None
    result: dict[str, Any] | None = None
    work: "Future[Any] | None" = None
    task: "asyncio.Future[Any] | None" = None
    stopping: bool = False
    again: Callable[[list[int] | None], Any] | None = None
    """Goes on with the run: after a pause, with the pages that a person chose."""

    last_event: int = 0
    _events: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    _bell: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def shown(self) -> RunState:
        """How far it is."""
        return RunState(
            **{name: getattr(self, name) for name in RunState.model_fields},
        )

    def tell(self, event: dict[str, Any]) -> None:
        """Tell an event to whoever follows the run; from any thread."""
        self.loop.call_soon_threadsafe(self._take, event)

    def change(self, **changed: Any) -> None:
        """Change what is shown of the run, and tell it; from any thread."""
        self.loop.call_soon_threadsafe(self._change, changed)

    def _change(self, changed: dict[str, Any]) -> None:
        for name, value in changed.items():
            setattr(self, name, value)
        if self.state in ENDED and self.ended is None:
            self.ended = now()
            self._events = [each for each in self._events if each[1]["type"] not in PASSING]
            self._take({"type": "end"})
        elif self.state not in ENDED:
            if self.ended:  # it goes on: its end was none
                self._events = [each for each in self._events if each[1]["type"] != "end"]
            self.ended = None
            self._take({"type": "run"})

    def _take(self, event: dict[str, Any]) -> None:
        self.last_event += 1
        if event["type"] in ("run", "end"):
            event = {**event, "run": self.shown.model_dump()}
        if event["type"] == "result":
            self.result = event
        self._events.append((self.last_event, event))
        self._bell.set()
        self._bell = asyncio.Event()

    async def events(self, after: int = 0) -> AsyncIterator[tuple[int, dict[str, Any]]]:
        """The events behind this number, and those that come, until the run ends; each follower at its own pace."""
        place = next((at for at, (number, _) in enumerate(self._events) if number > after), len(self._events))
        log = self._events
        while True:
            while place < len(log):
                number, event = log[place]
                place += 1
                yield number, event
                after = number
                if event["type"] == "end" and number == self.last_event:
                    return
            if log is not self._events:  # the run ended meanwhile, and dropped what nobody needs any more
                log = self._events
                place = next((at for at, (number, _) in enumerate(log) if number > after), len(log))
                continue
            if self.state in ENDED:
                return
            await self._bell.wait()

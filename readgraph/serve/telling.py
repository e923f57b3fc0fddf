"""What a graph streams, as events for the page: steps at once, pages and progress at most 25 times a second."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from langchain_core.messages import AIMessageChunk
from langgraph.types import Overwrite, StreamMode

from readgraph.api.running import BUILDS, Pace, node_activity
from readgraph.library.page_store import PageStore
from readgraph.models.prices import Price, price_to_pay
from readgraph.report.page import shown_pages
from readgraph.serve.room import Run
from readgraph.state.context import ReaderContext
from readgraph.state.errors import ReadgraphError
from readgraph.state.reading import Usage
from readgraph.state.records import Document

MODES: tuple[StreamMode, ...] = ("custom", "messages", "tasks", "updates", "values")

EVERY = 0.04  # seconds between two looks at pages and notes that are new
LOOKED_AT = 200  # pages without a note that are looked at again each time
TOLD = ("steps", "pages_read", "hops", "rounds", "findings", "citations", "answer", "status", "choice", "memory")
"""What of a node's update the page shows."""


@dataclass
class RunReporter:
    """Tells a run what its graph does. It lives in the loop in which the graph runs."""

    run: Run
    pages: PageStore
    document: Document
    context: ReaderContext
    price: Price | None
    memory: str = ""
    looked_at: str = ""
    told_to: int = 0
    without_note: dict[int, None] = field(default_factory=dict)
    latest: dict[str, Any] | None = None
    pace: Pace = field(default_factory=Pace)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    looking: asyncio.Lock = field(default_factory=asyncio.Lock)

    def listen(self, mode: str, event: Any) -> None:
        """Take an event of the graph's stream."""
        if mode == "custom":
            if "progress" in event:
                self.latest = {**(self.latest or {}), **event["progress"]}
                self.news.set()
            for kind in ("waiting", "refused", "batch"):
                if kind in event:
                    self.run.tell({"type": kind, **event[kind]})
            if "event" in event:
                self.run.tell({"type": "event", "event": event["event"]})
        elif mode == "tasks" and "input" in event:
            node = event["name"]
            self.run.tell({"type": "begin", "node": node, "doing": node_activity(node)})
        elif mode == "updates":
            for node, update in event.items():
                if isinstance(update, Mapping):  # and no interrupt
                    kept = {name: _plain(value) for name, value in update.items() if name in TOLD}
                    if update.get("memory"):
                        self.memory = str(update["memory"])
                        self.news.set()
                    self.run.tell({"type": "step", "node": node, "update": kept})
        elif mode == "messages":
            piece, about = event
            if isinstance(piece, AIMessageChunk) and (text := str(piece.text)):
                self.run.tell({"type": "text", "node": about.get("langgraph_node", ""), "text": text})

    async def follow(self) -> None:
        """Tell pages, notes and progress while they come, until cancelled."""
        while True:
            await self.news.wait()
            self.news.clear()
            with suppress(ReadgraphError):  # such as a document that was forgotten meanwhile: the run tells it
                await self.look()
            await asyncio.sleep(EVERY)

    async def look(self) -> None:
        """Tell what is new since the last look."""
        async with self.looking:
            latest, self.latest = self.latest, None
            if memory := (latest or {}).get("memory") or self.memory:
                await self._look_at(memory)
            if latest:
                self._progress(latest)

    async def _look_at(self, identity: str) -> None:
        memory = await self.pages.memory(self.document.id, identity)
        if identity != self.looked_at:
            self.looked_at, self.told_to = identity, 0
            self.without_note.clear()
            sizes = {"characters": self.document.characters, "words": self.document.words}
            parts = [(part.start, await self.pages.document(part.document)) for part in self.document.parts]
            titles = [{"title": one.title or one.id, "start": start} for start, one in parts]
            about = {"memory": identity, "document": self.document.id, "parts": titles, **sizes}
            self.run.tell({"type": "memory", **about})
        waiting = [*islice(self.without_note, LOOKED_AT)]
        noted = sorted(note.page for note in await self.pages.notes(identity, waiting))
        new = range(self.told_to, memory.pages)
        self.told_to = memory.pages
        shown = await shown_pages(self.pages, self.document, memory, [*noted, *new])
        for number in waiting:  # those that still wait go behind the others
            self.without_note.pop(number)
        unnoted = {*waiting, *new} - {number for number, page in shown.items() if page["note"] is not None}
        self.without_note |= dict.fromkeys(sorted(unnoted))
        if shown:
            told = [{"number": number, **page} for number, page in shown.items()]
            for page in told:
                page.pop("text", None)
                page.pop("blocks", None)
            self.run.tell({"type": "pages", "memory": identity, "pages": told})

    def _progress(self, latest: Mapping[str, Any]) -> None:
        node = latest["node"]
        seconds = None
        if "of" in latest and node in BUILDS:
            ends = self.pace.ends(latest["done"], latest["of"])
            seconds = None if ends is None else round(max(0.0, ends - time.monotonic()), 1)
        usage: Usage = latest["usage"]
        dollars: float | None = None if usage["calls"] else 0.0  # so far; None where the price isn't known
        if usage["calls"] and usage["input_tokens"]:
            price = price_to_pay(self.price, self.context.model, batch=self.context.batch)
            dollars = round(price.of(usage), 6) if price else None
        sizes = {name: latest[name] for name in ("done", "of", "pages", "notes") if name in latest}
        used = {"usage": usage, "cost": dollars, "seconds_left": seconds}
        self.run.tell({"type": "progress", "node": node, "doing": node_activity(node), **sizes, **used})


def _plain(value: Any) -> Any:
    """The value that a channel gets; the first step of a question sets channels anew by an `Overwrite`."""
    value = value.value if isinstance(value, Overwrite) else value
    return [*value] if isinstance(value, Sequence) and not isinstance(value, str) else value

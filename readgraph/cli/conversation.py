"""A conversation with an agent: its turns, one at a time, and what is looked up beside them."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from langgraph.graph.state import CompiledStateGraph

from readgraph.graphs.mem_gpt import build_chat
from readgraph.nodes.agent_index import search_recall
from readgraph.nodes.receiving import stored_arrival
from readgraph.sources import SourceText
from readgraph.state.agent_lives import drop_old_checkpoints, life_config, life_of, undo_turn
from readgraph.state.agents import AgentStore, Event, agent_id
from readgraph.state.context import ReaderContext
from readgraph.state.errors import ReadgraphError
from readgraph.state.library import Library
from readgraph.state.living import Arrival, Life

SHOWN_AT_OPENING = 6
SHOWN_OF_SEARCH = 10

TIDIED_AFTER = 10
"""Turns after which old checkpoints are dropped."""


class Conversation:
    """One agent's life in a library.

    `show` gets each event as it comes, a call before and after it was run; `warn` what goes wrong when a timer's turn
    does, which nobody waits for.
    """

    def __init__(
        self,
        library: Library,
        name: str,
        context: ReaderContext,
        show: Callable[[Event], None],
        warn: Callable[[str], None],
    ) -> None:
        self.name, self.context, self.show, self.warn = name, context, show, warn
        self.library, self.store = library, AgentStore(library.store)
        self.graph: CompiledStateGraph[Any, Any, Any, Any] = build_chat().compile(
            checkpointer=library.checkpointer, store=library.store
        )
        self.turn, self.turns = asyncio.Lock(), 0

    async def open(self) -> list[Event]:
        """The last things said; however long the life is, no more is read."""
        life = await self.life()
        recent = range(max(0, life["events"] - 5 * SHOWN_AT_OPENING), life["events"]) if life else range(0)
        events = await self.store.events(agent_id(self.name), recent)
        return [event for event in events if event.said][-SHOWN_AT_OPENING:]

    async def finish(self) -> None:
        """A turn that was broken off goes on to its end."""
        async with self.turn:
            await self._finish()

    async def receive(self, arrival: Arrival) -> None:
        """One turn: the agent takes the event in, and goes on until it yields."""
        async with self.turn:
            try:
                await self._finish()
            except ReadgraphError as problem:
                raise ReadgraphError(f"{problem} A turn before waits to be finished; this was not taken in.") from None
            arrival = await stored_arrival(arrival, self.store, self.context)
            await self._run({"agent": self.name, "event": arrival})

    async def close(self) -> None:
        """Wait until a turn that was cancelled has let go of the library."""
        async with self.turn:
            pass

    async def wake(self, seconds: float, prompt: str) -> None:
        """Wake the agent with a prompt again and again."""
        while True:
            await asyncio.sleep(seconds)
            try:
                await self.receive(Arrival(kind="timer", text=prompt))
            except ReadgraphError as problem:
                self.warn(str(problem))

    async def upload(self, source: SourceText) -> None:
        """A file arrives."""
        places = [(place.start, place.label) for place in source.places]
        document = await self.store.add_document(source.text, title=source.title, source=source.source, places=places)
        await self.receive(Arrival(kind="upload", document=document.id))

    async def undo(self) -> Arrival | None:
        """Take back the newest turn that the user began; the next replies are sampled anew."""
        async with self.turn:
            self.context = replace(self.context, sample=self.context.sample + 1)
            return await undo_turn(self.graph, self.name)

    async def life(self) -> Life | None:
        """The agent's life so far; none where it has not begun."""
        agent = await self.store.agent(self.name)
        return await life_of(self.library.checkpointer, agent) if agent else None

    async def search(self, words: str) -> tuple[int, list[Event]]:
        """How many events speak of this, and the best few of them."""
        life = await self.life()
        if life is None:
            return 0, []
        numbers = await search_recall(self.store, agent_id(self.name), life["events"], words)
        return len(numbers), await self.store.events(agent_id(self.name), numbers[:SHOWN_OF_SEARCH])

    async def _finish(self) -> None:
        if (await self.graph.aget_state(life_config(self.name))).next:
            await self._run(None)

    async def _run(self, given: dict[str, Any] | None) -> None:
        # Each checkpoint is committed before the next step: a kill loses nothing that was begun.
        events = self.graph.astream(
            given, life_config(self.name), context=self.context, stream_mode="custom", durability="sync"
        )
        async for event in events:
            if "event" in event:
                self.show(Event(**event["event"]))
        self.turns += 1
        if self.turns % TIDIED_AFTER == 0:
            await drop_old_checkpoints(self.library, self.name)

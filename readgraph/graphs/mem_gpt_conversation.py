"""A conversation with an agent: its turns, one at a time, and what is looked up beside them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StreamMode

from readgraph.graphs.mem_gpt import build_chat
from readgraph.nodes.agent.indexes import search_recall
from readgraph.nodes.agent.receiving import storable_event
from readgraph.state.agent_lives import agent_config, agent_state_of, drop_old_checkpoints, undo_turn
from readgraph.state.agents import AgentStore, Event, agent_id, thread_of
from readgraph.state.build_lock import building
from readgraph.state.context import ReaderContext
from readgraph.state.errors import ReadgraphError
from readgraph.state.library import Library
from readgraph.state.living import AgentState, IncomingEvent

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

SHOWN_AT_OPENING = 6
SHOWN_OF_SEARCH = 10

TIDIED_AFTER = 10
"""Turns after which old checkpoints are dropped."""


class Audience(Protocol):
    """Who sees a conversation."""

    listens: bool
    """Whether they want the model's replies while they come."""

    def event(self, event: Event) -> None:
        """An event as it comes, a call before and after it was run."""

    def heard(self, piece: "BaseMessage") -> None:
        """A piece of a step while the model says it."""

    def warn(self, line: str) -> None:
        """What goes wrong in a timer's turn, which nobody waits for."""

    def woken(self) -> None:
        """The end of a timer's turn."""


class Conversation:
    """One agent's life in a library, and its turns: one at a time, also where others talk with it too."""

    def __init__(self, library: Library, name: str, context: ReaderContext, audience: Audience) -> None:
        self.name, self.context, self.audience = name, context, audience
        self.library, self.store = library, AgentStore(library.store)
        self.graph: CompiledStateGraph[Any, Any, Any, Any] = build_chat().compile(
            checkpointer=library.checkpointer, store=library.store
        )
        self.here, self.turns = asyncio.Lock(), 0

    async def open(self) -> list[Event]:
        """The last things said; however long the life is, no more is read."""
        life = await self.life()
        recent = range(max(0, life["events"] - 5 * SHOWN_AT_OPENING), life["events"]) if life else range(0)
        events = await self.store.events(agent_id(self.name), recent)
        return [event for event in events if event.said][-SHOWN_AT_OPENING:]

    async def finish(self) -> None:
        """A turn that was broken off goes on to its end."""
        async with self._alone():
            await self._finish()

    async def receive(self, arrival: IncomingEvent) -> None:
        """One turn: the agent takes the event in, and goes on until it yields."""
        async with self._alone():
            try:
                await self._finish()
            except ReadgraphError as problem:
                raise ReadgraphError(f"{problem} A turn before waits to be finished; this was not taken in.") from None
            arrival = await storable_event(arrival, self.store, self.context)
            await self._run({"agent": self.name, "event": arrival})

    async def close(self) -> None:
        """Wait until a turn that was cancelled has let go of the library."""
        async with self.here:
            pass

    async def wake(self, seconds: float, prompt: str) -> None:
        """Wake the agent with a prompt again and again."""
        while True:
            await asyncio.sleep(seconds)
            try:
                await self.receive(IncomingEvent(kind="timer", text=prompt))
            except ReadgraphError as problem:
                self.audience.warn(str(problem))
            self.audience.woken()

    async def upload(self, document: str) -> None:
        """A document of the library, by its id, is given to the agent."""
        await self.receive(IncomingEvent(kind="upload", document=document))

    async def undo(self) -> list[IncomingEvent]:
        """Take back the newest turn that the user began, and those since; the next replies are sampled anew."""
        async with self._alone():
            self.context = replace(self.context, sample=self.context.sample + 1)
            return await undo_turn(self.graph, self.name)

    async def life(self) -> AgentState | None:
        """The agent's life so far; none where it has not begun."""
        agent = await self.store.agent(self.name)
        if agent is None:
            return None
        life = await agent_state_of(self.library.checkpointer, agent)
        await self.store.check_life(agent, life)
        return life

    async def search(self, words: str) -> tuple[int, list[Event]]:
        """How many events speak of this, and the best few of them."""
        life = await self.life()
        if life is None:
            return 0, []
        numbers = await search_recall(self.store, agent_id(self.name), life["events"], words)
        return len(numbers), await self.store.events(agent_id(self.name), numbers[:SHOWN_OF_SEARCH])

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Nobody else has a turn with this agent meanwhile, in no process that uses the library."""
        async with self.here, building(self.library.store, thread_of(agent_id(self.name))):
            yield

    async def _finish(self) -> None:
        if (await self.graph.aget_state(agent_config(self.name))).next:
            await self._run(None)

    async def _run(self, given: dict[str, Any] | None) -> None:
        # Each checkpoint is committed before the next step: a kill loses nothing that was begun.
        modes: list[StreamMode] = ["custom", "messages"] if self.audience.listens else ["custom"]
        events: AsyncIterator[Any] = self.graph.astream(
            given, agent_config(self.name), context=self.context, stream_mode=modes, durability="sync"
        )
        async for mode, part in events:
            if mode == "custom" and "event" in part:
                self.audience.event(Event(**part["event"]))
            elif mode == "messages" and part[1]["langgraph_node"] == "think":
                self.audience.heard(part[0])
        self.turns += 1
        if self.turns % TIDIED_AFTER == 0:
            await drop_old_checkpoints(self.library, self.name)

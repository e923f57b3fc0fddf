"""A conversation with an agent: its turns, one at a time, and lookups of its memory between them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StreamMode

from readgraph.features.agents import lives
from readgraph.features.agents.mem_gpt import build_chat
from readgraph.features.agents.memory import with_block
from readgraph.features.agents.receive import storable_event
from readgraph.features.agents.state import AgentState, IncomingEvent
from readgraph.features.agents.storages import search_recall
from readgraph.features.agents.store import AgentStore, Event, agent_id, thread_of
from readgraph.library.opening import Library
from readgraph.library.store import hold_build_lock
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, ReadgraphError

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

SHOWN_AT_OPENING = 6
SHOWN_OF_SEARCH = 10

TIDIED_AFTER = 10  # turns after which old checkpoints are dropped


class Audience:
    """Shows a conversation to a person or a program; what a kind of audience does not show is told to nobody."""

    listens = True
    """Whether to stream the model's replies."""

    def event(self, event: Event) -> None:
        """Show an event when it happens; a call both before and after it is run."""

    def show_piece(self, piece: "BaseMessage") -> None:
        """Show a piece of a step while the model writes it."""

    def warn(self, line: str) -> None:
        """Show an error of a timer's turn, for which no caller waits."""

    def note_timer_end(self) -> None:
        """A timer's turn has ended."""


class Conversation:
    """A conversation with one agent in a library. Turns run one at a time, even if several processes talk with it."""

    def __init__(self, library: Library, name: str, context: ReaderContext, audience: Audience) -> None:
        self.name, self.context, self.audience = name, context, audience
        self.library, self.store = library, AgentStore(library.store)
        self.graph: CompiledStateGraph[Any, Any, Any, Any] = build_chat().compile(
            checkpointer=library.checkpointer, store=library.store
        )
        self.turn_lock, self.turns = asyncio.Lock(), 0

    async def open(self) -> list[Event]:
        """The last messages; earlier ones are not read, however long the conversation is."""
        state = await self.life()
        recent = range(max(0, state["events"] - 5 * SHOWN_AT_OPENING), state["events"]) if state else range(0)
        events = await self.store.events(agent_id(self.name), recent)
        return [event for event in events if event.spoken_text][-SHOWN_AT_OPENING:]

    async def finish(self) -> None:
        """Finish an interrupted turn."""
        async with self._alone():
            await self._finish()

    async def receive(self, arrival: IncomingEvent) -> None:
        """Run one turn: the agent receives the event, and goes on until it yields."""
        async with self._alone():
            try:
                await self._finish()
            except ReadgraphError as problem:
                undelivered = "Your message was not delivered: an earlier turn is unfinished."
                raise ReadgraphError(f"{problem} {undelivered}") from None
            arrival = await storable_event(arrival, self.store, self.context)
            await self._run({"agent": self.name, "event": arrival})

    async def close(self) -> None:
        """Wait until a cancelled turn has released the library."""
        async with self.turn_lock:
            pass

    async def wake(self, seconds: float, prompt: str) -> None:
        """Wake the agent with this prompt at this interval, until cancelled."""
        while True:
            await asyncio.sleep(seconds)
            try:
                await self.receive(IncomingEvent(kind="timer", text=prompt))
            except ReadgraphError as problem:
                self.audience.warn(str(problem))
            self.audience.note_timer_end()

    async def upload(self, document: str) -> None:
        """Give the agent a document of the library, by its id."""
        await self.receive(IncomingEvent(kind="upload", document=document))

    async def undo(self) -> list[IncomingEvent]:
        """Undo the newest turn that the user began, and those since; the next replies are new samples."""
        async with self._alone():
            self.context = replace(self.context, sample=self.context.sample + 1)
            return await lives.undo_turn(self.graph, self.name)

    async def rewrite(self, label: str, text: str) -> None:
        """Replace the text of a block of the working context by the user's; raises `BadInput` where that can't be."""
        async with self._alone():
            state = await self.life()
            if state is None:
                raise BadInput(f"There is no agent '{self.name}' yet: send it a message first.")
            if await lives.is_unfinished(self.graph, self.name):
                raise BadInput("A turn of the agent is not finished: send it a message, or undo the turn.")
            blocks = with_block(state["blocks"], label, text)
            if await lives.has_lived(self.graph, self.name):
                await self.graph.aupdate_state(lives.agent_config(self.name), {"blocks": blocks}, as_node="act")
            else:  # no node has run that LangGraph could go on from
                agent = await self.store.require_agent(self.name)
                await self.store.put_agent(replace(agent, birth={**agent.birth, "blocks": blocks}))

    async def life(self) -> AgentState | None:
        """The agent's current state; None for an agent that doesn't exist yet."""
        agent = await self.store.agent(self.name)
        if agent is None:
            return None
        state = await lives.agent_state_of(self.library.checkpointer, agent)
        await self.store.check_life(agent, state)
        return state

    async def search(self, words: str) -> tuple[int, list[Event]]:
        """The number of events that match these words, and the best few of them."""
        state = await self.life()
        if state is None:
            return 0, []
        numbers = await search_recall(self.store, agent_id(self.name), state["events"], words)
        return len(numbers), await self.store.events(agent_id(self.name), numbers[:SHOWN_OF_SEARCH])

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Let no other turn of this agent run meanwhile, in any process that uses the library."""
        async with self.turn_lock, hold_build_lock(self.library.store, thread_of(agent_id(self.name))):
            yield

    async def _finish(self) -> None:
        if await lives.is_unfinished(self.graph, self.name):
            await self._run(None)

    async def _run(self, graph_input: dict[str, Any] | None) -> None:
        # Each checkpoint is committed before the next step, so that a kill loses nothing.
        modes: list[StreamMode] = ["custom", "messages"] if self.audience.listens else ["custom"]
        events: AsyncIterator[Any] = self.graph.astream(
            graph_input, lives.agent_config(self.name), context=self.context, stream_mode=modes, durability="sync"
        )
        async for mode, part in events:
            if mode == "custom" and "event" in part:
                self.audience.event(Event(**part["event"]))
            elif mode == "messages" and part[1]["langgraph_node"] == "think":
                self.audience.show_piece(part[0])
        self.turns += 1
        if self.turns % TIDIED_AFTER == 0:
            await lives.drop_old_checkpoints(self.library, self.name)

"""Agents to talk with: their messages, their working context, what they remember, and how full their view is."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import asdict
from typing import Any, Literal

from fastapi import FastAPI
from langchain_core.messages import BaseMessage
from pydantic import BaseModel, Field

from readgraph.doors.serve.making import Page
from readgraph.doors.serve.requests import NoteBody, RequestBody
from readgraph.doors.serve.room import Room, Run, RunState, in_background_loop
from readgraph.features.agents.conversation import Audience, Conversation
from readgraph.features.agents.lives import agent_config, agent_state_of, forget_agent
from readgraph.features.agents.memory import MemGptMemory, queue_text
from readgraph.features.agents.state import IncomingEvent
from readgraph.features.agents.storages import load_archive_items, own_passages, search_archive
from readgraph.features.agents.store import AgentStore, Event, agent_id, proper_name, thread_of
from readgraph.library.store import InUse, hold_lock
from readgraph.models.streaming import THOUGHTS
from readgraph.state.errors import BadInput
from readgraph.state.words import count_words

SHOWN = 200  # newest events that are shown of a conversation
MOST_FOUND = 50  # most items of a search, and most passages of archival storage, that are shown at once


class AgentEntry(BaseModel):
    """An agent that lives on."""

    name: str
    created: str
    events: int = Field(description="Events in recall storage.")


class Pressure(BaseModel):
    """How full the agent's view is: words of its queue, and the words that the window leaves for it (0: not known)."""

    used: int
    room: int
    warned: bool = Field(description="Whether the agent was told to save what matters (MemGPT, section 2.3).")


class AgentDetails(BaseModel):
    """An agent: its working context, its storages and its newest events."""

    name: str
    exists: bool = Field(description="An agent begins with its first message.")
    blocks: list[dict[str, Any]] = Field(description="label, about, limit (words), text.")
    pressure: Pressure
    events: int
    in_view: int = Field(description="How many of the newest events the agent sees.")
    passages: int
    documents: list[dict[str, str]]
    newest: list[dict[str, Any]] = Field(description="The newest events, in the order in which they happened.")


class StorageMatches(BaseModel):
    """What a search of recall or archival storage found."""

    found: int
    items: list[dict[str, Any]]


class MessageBody(RequestBody):
    """A message to an agent."""

    text: str


class DocumentBody(RequestBody):
    """A document of the library, by its id."""

    document: str


class RunAudience(Audience):
    """The audience of a conversation: the run of the turn that is under way; no timer runs here."""

    def __init__(self) -> None:
        self.run: Run | None = None
        self.turns = asyncio.Lock()

    def event(self, event: Event) -> None:
        """Tell an event when it happens; a call both before and after it is run."""
        if self.run:
            self.run.tell({"type": "event", "event": asdict(event)})

    def show_piece(self, piece: BaseMessage) -> None:
        """Tell a piece of a step while the model writes it."""
        thoughts, text = str(piece.additional_kwargs.get(THOUGHTS, "")), str(piece.text)
        if self.run and (thoughts or text):
            self.run.tell({"type": "text", "node": "think", "id": piece.id, "thoughts": thoughts, "text": text})


class Agents:
    """The conversations of a room."""

    def __init__(self, room: Room) -> None:
        self.room, self.store = room, AgentStore(room.library.store)
        self._talks: dict[str, tuple[Conversation, RunAudience]] = {}

    async def list_agents(self) -> dict[str, list[AgentEntry]]:
        """The agents that can be talked with."""
        listed = list[AgentEntry]()
        for agent in await self.store.agents():
            life = await agent_state_of(self.room.library.checkpointer, agent)
            listed.append(AgentEntry(name=agent.name, created=agent.created, events=life["events"]))
        return {"agents": listed}

    async def one(self, name: str) -> AgentDetails:
        """An agent's working context, storages and newest events."""
        name = proper_name(name)
        life = await self._talk(name)[0].life()
        if life is None:
            nothing = Pressure(used=0, room=0, warned=False)
            empty: dict[str, Any] = {"blocks": [], "documents": [], "newest": []}
            return AgentDetails(name=name, exists=False, pressure=nothing, events=0, in_view=0, passages=0, **empty)
        identity = agent_id(name)
        queue = await self.store.events(identity, range(life["queue_from"], life["events"]))
        saved = await self.room.library.checkpointer.aget_tuple(agent_config(name))
        room = (saved.checkpoint["channel_values"].get("room") or 0) if saved else 0
        used = count_words(queue_text(queue, self.room.context.window_words))
        entries = await self.store.entries(identity, [start for start, _ in life["documents"]])
        documents = [await self.room.pages.find_document(entry.document) for entry in entries]
        newest = await self.store.events(identity, range(max(0, life["events"] - SHOWN), life["events"]))
        return AgentDetails(
            name=name,
            exists=True,
            blocks=[dict(block) for block in life["blocks"]],
            pressure=Pressure(used=used, room=room, warned=life["warned"]),
            events=life["events"],
            in_view=len(queue),
            passages=life["passages"],
            documents=[{"id": document.id, "title": document.title} for document in documents if document],
            newest=[asdict(event) for event in newest],
        )

    async def send(self, name: str, given: MessageBody) -> RunState:
        """Send an agent a message; an agent of a new name begins with it."""
        if not given.text.strip():
            raise BadInput("The message is empty: write one.")
        return self._turn(name, lambda talk: talk.receive(IncomingEvent(kind="user", text=given.text)))

    async def upload(self, name: str, given: DocumentBody) -> RunState:
        """Give an agent a document of the library."""
        await self.room.pages.document(given.document)
        return self._turn(name, lambda talk: talk.upload(given.document))

    def _turn(self, name: str, turn: Callable[[Conversation], Coroutine[Any, Any, None]]) -> RunState:
        name = proper_name(name)
        if not self.room.context.model:
            raise BadInput("An agent needs a model: whoever runs this server can set one for it.")
        talk, audience = self._talk(name)
        run = Run("chat", asyncio.get_running_loop(), title=name)

        async def take_turn() -> None:
            async with audience.turns:  # another turn of this agent is told to its own run
                audience.run = run
                await turn(talk)
            run.change(state="done")

        return self.room.begin(run, take_turn).snapshot

    async def undo(self, name: str) -> dict[str, Any]:
        """Take back the newest turn that a user began, and all since."""
        taken = await in_background_loop(self._talk(proper_name(name))[0].undo)
        return {"undone": [dict(event) for event in taken]}

    async def delete(self, name: str) -> dict[str, str]:
        """Delete an agent with all that it remembers; the documents that it has read stay."""
        library, agent = self.room.library, await self.store.require_agent(proper_name(name))
        try:
            async with hold_lock(library.store, f"{thread_of(agent.id)}.lock", wait=False):
                pass
        except InUse:
            raise BadInput(f"'{agent.name}' is at work: wait until it has answered.") from None
        await in_background_loop(forget_agent, library, agent)
        self._talks.pop(agent.name, None)
        self.room.drop_runs(lambda run: run.kind == "chat" and run.title == agent.name)
        return {"deleted": agent.name}

    async def rewrite(self, name: str, label: str, given: NoteBody) -> AgentDetails:
        """Replace the text of a block of an agent's working context."""
        await in_background_loop(self._talk(proper_name(name))[0].rewrite, label, given.text)
        return await self.one(name)

    async def search(
        self, name: str, store: Literal["recall", "archival"] = "recall", query: str = ""
    ) -> StorageMatches:
        """What an agent's storage holds for these words; without words, the newest."""
        name = proper_name(name)
        life = await self._talk(name)[0].life()
        if life is None:
            return StorageMatches(found=0, items=[])
        if store == "recall" and query.strip():
            total, events = await self._talk(name)[0].search(query)
            return StorageMatches(found=total, items=[asdict(event) for event in events])
        if store == "recall":
            newest = range(max(0, life["events"] - MOST_FOUND), life["events"])[::-1]
            events = await self.store.events(agent_id(name), newest)
            return StorageMatches(found=life["events"], items=[asdict(event) for event in events])
        memory = MemGptMemory(await self.store.require_agent(name), self.store, self.room.context, life)
        numbers = await search_archive(memory, query) if query.strip() else (await own_passages(memory))[::-1]
        items = await load_archive_items(memory, numbers[:MOST_FOUND])
        return StorageMatches(found=len(numbers), items=[asdict(item) for item in items])

    def _talk(self, name: str) -> tuple[Conversation, RunAudience]:
        if name not in self._talks:
            audience = RunAudience()
            self._talks[name] = Conversation(self.room.library, name, self.room.context, audience), audience
        return self._talks[name]


AGENT = "/api/agents/{name:path}"


def add_routes(app: FastAPI, room: Room) -> None:
    """Add what the page asks of agents."""
    agents = Agents(room)
    app.get("/api/agents")(agents.list_agents)
    app.get(f"{AGENT}/search")(agents.search)
    app.get(AGENT)(agents.one)
    app.delete(AGENT)(agents.delete)
    app.post(f"{AGENT}/messages")(agents.send)
    app.post(f"{AGENT}/documents")(agents.upload)
    app.put(f"{AGENT}/blocks/{{label}}")(agents.rewrite)
    app.post(f"{AGENT}/undo")(agents.undo)


PAGE = Page(add_routes=add_routes)

"""What is kept of agents: their records, recall storage, archival storage, summaries of what left the queue.

Each is a numbered log; how far it goes is said by the agent's state (see `readgraph.state.living`), and nothing here
lists it. Entries behind that count are of a time that was taken back, and will be written over.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Literal

from langgraph.runtime import Runtime

from readgraph.state.errors import BadInput
from readgraph.state.living import Block, EventKind, Life
from readgraph.state.page_store import PageStore, page_store
from readgraph.state.records import digest
from readgraph.state.search.beside import indexes_beside
from readgraph.state.stored_items import BATCH, ROOT, numbered

SPEAKS = "send_message"
"""The function by which an agent speaks."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event of recall storage. A call is one event with its result, so that nothing can part the two.

    `text` is what arrived, or the inner thoughts of a call; `at` the local time with its offset.
    """

    number: int
    kind: EventKind
    at: str
    text: str
    function: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    run_on: bool = False
    result: str | None = None
    failed: bool = False

    @property
    def said(self) -> str:
        """What was said in it by anyone, as the search of recall sees it; thoughts and other calls are not."""
        if self.kind != "call":
            return "" if self.kind == "system" else self.text
        spoken = self.function == SPEAKS and self.result is not None and not self.failed
        return str(self.arguments.get("message", "")) if spoken else ""


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """One entry of archival storage, under its first number.

    A passage holds a text; a document's entry stands for all its `pages`, each with a number of its own; a removal
    names the passages that it takes out.
    """

    number: int
    kind: Literal["passage", "document", "removal"]
    at: str
    text: str = ""
    document: str = ""
    memory: str = ""
    pages: int = 1
    removed: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent's record: its settings, and how its life begins.

    `index` names the search index over its archival storage: readings of the same documents share one.
    `reading` is the document that a reading's agent answers for, and its instructions are the question; "" for an
    agent that lives on.
    """

    id: str
    name: str
    created: str
    birth: Life
    index: str
    instructions: str = ""
    reading: str = ""


def proper_name(name: str) -> str:
    """A name on one line; raises `BadInput` where it is empty."""
    if not (named := " ".join(name.split())):
        raise BadInput("The agent has no name: give it one.")
    return named


def agent_id(name: str) -> str:
    """The id of the agent of this name."""
    return digest(["agent", name])


def thread_of(agent: str) -> str:
    """The checkpointer's thread in which the agent of this id lives."""
    return f"agent-{agent}"


def recall_index(agent: str) -> str:
    """The name of the search index over an agent's recall storage."""
    return f"recall {agent}"


def archive_index(agent: str) -> str:
    """The name of the search index over the archival storage of an agent that lives on."""
    return f"archive {agent}"


def unborn(name: str, blocks: list[Block]) -> Life:
    """The life of an agent to which nothing has happened yet."""
    return {
        "agent": name,
        "blocks": blocks,
        "events": 0,
        "queue_from": 0,
        "summaries": 0,
        "warned": False,
        "archive": 0,
        "passages": 0,
        "documents": [],
    }


def now() -> str:
    """The local time, with its offset."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


class AgentStore(PageStore):
    """The page store with what is kept of agents."""

    async def agent(self, name: str) -> Agent | None:
        """The record of an agent, where there is one."""
        (value,) = await self.get((ROOT, "agents"), [agent_id(name)])
        return Agent(**value) if value else None

    async def put_agent(self, agent: Agent) -> None:
        """Keep an agent's record."""
        await self.put([((ROOT, "agents"), agent.id, asdict(agent))])

    async def own_agent(self, name: str) -> Agent:
        """The record of an agent; raises `BadInput` where there is none."""
        agent = await self.agent(name)
        if agent is None:
            raise BadInput(f"The library holds no agent '{name}': 'readgraph agents' lists them.")
        return agent

    async def agents(self, reading: str = "") -> list[Agent]:
        """The agents that live on, or those that answered for a document; the oldest first."""
        found = await self.search((ROOT, "agents"), 10_000, {"reading": reading})
        return sorted((Agent(**item.value) for item in found), key=lambda agent: agent.created)

    async def put_events(self, agent: str, events: Iterable[Event]) -> None:
        """Keep events under their numbers; when this returns, they are committed."""
        await self.put([((ROOT, "events", agent), numbered(event.number), asdict(event)) for event in events])

    async def events(self, agent: str, numbers: Iterable[int]) -> list[Event]:
        """The events of these numbers, in this order."""
        values = await self.get((ROOT, "events", agent), [numbered(number) for number in numbers])
        return [Event(**value) for value in values if value]

    async def event(self, agent: str, number: int) -> Event:
        """One event; raises `BadInput` where there is none."""
        found = await self.events(agent, [number])
        if not found:
            raise BadInput(f"The agent has no event {number}: its library was changed.")
        return found[0]

    async def put_entry(self, agent: str, entry: ArchiveEntry) -> None:
        """Keep an entry of archival storage; what a time that was taken back left within its numbers goes."""
        left = await self.entries(agent, range(entry.number + 1, entry.number + entry.pages))
        await self.delete((ROOT, "archive", agent), [numbered(each.number) for each in left])
        await self.put([((ROOT, "archive", agent), numbered(entry.number), asdict(entry))])

    async def entries(self, agent: str, numbers: Iterable[int]) -> list[ArchiveEntry]:
        """The entries that begin at these numbers, in this order; numbers within a document have none."""
        values = await self.get((ROOT, "archive", agent), [numbered(number) for number in numbers])
        return [ArchiveEntry(**value) for value in values if value]

    async def put_summary(self, agent: str, number: int, text: str) -> None:
        """Keep the summary of what has left the queue so far."""
        await self.put([((ROOT, "summaries", agent), numbered(number), {"text": text})])

    async def summary(self, agent: str, number: int) -> str:
        """A summary; "" where nothing has left the queue."""
        (value,) = await self.get((ROOT, "summaries", agent), [numbered(number)])
        return str(value["text"]) if value else ""

    async def forget_agent(self, agent: Agent) -> None:
        """Delete all that is kept of an agent; its record goes last."""
        index = (await indexes_beside(self.store)).keyword
        for name in (recall_index(agent.id), agent.index):
            await index.forget(name)
        for log in ("events", "archive", "summaries"):
            while found := await self.search((ROOT, log, agent.id), BATCH):
                await self.delete((ROOT, log, agent.id), [item.key for item in found])
        await self.forget_replies([key async for key, _ in self.replies(agent.id)])
        await self.delete((ROOT, "agents"), [agent.id])


def agent_store(runtime: Runtime[Any]) -> AgentStore:
    """The store of a run, as agents use it."""
    return AgentStore(page_store(runtime).store)

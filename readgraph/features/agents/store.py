"""What is stored of agents: records, recall storage, archival storage, summaries of what left the queue.

Each is a numbered log, whose entries the agent's state counts (see `readgraph.features.agents.state`). Entries beyond
that count belong to turns that were taken back, and will be overwritten.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Annotated, Any, Literal

from langgraph.runtime import Runtime
from pydantic import AliasChoices, Field

from readgraph.features.agents.state import AgentState, Block, EventKind, load_life
from readgraph.library.library import Library
from readgraph.library.page_store import PageStore, page_store
from readgraph.library.search.indexes import indexes_of
from readgraph.library.stored_items import EVERY, ROOT, number_key, search_until_empty
from readgraph.library.upkeep.own_records import OwnRecords
from readgraph.state.channels import empty_channels
from readgraph.state.errors import BadInput, Damaged, Way
from readgraph.state.records import Count, Document, Id, Time, digest, load_record, utc_now

__all__ = ["AgentStore", "Event", "agent_id"]

LIST_AGENTS = Way(
    "'readgraph agents' lists its agents",
    tool="no tool lists agents",
    page="the list of agents names those that it holds",
)
SPEAKS = "send_message"  # the function that an agent calls to send a message
KEPT_READINGS = 50  # how many agents of a document's finished readings are kept, so that a thread can go back to them


@dataclass(frozen=True, slots=True)
class Event:
    """One event of recall storage. A call and its result are one event, so that they can't be separated.

    `text` is what arrived, or the inner thoughts of a call; `at` is the local time with its UTC offset. In old records
    `request_heartbeat` is called `run_on`.
    """

    number: Count
    kind: EventKind
    at: Time
    text: str
    function: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    request_heartbeat: Annotated[bool, Field(validation_alias=AliasChoices("request_heartbeat", "run_on"))] = False
    result: str | None = None
    failed: bool = False

    @classmethod
    def load(cls, value: Any) -> "Event":
        """The event in a stored value; raises `Damaged` if it holds none."""
        return load_record(cls, value)

    @property
    def spoken_text(self) -> str:
        """What somebody said in this event, as recall search sees it; "" for thoughts and for other calls."""
        if self.kind != "call":
            return "" if self.kind == "system" else self.text
        spoken = self.function == SPEAKS and self.result is not None and not self.failed
        return str(self.arguments.get("message", "")) if spoken else ""


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """One entry of archival storage, under its first number.

    A passage holds a text. A document's entry stands for all its `pages`, each with a number. A removal lists the
    numbers of passages.
    """

    number: Count
    kind: Literal["passage", "document", "removal"]
    at: Time
    text: str = ""
    document: str = ""
    memory: str = ""
    pages: Count = 1
    removed: list[Count] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent's record: its settings and its initial state (`birth`).

    `index` names the search index over its archival storage. `reading` is the id of the document that the agent answers
    a question about (its `instructions`), and `ended` when it did (UTC); both are "" for an agent that lives on.
    """

    id: Id
    name: str
    created: Time
    birth: AgentState
    index: str
    instructions: str = ""
    reading: str = ""
    ended: Time = ""

    @classmethod
    def load(cls, value: Any) -> "Agent":
        """The record in a stored value; raises `Damaged` if it holds none."""
        agent = load_record(cls, value)
        load_life(agent.birth)
        return agent


@dataclass(frozen=True, slots=True)
class _Summary:
    text: str


def proper_name(name: str) -> str:
    """A name on one line; raises `BadInput` if it is empty."""
    if not (named := " ".join(name.split())):
        raise BadInput("The agent has no name: give it one.")
    return named


def agent_id(name: str) -> str:
    """The id of the agent of this name."""
    return digest(["agent", name])


def thread_of(agent: str) -> str:
    """The checkpointer's thread of the agent with this id."""
    return f"agent-{agent}"


def recall_index(agent: str) -> str:
    """The name of the search index over an agent's recall storage."""
    return f"recall {agent}"


def archive_index(agent: str) -> str:
    """The name of the search index over the archival storage of an agent that lives on."""
    return f"archive {agent}"


def initial_state(name: str, blocks: list[Block]) -> AgentState:
    """The state of an agent before its first event."""
    return empty_channels(AgentState, agent=name, blocks=blocks)


def new_agent(name: str, blocks: list[Block]) -> Agent:
    """An agent that lives on, before its first event."""
    identity = agent_id(name)
    return Agent(identity, name, local_now(), initial_state(name, blocks), archive_index(identity))


def local_now() -> str:
    """The local time, with its UTC offset."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


class AgentStore(PageStore):
    """The page store with records and logs of agents."""

    async def agent(self, name: str) -> Agent | None:
        """The record of an agent, or None."""
        (value,) = await self.get((ROOT, "agents"), [agent_id(name)])
        return Agent.load(value) if value is not None else None

    async def put_agent(self, agent: Agent) -> None:
        """Store an agent's record."""
        await self.put([((ROOT, "agents"), agent.id, asdict(agent))])

    async def require_agent(self, name: str) -> Agent:
        """The record of an agent; raises `BadInput` if there is none."""
        agent = await self.agent(name)
        if agent is None:
            raise BadInput(
                f"The library holds no agent '{name}': ",
                LIST_AGENTS,
                ". The agent of an old question may be gone: ask that question again.",
            )
        return agent

    async def agents(self, reading: str = "") -> list[Agent]:
        """The agents that live on, or those that answered questions about a document (`reading`), the oldest first."""
        items = await self.search((ROOT, "agents"), EVERY, {"reading": reading})
        agents = list[Agent]()
        for item in items:
            with suppress(Damaged):
                if (agent := Agent.load(item.value)).id == item.key:
                    agents.append(agent)
        return sorted(agents, key=lambda agent: agent.created)

    async def put_events(self, agent: str, events: Iterable[Event]) -> None:
        """Store events under their numbers; when this returns, they are committed."""
        await self.put([((ROOT, "events", agent), number_key(event.number), asdict(event)) for event in events])

    async def events(self, agent: str, numbers: Iterable[int]) -> list[Event]:
        """The events of these numbers, in this order."""
        return await self.load(Event, (ROOT, "events", agent), map(number_key, numbers))

    async def event(self, agent: str, number: int) -> Event:
        """One event; raises `BadInput` if there is none."""
        events = await self.events(agent, [number])
        if not events:
            raise BadInput(f"The agent has no event {number}: its library was changed.")
        return events[0]

    async def put_entry(self, agent: str, entry: ArchiveEntry) -> None:
        """Store an entry of archival storage; entries that undone turns left within its numbers are deleted."""
        leftover = await self.entries(agent, range(entry.number + 1, entry.number + entry.pages))
        await self.delete((ROOT, "archive", agent), [number_key(old.number) for old in leftover])
        await self.put([((ROOT, "archive", agent), number_key(entry.number), asdict(entry))])

    async def entries(self, agent: str, numbers: Iterable[int]) -> list[ArchiveEntry]:
        """The entries that begin at these numbers, in this order; numbers within a document have none."""
        return await self.load(ArchiveEntry, (ROOT, "archive", agent), map(number_key, numbers))

    async def put_summary(self, agent: str, number: int, text: str) -> None:
        """Store the summary of what has left the queue so far."""
        await self.put([((ROOT, "summaries", agent), number_key(number), {"text": text})])

    async def summary(self, agent: str, number: int) -> str:
        """A summary; "" if nothing has left the queue."""
        summaries = await self.load(_Summary, (ROOT, "summaries", agent), [number_key(number)])
        return summaries[0].text if summaries else ""

    async def check_life(self, agent: Agent, life: AgentState) -> None:
        """Raise `Damaged` if the logs are shorter than the state's counts: a wrong count could take hours to read."""
        await self.check_last((ROOT, "events", agent.id), life["events"])
        starts = [start for start, pages in life["documents"] if start + pages == life["archive"]]
        await self.check_last((ROOT, "archive", agent.id), starts[0] + 1 if starts else life["archive"])

    async def put_archive_index(self, index: str, documents: Iterable[str]) -> None:
        """Record that this search index holds pages of these documents: it is deleted with any of them."""
        await self.put([((ROOT, "archive-indexes", document), index, {}) for document in documents])

    async def end_reading(self, name: str) -> None:
        """Record that a reading has ended; only the newest `KEPT_READINGS` of its document are kept."""
        agent = await self.require_agent(name)
        await self.put_agent(replace(agent, ended=utc_now()))
        ended = [other for other in await self.agents(agent.reading) if other.ended]
        for old in sorted(ended, key=lambda other: other.ended)[:-KEPT_READINGS]:
            await self.forget_life(old)

    async def forget_life(self, agent: Agent) -> None:
        """Delete all of an agent but its recorded replies, its record last; readings share the index over pages."""
        for name in [recall_index(agent.id), *([] if agent.reading else [agent.index])]:
            await (await indexes_of(self.store)).forget_named(name)
        for log in ("events", "archive", "summaries"):
            await self.clear((ROOT, log, agent.id))
        await self.delete((ROOT, "agents"), [agent.id])

    async def forget_agent(self, agent: Agent) -> None:
        """Delete everything stored of an agent."""
        await self.forget_paid(agent.id)
        await self.forget_life(agent)

    async def forget_readings(self, document: str) -> None:
        """Delete the agents that answered questions about a document, and the search indexes that hold its pages."""
        indexes = {item.key for item in await self.search((ROOT, "archive-indexes", document), EVERY)}
        async for agents in search_until_empty(lambda: self.agents(document)):
            for agent in agents:
                indexes.add(agent.index)  # older libraries name the indexes only in agents' records
                await self.forget_life(agent)
        await self.clear((ROOT, "agents"), {"reading": document})  # agents with a damaged record
        for index in indexes:
            await (await indexes_of(self.store)).forget_named(index)
        await self.delete((ROOT, "archive-indexes", document), indexes)


def agent_store(runtime: Runtime[Any]) -> AgentStore:
    """The store of a run, as agents use it."""
    return AgentStore(page_store(runtime).store)


async def forget_readings(library: Library, document: Document) -> None:
    """Delete the agents that answered questions about a document; what the hook `records` gives."""
    await AgentStore(library.store).forget_readings(document.id)


RECORDS = OwnRecords(forget=forget_readings)

"""Receive an event from the user, the system, a timer or an upload, whose pages are filed (MemGPT, section 2.4)."""

from bisect import bisect_left
from dataclasses import asdict
from typing import Any, cast, get_args

from pydantic import TypeAdapter, ValidationError

from readgraph.features.agents import store as agents
from readgraph.features.agents.contracts import BeginUpdate
from readgraph.features.agents.memory import cut_to, most_event_words
from readgraph.features.agents.settings import MemoryPressure
from readgraph.features.agents.state import AgentInput, AgentState, Block, IncomingEvent, fresh_turn
from readgraph.features.agents.storages import take_back_indexes
from readgraph.features.agents.store import AgentStore, Event, agent_id, agent_store
from readgraph.library.page_store import PageStore, page_store
from readgraph.nodes.building.build import read_pages
from readgraph.nodes.building.recipes import recipe_parameters
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.nodes.extractive import pages_by_rule
from readgraph.nodes.memory import describe_missing, sizes_of
from readgraph.nodes.opening import check_store, warn_of_tracing
from readgraph.nodes.step import node
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.reading import last_question
from readgraph.state.records import Document, Note, Page, Recipe
from readgraph.state.settings import PageSizes, Paragraphs, Rebuilding, Window
from readgraph.state.words import count_words, first_words

NOTE_WORDS = 12
REACHED_BY = "archival_search searches it, document_open reads a page."  # how an agent reaches a filed document
MOST_NAMED = 10  # most documents of a collection whose titles an agent sees


def archive_recipe(context: ReaderContext) -> Recipe:
    """The recipe of a filed document's pages, without a model."""
    return Recipe("mem-gpt", recipe_parameters(context, (PageSizes, Paragraphs)), "")


async def note_beginning(text: str, page: Page, runtime: ReaderRuntime) -> Note:
    """The page's first words, by which a person can recognise it."""
    beginning = " ".join(first_words(text.strip(), NOTE_WORDS).split())
    return Note(page.number, beginning, count_words(beginning))


file_pages = read_pages(pages_by_rule, note_beginning, archive_recipe, builds=False)


async def file_document(
    life: AgentState, identity: str, agent: str, runtime: ReaderRuntime, kept: str = "", reached_by: str = REACHED_BY
) -> tuple[AgentState, str]:
    """The agent's state with a document in its archive, by the pages of `kept` or by rule, and its description."""
    document = await page_store(runtime).document(identity)
    entries = await agent_store(runtime).entries(agent, [start for start, _ in life["documents"]])
    filed = {entry.document: (number, entry) for number, entry in enumerate(entries, 1)}
    if identity not in filed:
        kept = kept or (await file_pages({"document": identity}, runtime))["memory"]
        memory = await page_store(runtime).memory(identity, kept)
        start, title = life["archive"], document.title or identity
        entry = agents.ArchiveEntry(start, "document", agents.local_now(), title, identity, memory.id, memory.pages)
        await agent_store(runtime).put_entry(agent, entry)
        documents = [*life["documents"], [start, memory.pages]]
        life = cast(AgentState, {**life, "documents": documents, "archive": start + memory.pages})
        filed[identity] = len(documents), entry
    description = await _describe_document(document, *filed[identity], runtime)
    return life, f"{description} {reached_by}".rstrip()


async def _describe_document(
    document: Document, number: int, entry: agents.ArchiveEntry, runtime: ReaderRuntime
) -> str:
    store = page_store(runtime)
    description = (
        f"document {number}, '{document.title or document.id}': {document.words:,} words on {_pages(0, entry.pages)}"
    )
    if len(document.parts) > MOST_NAMED:
        description += f"; {len(document.parts)} documents"
    elif document.parts:
        starts = [page.start for page in await store.pages(entry.memory, range(entry.pages))]
        first = [bisect_left(starts, part.start) for part in document.parts]
        titles = [(await store.document(part.document)).title for part in document.parts]
        spans = zip(titles, first, [*first[1:], entry.pages], strict=True)
        description += "".join(f"; '{title}' is {_pages(begin, end)}" for title, begin, end in spans if title)
    if document.sessions:  # it may have grown since it was filed
        ends = [(page.end, document.characters) for page in await store.pages(entry.memory, [entry.pages - 1])]
        missing = describe_missing(await sizes_of(store, document, ends))
        description += f"; {missing}" if missing else ""
    return f"{description}."


def _pages(begin: int, end: int) -> str:
    return f"pages {begin} to {end - 1}" if end - begin > 1 else f"page {begin}"


DEFAULT_NAME = "default"
BEGINNING_WORDS = 40
TITLE_WORDS = 6

LIFE = tuple(AgentState.__annotations__)

_ARRIVAL = TypeAdapter(IncomingEvent)


class ReceiveState(AgentInput, total=False):
    """What receiving reads; an agent without events has no channels yet."""

    document: str
    blocks: list[Block]
    events: int
    queue_from: int
    summaries: int
    warned: bool
    archive: int
    passages: int
    documents: list[list[int]]


class ReceiveUpdate(BeginUpdate):
    document: str


@node(starts_question=True, settings=(Window, MemoryPressure, PageSizes, Paragraphs, Rebuilding))
async def receive(state: ReceiveState, runtime: ReaderRuntime) -> ReceiveUpdate:
    """Append the event to the queue; a long text becomes an uploaded document, a new name creates an agent."""
    check_store(runtime)
    warn_of_tracing()
    store, arrival = agent_store(runtime), _load_arrival(state)
    name = state.get("agent") or DEFAULT_NAME
    identity = agent_id(name)
    if state.get("document", identity) != identity:
        raise BadInput(f"This thread is the life of another agent than '{name}': each has a thread of its own.")
    life = await _life(state, store, name, runtime.context)
    around = await store.events(identity, range(max(0, life["events"] - 1), life["events"] + 1))
    taken_back = bool(around) and around[-1].number == life["events"]
    if taken_back:  # an undone or interrupted turn was here: the indexes may still contain its events
        await take_back_indexes(store, await store.require_agent(name), life)
    stored = await storable_event(arrival, store, runtime.context)
    kind, text = arrival["kind"], stored.get("text", "")
    if stored.get("document"):
        life, described = await file_document(life, stored["document"], identity, runtime)
        lead = f"The {kind} sent a text that is too long for your queue. It is kept as"
        kind, text = "upload", f"{lead} {described} It begins: {text}" if text else f"Uploaded: {described}"
    event = Event(life["events"], kind, clock(around[:-1] if taken_back else around), text)
    await keep(event, identity, runtime)
    life["events"] += 1
    turn = fresh_turn(event.number, owes_reply=arrival["kind"] == "user")
    summary = f"event {event.number} from {event.kind}"
    return cast(ReceiveUpdate, {**life, **turn, "document": identity, "step_summary": summary})


def _load_arrival(state: ReceiveState) -> IncomingEvent:
    given: Any = state.get("event")
    if not given and (text := last_question(state.get("messages") or [])):
        given = IncomingEvent(kind="user", text=text)
    try:
        return _ARRIVAL.validate_python(given)
    except ValidationError:
        kinds = ", ".join(get_args(IncomingEvent.__annotations__["kind"]))
        raise BadInput(
            "Nothing arrived: give an event, such as {'kind': 'user', 'text': 'Hello.'}. "
            f"Its kind is one of {kinds}, and it has a text or the id of a document."
        ) from None


async def storable_event(arrival: IncomingEvent, pages: PageStore, context: ReaderContext) -> IncomingEvent:
    """The event as it can be in a graph's input: a text that is too long for the queue is stored as a document."""
    text = arrival.get("text", "")
    if arrival.get("document"):
        return arrival
    if not text.strip():
        raise BadInput("The event is empty: give its text, or the id of a document.")
    if count_words(text) <= most_event_words(context.window_words):
        return arrival
    document = await pages.add_document(text, title=" ".join(first_words(text.strip(), TITLE_WORDS).split()))
    return IncomingEvent(kind=arrival["kind"], document=document.id, text=cut_to(text, BEGINNING_WORDS))


def clock(events: list[Event]) -> str:
    """The time of a new event, never before that of the last one, so that events are in order of time."""
    return max([agents.local_now(), *(event.at for event in events[-1:])])


async def keep(event: Event, agent: str, runtime: ReaderRuntime) -> None:
    """Keep an event in recall storage, and stream it (stream mode 'custom')."""
    await agent_store(runtime).put_events(agent, [event])
    runtime.stream_writer({"event": asdict(event)})


def most_block_words(context: ReaderContext) -> int:
    """Most words of a block of working context: as the settings say, and not more than a twelfth of the window."""
    return min(context.block_words, context.window_words // 12)


def default_blocks(context: ReaderContext) -> list[Block]:
    """The working context of a new agent (section 2.1)."""
    limit = most_block_words(context)
    companion = "I am a friendly and attentive companion."
    return [
        Block(label="persona", about="who you are", limit=limit, text=companion),
        Block(label="human", about="who you talk with", limit=limit, text=""),
    ]


async def _life(state: ReceiveState, store: AgentStore, name: str, context: ReaderContext) -> AgentState:
    if "blocks" in state:
        known: dict[str, Any] = {**state}
        return cast(AgentState, {**{channel: known[channel] for channel in LIFE if channel != "agent"}, "agent": name})
    agent = await store.agent(name)
    if agent is None:
        agent = agents.new_agent(name, default_blocks(context))
        await store.put_agent(agent)
    return cast(AgentState, {**agent.birth, "agent": name})

"""An agent as one JSON file, to hand on."""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from math import isfinite
from typing import Any, Literal

from pydantic import BaseModel, TypeAdapter, ValidationError

from readgraph.features.agents import store as agents
from readgraph.features.agents.state import AgentState, Block
from readgraph.features.agents.store import Agent, AgentStore, ArchiveEntry, Event
from readgraph.library.notices import keep_notices
from readgraph.library.upkeep.archives import LONGEST_FAULT, first_fault
from readgraph.state.declaring import LARGEST
from readgraph.state.errors import BadInput
from readgraph.state.files import check_format
from readgraph.state.records import Note, Notices, Page, Recipe, is_time
from readgraph.state.words import count_words

AGENT_FORMAT = 1
MOST_NUMBERS = 1_000_000  # the most numbers that a file's archive may count: each of them is checked
MOST_NESTED = 20


class FiledPassage(BaseModel, extra="forbid"):
    """A passage of archival storage under its number."""

    number: int
    at: str
    text: str


class FiledPage(BaseModel, extra="forbid"):
    """A page of a document: the character offset after it, and its note."""

    end: int
    note: str


class FiledDocument(BaseModel, extra="forbid"):
    """A document of archival storage under the number of its first page."""

    number: int
    at: str
    title: str
    source: str
    parameters: dict[str, Any]
    pages: list[FiledPage]
    places: list[tuple[int, str]]
    text: str
    notices: Notices = ()


class AgentFile(BaseModel, extra="forbid"):
    """An agent's file. Events from number `queue_from` on are in the queue; `summary` sums up the earlier ones."""

    readgraph: Literal["agent"] = "agent"
    format: Literal[1] = 1
    name: str
    created: str
    instructions: str
    working_context: list[Block]
    summary: str
    queue_from: int
    recall: list[Event]
    archive: int
    passages: list[FiledPassage]
    documents: list[FiledDocument]

    def json_text(self) -> str:
        """The file's text."""
        return self.model_dump_json(indent=1, exclude_unset=True) + "\n"  # early versions refuse what they don't know


async def make_agent_file(store: AgentStore, agent: Agent, life: AgentState) -> AgentFile:
    """The agent with this state as a file; documents that the library has forgotten are left out."""
    await store.check_life(agent, life)
    within = {number for start, pages in life["documents"] for number in range(start + 1, start + pages)}
    entries = await store.entries(agent.id, [number for number in range(life["archive"]) if number not in within])
    gone = {number for entry in entries for number in entry.removed}
    here = {document.id for document in await store.documents()}
    return AgentFile(
        readgraph="agent",
        format=1,
        name=agent.name,
        created=agent.created,
        instructions=agent.instructions,
        working_context=life["blocks"],
        summary=await store.summary(agent.id, life["summaries"]),
        queue_from=life["queue_from"],
        recall=await store.events(agent.id, range(life["events"])),
        archive=life["archive"],
        passages=[
            FiledPassage(number=entry.number, at=entry.at, text=entry.text)
            for entry in entries
            if entry.kind == "passage" and entry.number not in gone
        ],
        documents=[await _export_document(store, entry) for entry in entries if entry.document in here],
    )


async def add_agent_from_file(store: AgentStore, text: str, name: str = "") -> Agent:
    """Add an agent from its file, under its name or another one; its record is stored last.

    Raises `BadInput`, before anything is stored, if the file is not an agent's or the name is taken.
    """
    try:
        file = TypeAdapter(AgentFile).validate_json(text)
    except ValidationError as problem:
        with suppress(ValueError, AttributeError, RecursionError):
            check_format("This agent's file", json.loads(text).get("format"), AGENT_FORMAT)
        raise BadInput(f"This is not an agent's file: {first_fault(problem)}.") from None
    if problem_found := next(_faults(file), ""):
        raise BadInput(f"This agent's file was changed: {problem_found}.")
    name = agents.proper_name(name or file.name)
    if await store.agent(name):
        raise BadInput(f"There is an agent '{name}' already: import this one under another name.")
    return await build_agent_from_file(store, file, name)


async def build_agent_from_file(store: AgentStore, file: AgentFile, name: str) -> Agent:
    """Make an agent of this name from the file; an agent that has the name already is replaced."""
    birth: AgentState = {
        "agent": name,
        "blocks": file.working_context,
        "events": len(file.recall),
        "queue_from": file.queue_from,
        "summaries": 1 if file.summary else 0,
        "warned": False,
        "archive": file.archive,
        "passages": len(file.passages),
        "documents": [[document.number, len(document.pages)] for document in file.documents],
    }
    identity = agents.agent_id(name)
    agent = Agent(identity, name, file.created, birth, agents.archive_index(identity), file.instructions)
    if before := await store.agent(name):
        await store.forget_life(before)
    for document in file.documents:
        await store.put_entry(agent.id, await _import_document(store, document))
    for passage in file.passages:
        await store.put_entry(agent.id, ArchiveEntry(passage.number, "passage", passage.at, passage.text))
    await store.put_events(agent.id, file.recall)
    if file.summary:
        await store.put_summary(agent.id, 1, file.summary)
    await store.put_agent(agent)
    return agent


def _faults(file: AgentFile) -> Iterator[str]:
    """What can't be stored, or would stop the agent later, one line each."""
    spans = [(part.number, part.number + 1) for part in file.passages]
    spans += [(part.number, part.number + len(part.pages)) for part in file.documents]
    edges = [0, *(edge for span in sorted(spans) for edge in span), file.archive, MOST_NUMBERS]
    fits = edges == sorted(edges) and 0 <= file.queue_from <= len(file.recall)
    if [event.number for event in file.recall] != [*range(len(file.recall))] or not fits:
        yield "the numbers of its events or of its archive don't fit"
    for event in file.recall:
        if not _is_plain(event.arguments):
            yield f"the arguments of event {event.number} hold a number that is too large, or are nested too deeply"
    for block in file.working_context:
        if not 0 <= block["limit"] <= LARGEST:
            yield f"the limit of the block '{block['label'][:LONGEST_FAULT]}' can't be used"
    for document in file.documents:
        ends = [0, *(page.end for page in document.pages)]
        places = [0, *(start for start, _ in document.places), len(document.text)]
        rising = all(first < second for first, second in pairwise(ends))
        if not document.text.strip() or not document.pages or ends[-1] > len(document.text) or not rising:
            yield f"the pages of document {document.number} don't fit its text"
        if places != sorted(places) or not _is_plain(document.parameters):
            yield f"the places or the parameters of document {document.number} can't be used"
    dated: list[Any] = [*file.recall, *file.passages, *file.documents]
    for time in [file.created, *(part.at for part in dated)]:
        if time and not is_time(time):
            yield f"'{time[:LONGEST_FAULT]}' is no time"


def _is_plain(value: Any, depth: int = 0) -> bool:
    """Whether a JSON value can be stored: not nested too deeply, without odd numbers."""
    if isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        return depth < MOST_NESTED and all(_is_plain(part, depth + 1) for part in parts)
    if isinstance(value, float):
        return isfinite(value)
    return not isinstance(value, int) or abs(value) < 2**63


async def _export_document(store: AgentStore, entry: ArchiveEntry) -> FiledDocument:
    document = await store.document(entry.document)
    memory = await store.memory(entry.document, entry.memory)
    pages = await store.pages(memory.id, range(memory.pages))
    notes = {note.page: note.text for note in await store.notes(memory.id, range(memory.pages))}
    return FiledDocument(
        number=entry.number,
        at=entry.at,
        title=entry.text,
        source=document.source,
        parameters=memory.recipe.parameters,
        pages=[FiledPage(end=page.end, note=notes.get(page.number, "")) for page in pages],
        places=await store.places(document),
        text=await store.text(document),
        **({"notices": document.notices} if document.notices else {}),
    )


async def _import_document(store: AgentStore, filed: FiledDocument) -> ArchiveEntry:
    """Store a document's text and pages, as far as the store lacks them; gives its entry."""
    document = await store.add_document(filed.text, title=filed.title, source=filed.source, places=filed.places)
    if filed.notices:
        await keep_notices(store, document, filed.source, filed.notices)
    memory = await store.open_memory(document.id, Recipe("mem-gpt", filed.parameters, ""))
    for number, page in enumerate(filed.pages[memory.pages :], memory.pages):
        start, words = memory.read_to, count_words(filed.text[memory.read_to : page.end])
        memory = await store.add_page(memory, Page(number, start, page.end, words, "rule"))
        await store.put_note(memory.id, Note(number, page.note, count_words(page.note)))
    await store.put_memory(replace(memory, paged=True, complete=True))
    return ArchiveEntry(
        filed.number, "document", filed.at or agents.local_now(), filed.title, document.id, memory.id, len(filed.pages)
    )

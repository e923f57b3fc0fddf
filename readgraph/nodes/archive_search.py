"""Search in recall and archival storage."""

import asyncio
from dataclasses import dataclass

from readgraph.nodes.agent_memory import AgentMemory
from readgraph.nodes.extracts import rank
from readgraph.state.agents import ArchiveEntry
from readgraph.state.errors import BadInput


@dataclass(frozen=True, slots=True)
class Found:
    """A page of archival storage: a passage of the agent's own, or a page of a document (of which number, from 1)."""

    number: int
    text: str
    title: str = ""
    document: int = 0
    page: int = 0


async def search_recall(memory: AgentMemory, words: str) -> list[int]:
    """Numbers of the events before this turn in which something near these words was said, the best first."""
    events = await memory.store.events(memory.id, range(memory.began_at))
    ranked = await asyncio.to_thread(rank, words, [event.said for event in events])
    return [events[at].number for at, _ in ranked]


async def search_archive(memory: AgentMemory, query: str) -> list[int]:
    """Numbers in archival storage, the best first."""
    found = await found_in_archive(memory, await archived(memory))
    ranked = await asyncio.to_thread(rank, query, [each.text for each in found])
    return [found[at].number for at, _ in ranked]


async def own_passages(memory: AgentMemory) -> list[int]:
    """The numbers of the agent's passages that were not deleted."""
    return [number for number in await archived(memory) if not _document_of(memory, number)]


async def archived(memory: AgentMemory) -> list[int]:
    """The numbers of all that archival storage holds: passages that were not deleted, pages of documents."""
    entries = await memory.store.entries(memory.id, range(memory.life["archive"]))
    gone = {number for entry in entries for number in entry.removed}
    return [
        number
        for entry in entries
        if entry.kind != "removal"
        for number in range(entry.number, entry.number + entry.pages)
        if number not in gone
    ]


async def found_in_archive(memory: AgentMemory, numbers: list[int]) -> list[Found]:
    """What stands under these numbers, in this order; pages of a document that was forgotten are left out."""
    documents = memory.life["documents"]
    belongs = [_document_of(memory, number) for number in numbers]
    starts = [documents[which - 1][0] if which else number for which, number in zip(belongs, numbers, strict=True)]
    entries = {entry.number: entry for entry in await memory.store.entries(memory.id, {*starts})}
    places = [(entries[start], number) for start, number in zip(starts, numbers, strict=True)]
    texts = await _texts(memory, places)
    return [_found(memory, entry, number, texts[number]) for entry, number in places if number in texts]


def _document_of(memory: AgentMemory, number: int) -> int:
    """The number, from 1, of the document to which an archive's number belongs; 0 for a passage."""
    documents = enumerate(memory.life["documents"], 1)
    return next((which for which, (start, pages) in documents if start <= number < start + pages), 0)


async def _texts(memory: AgentMemory, places: list[tuple[ArchiveEntry, int]]) -> dict[int, str]:
    texts = {number: entry.text for entry, number in places if entry.kind == "passage"}
    for entry in {entry.number: entry for entry, _ in places if entry.kind == "document"}.values():
        numbers = [number for other, number in places if other is entry]
        try:
            document = await memory.store.document(entry.document)
        except BadInput:
            continue
        pages = await memory.store.pages(entry.memory, [number - entry.number for number in numbers])
        spans = await memory.store.spans(document, [(page.start, page.end) for page in pages])
        texts |= dict(zip(numbers, spans, strict=True))
    return texts


def _found(memory: AgentMemory, entry: ArchiveEntry, number: int, text: str) -> Found:
    if entry.kind == "passage":
        return Found(number, text)
    return Found(number, text, entry.text, _document_of(memory, number), number - entry.number)

"""Search in recall and archival storage."""

import asyncio
from dataclasses import dataclass

from readgraph.nodes.agent_memory import AgentMemory
from readgraph.nodes.extracts import rank
from readgraph.state.agents import ArchiveEntry


@dataclass(frozen=True, slots=True)
class Found:
    """A page of archival storage: a passage of the agent's own, or a page of a document."""

    number: int
    text: str
    title: str = ""
    document: int | None = None
    page: int | None = None


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


async def archived(memory: AgentMemory) -> list[int]:
    """The numbers of all that archival storage holds: passages that were not taken out, pages of documents."""
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
    """What stands under these numbers, in this order."""
    starts = [begins_at(memory, number) for number in numbers]
    entries = {entry.number: entry for entry in await memory.store.entries(memory.id, {*starts})}
    texts = await _page_texts(memory, [(entries[start], n) for start, n in zip(starts, numbers, strict=True)])
    return [
        _found(memory, entries[start], number, texts.get(number)) for start, number in zip(starts, numbers, strict=True)
    ]


def begins_at(memory: AgentMemory, number: int) -> int:
    """The number of the entry that holds this number: a document's is that of its first page."""
    within = [start for start, pages in memory.life["documents"] if start <= number < start + pages]
    return within[0] if within else number


async def _page_texts(memory: AgentMemory, places: list[tuple[ArchiveEntry, int]]) -> dict[int, str]:
    texts: dict[int, str] = {}
    for entry in {entry.number: entry for entry, _ in places if entry.kind == "document"}.values():
        numbers = [number for other, number in places if other is entry]
        document = await memory.store.document(entry.document)
        pages = await memory.store.pages(entry.memory, [number - entry.number for number in numbers])
        spans = await memory.store.spans(document, [(page.start, page.end) for page in pages])
        texts |= dict(zip(numbers, spans, strict=True))
    return texts


def _found(memory: AgentMemory, entry: ArchiveEntry, number: int, page: str | None) -> Found:
    if entry.kind != "document":
        return Found(number, entry.text)
    which = [start for start, _ in memory.life["documents"]].index(entry.number) + 1
    return Found(number, page or "", entry.text, which, number - entry.number)

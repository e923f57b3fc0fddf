"""Search in archival storage: the agent's own passages, and the pages of its documents."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from readgraph.nodes.agent.indexes import NEAREST, joined, nearest, ranked, trimmed_archive
from readgraph.nodes.agent.memory import AgentMemory
from readgraph.nodes.search_tools import stand_in
from readgraph.state.agents import ArchiveEntry
from readgraph.state.errors import BadInput
from readgraph.state.search.entries import Entry
from readgraph.state.search.fusing import by_place


@dataclass(frozen=True, slots=True)
class ArchivalResult:
    """An item of archival storage: a passage of the agent's own, or a page of a document (with its number, from 1)."""

    number: int
    text: str
    title: str = ""
    document: int = 0
    page: int = 0


async def search_archive(memory: AgentMemory, query: str, *, by_meaning: bool = True) -> list[int]:
    """The numbers of all items in archival storage that match the query, the best first; see `ranked`.

    Without `by_meaning`, an embedding model changes nothing.
    Where a tool of the caller's stands in for keyword search, it finds the pages, and they come first; what one for
    vector search finds is fused with them.
    """
    archive, index = memory.life["archive"], memory.agent.index
    await trimmed_archive(memory.store, memory.id, index, archive)
    found = await ranked(
        memory.store, index, archive, query, partial(_entries, memory), memory.context if by_meaning else None
    )
    pages = await _pages_by_stand_in("keyword", memory, query)
    if pages is not None:
        found = [*pages, *(number for number in found if not _document_of(memory, number))]
    near = await _pages_by_stand_in("vector", memory, query) if by_meaning else None
    if near is None:
        return found
    return joined(by_place(found), by_place(near))


async def nearest_in_archive(memory: AgentMemory, query: str) -> list[int]:
    """The numbers of the few items that are nearest to the query by their embeddings, or by a stand-in for them."""
    pages = await _pages_by_stand_in("vector", memory, query)
    if pages is not None:
        return pages[:NEAREST]
    archive, index = memory.life["archive"], memory.agent.index
    await trimmed_archive(memory.store, memory.id, index, archive)
    return await nearest(memory.store, index, archive, query, partial(_entries, memory), memory.context)


async def _pages_by_stand_in(name: str, memory: AgentMemory, query: str) -> list[int] | None:
    """The numbers of the pages that the stand-in for this search finds; None if there is none."""
    entries = await memory.store.entries(memory.id, [start for start, _ in memory.life["documents"]])
    numbers = list[int]()
    for entry in entries:
        try:
            document = await memory.store.document(entry.document)
        except BadInput:  # it was forgotten
            continue
        tool = stand_in(name, memory.store, document, await memory.store.memory(document.id, entry.memory))
        if tool is None:
            return None
        numbers += [entry.number + page for page, _ in await tool.find(query, entry.pages)]
    return numbers if entries else None


async def _entries(memory: AgentMemory, numbers: Sequence[int]) -> list[Entry]:
    """The index entries for these numbers. Deleted items are indexed without words, so that no number is missing."""
    logged = await memory.store.entries(memory.id, numbers)
    gone = {number: "" for entry in logged for number in entry.removed}
    found = await found_in_archive(memory, [number for number in numbers if number not in gone])
    texts = dict.fromkeys(numbers, "") | {each.number: each.text for each in found} | gone
    return [Entry(number, text) for number, text in texts.items()]


async def own_passages(memory: AgentMemory) -> list[int]:
    """The numbers of the agent's passages that were not deleted."""
    return [number for number in await archived(memory) if not _document_of(memory, number)]


async def archived(memory: AgentMemory) -> list[int]:
    """The numbers of all items in archival storage: passages that were not deleted, pages of documents."""
    entries = await memory.store.entries(memory.id, range(memory.life["archive"]))
    gone = {number for entry in entries for number in entry.removed}
    return [
        number
        for entry in entries
        if entry.kind != "removal"
        for number in range(entry.number, entry.number + entry.pages)
        if number not in gone
    ]


async def found_in_archive(memory: AgentMemory, numbers: list[int]) -> list[ArchivalResult]:
    """The items with these numbers, in this order; those that no longer exist are left out."""
    documents = memory.life["documents"]
    belongs = [_document_of(memory, number) for number in numbers]
    starts = [documents[which - 1][0] if which else number for which, number in zip(belongs, numbers, strict=True)]
    entries = {entry.number: entry for entry in await memory.store.entries(memory.id, {*starts})}
    places = [(entries[start], number) for start, number in zip(starts, numbers, strict=True) if start in entries]
    shown = await _shown(memory, places)
    return [_found(memory, entry, number, *shown[number]) for entry, number in places if number in shown]


def _document_of(memory: AgentMemory, number: int) -> int:
    """The number, from 1, of the document to which an archive's number belongs; 0 for a passage."""
    documents = enumerate(memory.life["documents"], 1)
    return next((which for which, (start, pages) in documents if start <= number < start + pages), 0)


async def _shown(memory: AgentMemory, places: list[tuple[ArchiveEntry, int]]) -> dict[int, tuple[str, str]]:
    """Text and title of an item; for a page of a collection also its document and its place there."""
    shown = {number: (entry.text, "") for entry, number in places if entry.kind == "passage"}
    for entry in {entry.number: entry for entry, _ in places if entry.kind == "document"}.values():
        numbers = [number for other, number in places if other is entry]
        try:
            document = await memory.store.document(entry.document)
        except BadInput:
            continue
        pages = await memory.store.pages(entry.memory, [number - entry.number for number in numbers])
        texts = await memory.store.spans(document, [(page.start, page.end) for page in pages])
        titles: list[str | None] = [None] * len(pages)
        if document.parts:
            titles = await memory.store.place_names(document, [page.start for page in pages])
        named = [(text, title or entry.text) for text, title in zip(texts, titles, strict=True)]
        shown |= dict(zip(numbers, named, strict=True))
    return shown


def _found(memory: AgentMemory, entry: ArchiveEntry, number: int, text: str, title: str) -> ArchivalResult:
    if entry.kind == "passage":
        return ArchivalResult(number, text)
    return ArchivalResult(number, text, title, _document_of(memory, number), number - entry.number)

"""Search in an agent's recall and archival storage, and what it is shown of them (MemGPT, 2.2 and 2.3)."""

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from readgraph.features.agents.memory import PER_PAGE, MemGptMemory, cut_to
from readgraph.features.agents.state import AgentState
from readgraph.features.agents.store import Agent, AgentStore, ArchiveEntry, recall_index
from readgraph.language.passages import label_of
from readgraph.library.search.hits import IndexEntry, Ranking, fuse, pages_of, score_by_place
from readgraph.library.search.indexes import indexes_of
from readgraph.library.search.postings import SHORT
from readgraph.library.store import hold_build_lock
from readgraph.models.embeddings.vector_replies import NotEmbedded
from readgraph.models.metering import count_fallback
from readgraph.nodes.search import KeywordTool, VectorTool, count_search_by_words, get_shared_embedder, make_stand_in
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.words import count_words, end_after_words

NEAREST = 10  # so many that are nearest to a query by meaning are found although they share no word with it


@dataclass(frozen=True, slots=True)
class SearchedStorage:
    """The first `count` numbers of a storage; `name` is that of its indexes, filled by `make_entries` at a search."""

    store: AgentStore
    name: str
    count: int
    make_entries: Callable[[Sequence[int]], Awaitable[list[IndexEntry]]]

    async def rank(self, query: str, context: ReaderContext | None) -> list[int]:
        """The numbers that share words with the query, or are nearest to it by their embeddings; the best first."""
        keyword = KeywordTool((await indexes_of(self.store.store)).keyword, self.name)
        extent = await keyword.extent()
        indexed = extent.count if extent.count == extent.last + 1 else 0  # all are indexed again, if any is missing
        if indexed < self.count:
            await keyword.add(await self.make_entries(range(indexed, self.count)))
        if not (context and context.embeddings):
            return pages_of(await keyword.find(query, self.count))
        words = await keyword.find(query, self.count)
        try:
            near = await (await self.fill_vectors(context)).find(query, self.count)
        except NotEmbedded as problem:
            count_search_by_words(problem)
            return pages_of(words)
        return fuse_by_words_and_meaning(words, near)

    async def fill_vectors(self, context: ReaderContext) -> VectorTool:
        """The vectors. They are added in order, so only numbers after the last one can be missing."""
        embedder = await get_shared_embedder(self.store, context)
        index = await (await indexes_of(self.store.store)).vectors(embedder.identity)
        vector = VectorTool(index, self.name, embedder=embedder)
        async with hold_build_lock(self.store.store, f"{self.name}-search"):
            if (await vector.extent()).last >= self.count:
                await vector.clear()
            missing = await self.make_entries(range((await vector.extent()).last + 1, self.count))
            await vector.index.remove(self.name, [entry.page for entry in missing if not entry.text])
            await vector.add([entry for entry in missing if entry.text])
        return vector


def fuse_by_words_and_meaning(words: Ranking, near: Ranking) -> list[int]:
    """What shares words with a query and the few that are nearest by meaning, the best first by both rankings."""
    wanted = {*pages_of(words), *pages_of(near[:NEAREST])}
    return [page for page, _ in fuse([words, near]) if page in wanted]


async def trim_index(store: AgentStore, name: str, count: int, archive_of: str = "") -> None:
    """Cut an index to the first numbers of its storage; empty an archive's where a deletion was undone."""
    indexes = await indexes_of(store.store)
    if (last := (await indexes.keyword.extent(name)).last) < count:
        return
    await (await indexes.vectors("")).forget(name)
    behind = await store.entries(archive_of, range(count, last + 1)) if archive_of else []
    if any(entry.removed for entry in behind):
        await indexes.keyword.forget(name)
    else:
        await indexes.keyword.remove(name, range(count, last + 1))


async def take_back_indexes(store: AgentStore, agent: Agent, life: AgentState) -> None:
    """Cut the indexes to what the agent's state counts; other machines make theirs anew."""
    recall, indexes = recall_index(agent.id), await indexes_of(store.store)
    await trim_index(store, recall, life["events"])
    await trim_index(store, agent.index, life["archive"], agent.id)
    await indexes.tell_others(recall)
    await indexes.tell_others(agent.index)


async def search_recall(
    store: AgentStore, agent: str, events: int, query: str, context: ReaderContext | None = None
) -> list[int]:
    """The numbers of the first `events` events whose messages match the query, the best first."""

    async def entries(numbers: Sequence[int]) -> list[IndexEntry]:
        spoken = [(event.number, event.spoken_text) for event in await store.events(agent, numbers)]
        return [
            IndexEntry(number, text, follows=count_words(text) <= SHORT, speaker=label_of(text))
            for number, text in spoken
        ]

    name = recall_index(agent)
    await trim_index(store, name, events)
    return await SearchedStorage(store, name, events, entries).rank(query, context)


async def events_between(memory: MemGptMemory, first: str, last: str) -> list[int]:
    """Numbers of the events before this turn with a message from one time to another, found by bisection.

    The times are written as those of events, or their beginnings; "2026-05-07~" stands behind every time of that day.
    """
    begin, end = [await _first_not_before(memory, time) for time in (first, last)]
    events = await memory.store.events(memory.id, range(begin, end))
    return [event.number for event in events if event.spoken_text]


async def _first_not_before(memory: MemGptMemory, time: str) -> int:
    low, high = 0, memory.recallable
    while low < high:
        middle = (low + high) // 2
        if (await memory.store.event(memory.id, middle)).at < time:
            low = middle + 1
        else:
            high = middle
    return low


@dataclass(frozen=True, slots=True)
class ArchivalResult:
    """An item of archival storage: a passage of the agent's own, or a page of a document (with its number, from 1)."""

    number: int
    text: str
    title: str = ""
    document: int = 0
    page: int = 0


async def search_archive(memory: MemGptMemory, query: str, *, by_meaning: bool = True) -> list[int]:
    """The numbers of all items in the archive that match the query, the best first; what stand-ins find comes first."""
    pages, numbers = await _pages_by_stand_in("keyword", memory, query), list[int]()
    if pages is None or await own_passages(memory):
        numbers = await (await _open_archive(memory)).rank(query, memory.context if by_meaning else None)
    if pages is not None:
        numbers = [*pages, *(number for number in numbers if not _document_of(memory, number))]
    near = await _pages_by_stand_in("vector", memory, query) if by_meaning else None
    if near is None:
        return numbers
    return fuse_by_words_and_meaning(score_by_place(numbers), score_by_place(near))


async def nearest_in_archive(memory: MemGptMemory, query: str) -> list[int]:
    """The numbers of the few items that are nearest to the query by their embeddings, or by a stand-in for them."""
    pages = await _pages_by_stand_in("vector", memory, query)
    if pages is None:
        vector = await (await _open_archive(memory)).fill_vectors(memory.context)
        pages = pages_of(await vector.find(query, NEAREST))
    return pages[:NEAREST]


async def _open_archive(memory: MemGptMemory) -> SearchedStorage:
    """Archival storage, to be searched. Deleted items are indexed without words, so that no number is missing."""
    store, name, count = memory.store, memory.agent.index, memory.life["archive"]

    async def entries(numbers: Sequence[int]) -> list[IndexEntry]:
        gone = {number: "" for entry in await store.entries(memory.id, numbers) for number in entry.removed}
        items = await load_archive_items(memory, [number for number in numbers if number not in gone])
        texts = dict.fromkeys(numbers, "") | {item.number: item.text for item in items} | gone
        return [IndexEntry(number, text) for number, text in texts.items()]

    await trim_index(store, name, count, memory.id)
    return SearchedStorage(store, name, count, entries)


async def _pages_by_stand_in(name: str, memory: MemGptMemory, query: str) -> list[int] | None:
    """The numbers of the pages that the stand-in for this search finds; None if there is none."""
    entries = await memory.store.entries(memory.id, [start for start, _ in memory.life["documents"]])
    numbers = list[int]()
    for entry in entries:
        try:
            document = await memory.store.document(entry.document)
        except BadInput:  # it was forgotten
            continue
        tool = make_stand_in(name, memory.store, document, await memory.store.memory(document.id, entry.memory))
        if tool is None:
            return None
        numbers += [entry.number + page for page, _ in await tool.find(query, entry.pages)]
    return numbers if entries else None


async def own_passages(memory: MemGptMemory) -> list[int]:
    """The numbers of the agent's passages that were not deleted."""
    entries = await memory.store.entries(memory.id, range(memory.life["archive"]))
    gone = {number for entry in entries for number in entry.removed}
    return [entry.number for entry in entries if entry.kind == "passage" and entry.number not in gone]


async def load_archive_items(memory: MemGptMemory, numbers: list[int]) -> list[ArchivalResult]:
    """The items with these numbers, in this order; those that no longer exist are left out."""
    belongs = {number: _document_of(memory, number) for number in numbers}
    starts = {memory.life["documents"][of - 1][0] if of else number for number, of in belongs.items()}
    items = dict[int, ArchivalResult]()
    for entry in await memory.store.entries(memory.id, starts):
        if entry.kind == "passage":
            items[entry.number] = ArchivalResult(entry.number, entry.text)
        elif entry.kind == "document":
            of = _document_of(memory, entry.number)
            pages = [number - entry.number for number in belongs if belongs[number] == of]
            items |= {page.number: page for page in await _load_document_pages(memory, entry, of, pages)}
    return [items[number] for number in numbers if number in items]


def _document_of(memory: MemGptMemory, number: int) -> int:
    """The number, from 1, of the document to which an archive's number belongs; 0 for a passage."""
    documents = enumerate(memory.life["documents"], 1)
    return next((which for which, (start, pages) in documents if start <= number < start + pages), 0)


async def _load_document_pages(
    memory: MemGptMemory, entry: ArchiveEntry, of: int, numbers: list[int]
) -> list[ArchivalResult]:
    try:
        document = await memory.store.document(entry.document)
    except BadInput:  # it was forgotten
        return []
    pages = await memory.store.pages(entry.memory, numbers)
    texts = await memory.store.spans(document, [(page.start, page.end) for page in pages])
    titles: list[str | None] = [None] * len(pages)
    if document.parts:
        titles = await memory.store.place_names(document, [page.start for page in pages])
    return [
        ArchivalResult(entry.number + number, text, title or entry.text, of, number)
        for number, text, title in zip(numbers, texts, titles, strict=True)
    ]


def results_page(numbers: Sequence[int], page: int) -> tuple[list[int], str]:
    """One page of results, and the line that counts them, with the exact total."""
    pages = max(1, math.ceil(len(numbers) / PER_PAGE))
    if not 1 <= page <= pages:
        raise BadInput(f"There is no page {page} of these results: their pages are 1 to {pages}.")
    shown = list(numbers[(page - 1) * PER_PAGE : page * PER_PAGE])
    return shown, f"showing {len(shown)} of {len(numbers)} (page {page} of {pages})"


def format_results(line: str, results: Sequence[tuple[str, str]], memory: MemGptMemory) -> str:
    """A line, and below it the results with their names, each cut to its share of the room."""
    share = (memory.room - 8 * len(results)) // max(1, len(results))
    return "\n".join([line, *(f"- {name}: {cut_to(text.strip(), share)}" for name, text in results)])


async def format_items(
    ranked: Sequence[int],
    page: int,
    memory: MemGptMemory,
    excerpt: Callable[[ArchivalResult], str] | None = None,
    counted: str = "",
) -> str:
    """One page of these items of the archive, or an `excerpt` of each; `counted` ends the line that counts them."""
    numbers, line = results_page(ranked, page)
    items = await load_archive_items(memory, numbers)
    if excerpt is None:
        memory.pages_read += [item.page for item in items if item.document == 1]
    rows = [(name_of(item), excerpt(item) if excerpt else item.text) for item in items]
    results = format_results(line + counted, rows, memory)
    _count_cut(memory, is_cut=excerpt is None and not all(item.text.strip() in results for item in items))
    return results


def _count_cut(memory: MemGptMemory, *, is_cut: bool) -> None:
    """Count, for a proof that nothing holds an answer, that pages which count as read were not seen whole."""
    if is_cut and memory.context.prove_absence:
        count_fallback("prompt_cut")


async def open_archive_page(memory: MemGptMemory, document: int, page: int, part: int, hint: str) -> str:
    """A page of a document, or a part of it, which then counts as read; `hint`: where documents' names are."""
    documents = memory.life["documents"]
    if not 1 <= document <= len(documents):
        raise BadInput(f"There is no document {document}: there are {len(documents)}; {hint}.")
    start, pages = documents[document - 1]
    if not 0 <= page < pages:
        raise BadInput(f"Document {document} has no page {page}: its pages are 0 to {pages - 1}.")
    opened = await load_archive_items(memory, [start + page])
    if not opened:
        raise BadInput(f"Document {document} was forgotten: its pages can't be read any more.")
    text = opened[0].text
    parts = max(1, math.ceil(count_words(text) / memory.room))
    if not 1 <= part <= parts:
        raise BadInput(f"This page has {parts} parts: give one of 1 to {parts}.")
    if document == 1:
        memory.pages_read.append(page)
    _count_cut(memory, is_cut=parts > 1)
    begin = end_after_words(text, 0, (part - 1) * memory.room)
    shown = text[begin : end_after_words(text, begin, memory.room)]
    return f"{name_of(opened[0])}{f' (part {part} of {parts})' if parts > 1 else ''}\n{shown.strip()}"


def name_of(item: ArchivalResult) -> str:
    """How an item of archival storage is named to the agent."""
    if not item.document:
        return f"passage {item.number}"
    return f"document {item.document}, page {item.page} ({item.title})"

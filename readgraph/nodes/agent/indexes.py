"""The search indexes over an agent's storages: filled at a search, trimmed after an undone turn."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import date

from readgraph.nodes.agent.memory import AgentMemory
from readgraph.nodes.search_tools import KeywordTool, VectorTool, shared_embedder
from readgraph.state.agents import AgentStore, recall_index
from readgraph.state.context import ReaderContext
from readgraph.state.search.entries import Entry
from readgraph.state.search.fusing import Ranking, fuse, pages_of
from readgraph.state.search.in_context import SHORT
from readgraph.state.search.index_registry import indexes_of
from readgraph.state.search.keyword_index import KeywordIndex
from readgraph.state.store.build_lock import building
from readgraph.state.words import count_words

NEAREST = 10
"""So many that are nearest to a query by meaning are found although they share no word with it."""

MakeEntries = Callable[[Sequence[int]], Awaitable[list[Entry]]]
"""The index entries for some numbers of a storage; what has nothing to be found by has an empty text."""


async def search_recall(
    store: AgentStore, agent: str, events: int, query: str, context: ReaderContext | None = None
) -> list[int]:
    """The numbers of the first `events` events whose messages match the query, the best first; see `ranked`."""
    await trimmed_recall(store, agent, events)

    async def entries(numbers: Sequence[int]) -> list[Entry]:
        said = [(event.number, event.said) for event in await store.events(agent, numbers)]
        return [Entry(number, text, follows=count_words(text) <= SHORT) for number, text in said]

    return await ranked(store, recall_index(agent), events, query, entries, context)


async def ranked(
    store: AgentStore, name: str, count: int, query: str, entries: MakeEntries, context: ReaderContext | None
) -> list[int]:
    """Those of the first `count` numbers of a storage that share words with the query, the best first.

    If the context names an embedding model, the nearest by their embeddings are among them, in the order of both
    rankings. `name` is that of the storage's indexes, which are filled first.
    """
    keyword = KeywordTool((await indexes_of(store.store)).keyword, name)
    if numbers := await lacking(keyword.index, name, count):
        await keyword.add(await entries(numbers))
    if not (context and context.embeddings):
        return pages_of(await keyword.find(query, count))
    vector = await _filled_vectors(store, name, count, entries, context)
    words, near = await asyncio.gather(keyword.find(query, count), vector.find(query, count))
    return joined(words, near)


def joined(words: Ranking, near: Ranking) -> list[int]:
    """What shares words with a query and the few that are nearest by meaning, the best first by both rankings."""
    wanted = {*pages_of(words), *pages_of(near[:NEAREST])}
    return [page for page, _ in fuse([words, near]) if page in wanted]


async def nearest(
    store: AgentStore, name: str, count: int, query: str, entries: MakeEntries, context: ReaderContext
) -> list[int]:
    """Those of the first `count` numbers of a storage that are nearest to the query by their embeddings.

    They are at most `NEAREST`; the context must name an embedding model.
    """
    vector = await _filled_vectors(store, name, count, entries, context)
    return pages_of(await vector.find(query, NEAREST))


async def _filled_vectors(
    store: AgentStore, name: str, count: int, entries: MakeEntries, context: ReaderContext
) -> VectorTool:
    """The vectors of a storage. They are added in order, so only numbers after the last one can be missing."""
    embedder = await shared_embedder(store, context)
    vector = VectorTool(await (await indexes_of(store.store)).vectors(embedder.identity), embedder, name)
    async with building(store.store, f"{name}-search"):
        if (await vector.extent()).last >= count:
            await vector.clear()
        missing = await entries(range((await vector.extent()).last + 1, count))
        await vector.index.remove(name, [entry.page for entry in missing if not entry.text])
        await vector.add([entry for entry in missing if entry.text])
    return vector


async def trimmed_recall(store: AgentStore, agent: str, events: int) -> KeywordIndex:
    """The index over recall storage, cut to its first `events` events; its vectors are made again."""
    indexes, name = await indexes_of(store.store), recall_index(agent)
    if (last := (await indexes.keyword.extent(name)).last) >= events:
        await (await indexes.vectors("")).forget(name)
        await indexes.keyword.remove(name, range(events, last + 1))
    return indexes.keyword


async def trimmed_archive(store: AgentStore, agent: str, name: str, archive: int) -> KeywordIndex:
    """The index over archival storage, cut to its first `archive` numbers; its vectors are made again.

    If a deletion was undone, the index is emptied, because the deleted passages exist again.
    """
    indexes = await indexes_of(store.store)
    if (last := (await indexes.keyword.extent(name)).last) >= archive:
        await (await indexes.vectors("")).forget(name)
        behind = await store.entries(agent, range(archive, last + 1))
        if any(entry.removed for entry in behind):
            await indexes.keyword.forget(name)
        else:
            await indexes.keyword.remove(name, range(archive, last + 1))
    return indexes.keyword


async def tell_other_machines(store: AgentStore, agent: str, name: str) -> None:
    """Let them make their indexes over recall storage and archival storage anew: their ends were taken back."""
    indexes = await indexes_of(store.store)
    await indexes.tell_others(recall_index(agent))
    await indexes.tell_others(name)


async def lacking(index: KeywordIndex, name: str, count: int) -> range:
    """Which of the first `count` numbers must be indexed: those after the last indexed one; all, if any is missing."""
    extent = await index.extent(name)
    return range(extent.count if extent.count == extent.last + 1 else 0, count)


async def events_between(memory: AgentMemory, first: date, last: date) -> list[int]:
    """Numbers of the events before this turn with a message on these days, the oldest first.

    Events are in order of time, so the bounds are found by bisection.
    """
    begin = await _first_not_before(memory, first.isoformat())
    end = await _first_not_before(memory, f"{last.isoformat()}~")  # after every time of that day
    events = await memory.store.events(memory.id, range(begin, end))
    return [event.number for event in events if event.said]


async def _first_not_before(memory: AgentMemory, time: str) -> int:
    low, high = 0, memory.recallable
    while low < high:
        middle = (low + high) // 2
        if (await memory.store.event(memory.id, middle)).at < time:
            low = middle + 1
        else:
            high = middle
    return low

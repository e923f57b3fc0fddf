"""The search indexes over an agent's storages: filled at a search, trimmed after an undone turn."""

from datetime import date

from readgraph.nodes.agent.memory import AgentMemory
from readgraph.state.agents import AgentStore, recall_index
from readgraph.state.search.entries import Entry
from readgraph.state.search.index_registry import indexes_of
from readgraph.state.search.keyword_index import KeywordIndex


async def search_recall(store: AgentStore, agent: str, events: int, words: str) -> list[int]:
    """The numbers of the first `events` events whose messages match these words, the best first."""
    name = recall_index(agent)
    index = await trimmed_recall(store, agent, events)
    if numbers := await lacking(index, name, events):
        # Events without a message are indexed without words, so that no number is missing.
        await index.add(name, [Entry(event.number, event.said) for event in await store.events(agent, numbers)])
    return await index.pages(name, words)


async def trimmed_recall(store: AgentStore, agent: str, events: int) -> KeywordIndex:
    """The index over recall storage, cut to its first `events` events."""
    index, name = (await indexes_of(store.store)).keyword, recall_index(agent)
    if (last := (await index.extent(name)).last) >= events:
        await index.remove(name, range(events, last + 1))
    return index


async def trimmed_archive(store: AgentStore, agent: str, name: str, archive: int) -> KeywordIndex:
    """The index over archival storage, cut to its first `archive` numbers.

    If a deletion was undone, the index is emptied, because the deleted passages exist again.
    """
    index = (await indexes_of(store.store)).keyword
    if (last := (await index.extent(name)).last) >= archive:
        behind = await store.entries(agent, range(archive, last + 1))
        if any(entry.removed for entry in behind):
            await index.forget(name)
        else:
            await index.remove(name, range(archive, last + 1))
    return index


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

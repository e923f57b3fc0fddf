"""Events by their day."""

from datetime import date

from readgraph.nodes.agent_memory import AgentMemory


async def events_between(memory: AgentMemory, first: date, last: date) -> list[int]:
    """Numbers of the events before this turn in which something was said on these days, the oldest first.

    Events stand in the order of time, so that the bounds are found by halving.
    """
    begin = await _first_not_before(memory, first.isoformat())
    end = await _first_not_before(memory, f"{last.isoformat()}~")  # behind every time of that day
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

"""The day on which each part of a history was said, as the names of its places give it."""

from bisect import bisect_right
from collections.abc import Iterable
from datetime import date
from operator import itemgetter

from langgraph.runtime import Runtime

from readgraph.nodes.extractive.dates import date_in
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import page_store
from readgraph.state.records import Document

DaysSaid = dict[int, list[tuple[int, date | None]]]
"""For each page the offsets in it from which on something was said on another day, ascending."""


async def days_said(pages: Iterable[int], document: Document, memory: str, runtime: Runtime[ReaderContext]) -> DaysSaid:
    """The days on which these pages' texts were said; empty where the document's places have no dates."""
    store = page_store(runtime)
    places = [(start, date_in(name)) for start, name in await store.places(document)]
    starts = [start for start, _ in places]
    if not any(day for _, day in places):
        return {}
    found = DaysSaid()
    for page in await store.pages(memory, pages):
        first, end = max(bisect_right(starts, page.start) - 1, 0), bisect_right(starts, page.end)
        found[page.number] = [(start - page.start, day) for start, day in places[first:end]]
    return found


def day_at(days: DaysSaid, page: int, offset: int) -> date | None:
    """The day on which the text at this offset of a page was said; None where it is not known."""
    begun = days.get(page, [])
    number = bisect_right(begun, offset, key=itemgetter(0)) - 1
    return begun[number][1] if number >= 0 else None

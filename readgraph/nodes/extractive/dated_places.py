"""The dated places of pages, such as the sessions of a history: what was said there was said then."""

from bisect import bisect_right
from collections.abc import Iterable
from operator import itemgetter

from readgraph.library.page_store import page_store
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.nodes.rules.dates import date_in
from readgraph.state.records import Document

DatedPlaces = dict[int, list[tuple[int, str]]]
"""For each page the offsets in it at which a dated place begins, such as a session, and its name; ascending."""


async def dated_places(pages: Iterable[int], document: Document, memory: str, runtime: ReaderRuntime) -> DatedPlaces:
    """The places on these pages; empty where they have no dates."""
    if not document.places and not document.parts:
        return {}
    store = page_store(runtime)
    cut = await store.pages(memory, pages)
    places = await store.places_in(document, [(page.start, page.end) for page in cut])
    starts, dated = [start for start, _ in places], DatedPlaces()
    for page in cut:
        first, end = max(bisect_right(starts, page.start) - 1, 0), bisect_right(starts, page.end)
        dated[page.number] = [(start - page.start, name) for start, name in places[first:end]]
    return dated if any(date_in(name) for begun in dated.values() for _, name in begun) else {}


def place_at(places: DatedPlaces, page: int, offset: int) -> str:
    """The name of the dated place that holds at this offset of a page; "" where there is none."""
    begun = places.get(page, [])
    number = bisect_right(begun, offset, key=itemgetter(0)) - 1
    return begun[number][1] if number >= 0 else ""

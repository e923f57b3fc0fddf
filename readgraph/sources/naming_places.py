"""The places of a document by their names, and its source's pages by their numbers."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from readgraph.library.page_store import PageStore
from readgraph.sources.places import label_of_words, page_of, pages_among
from readgraph.state.errors import BadInput
from readgraph.state.records import Document

MOST_SUGGESTED = 3
NEAR = 0.5  # how alike the name of a place must be to be suggested, as `difflib` counts it: 1 is the same
NamedSpan = tuple[str, int, int]  # the name of a place, and its span `[start, end)` in the document


async def places_named(store: PageStore, document: Document, wanted: str) -> list[NamedSpan]:
    """The places whose names are this, else those with these words in their names; neighbours are one span."""
    places = await all_places(store, document)
    folded = [" ".join(place.split()).casefold() for _, place in places]
    sought = label_of_words(" ".join(wanted.split())).casefold()
    within = re.compile(rf"(?<!\w){re.escape(sought)}(?!\w)")
    hits = [number for number, name in enumerate(folded) if name == sought]
    hits = hits or [number for number, name in enumerate(folded) if sought and within.search(name)]
    if not hits:
        instead = ": its source names none. Give the number of a part with --part."
        if places:
            near = [folded.index(name) for name in get_close_matches(sought, folded, MOST_SUGGESTED, NEAR)]
            listed = ", ".join(f"'{places[number][1]}'" for number in near or range(min(MOST_SUGGESTED, len(places))))
            instead = f": its places have names such as {listed}."
        raise BadInput(f"'{document.title or document.id}' has no place '{wanted}'{instead}")
    return _join_neighbours(document, places, hits)


async def source_page(store: PageStore, document: Document, wanted: str) -> list[NamedSpan] | None:
    """The source's page with this number, else with this label printed on it; None where the source has no pages."""
    places = await all_places(store, document)
    at = [page_of(name) for _, name in places]
    if not any(at):
        return None
    sought = wanted.strip().casefold()
    hits = [number for number, page in enumerate(at) if page and str(page.number) == sought]
    hits = hits or [number for number, page in enumerate(at) if page and sought and page.printed.casefold() == sought]
    if not hits:
        pages = pages_among(name for _, name in places)
        printed = [page.printed for page in pages if page.printed]
        also = f", printed {printed[0]} to {printed[-1]}" if printed else ""
        last = max(page.number for page in pages)
        raise BadInput(
            f"'{document.title or document.id}' has no text on a page '{wanted}': its pages are 1 to {last}{also}."
        )
    return _join_neighbours(document, places, hits)


async def all_places(store: PageStore, document: Document) -> list[tuple[int, str]]:
    """(offset, name) of a document's places; in a collection, after the title of the document that has them."""
    if not document.parts:
        return await store.places(document)
    places = list[tuple[int, str]]()
    for part in document.parts:
        of = await store.document(part.document)
        named = [(part.start + start, f"{of.title}, {name}") for start, name in await store.places(of)]
        places += named or [(part.start, of.title)]
    return places


def _join_neighbours(document: Document, places: Sequence[tuple[int, str]], hits: Iterable[int]) -> list[NamedSpan]:
    ends = [*(start for start, _ in places[1:]), document.characters]
    found = list[NamedSpan]()
    for number in hits:
        start, name = places[number]
        if found and found[-1][2] == start:
            found[-1] = (*found[-1][:2], ends[number])
        else:
            found.append((name, start, ends[number]))
    return found

"""Where something is, and how much of a text was read: in the source's own terms where it has them."""

from collections.abc import Iterable, Sequence
from typing import Any

from readgraph.sources.places import page_of, pages_among
from readgraph.state.records import Document
from readgraph.state.words import counted, with_numbers

LONGEST_PLACES = 100
"""Characters of the places that were read again, which are listed in one line; where they take more, as parts."""


def place_or_part(place: str | None, page: int) -> str:
    """The source's own place; where it names none, the number of our page, which people see as a part."""
    return place or f"part {page}"


def read_again(found: dict[str, Any]) -> str:
    """Where the pages that were read again begin: on pages of the source, else at its places if they fit, or parts."""
    places, share = found["places_read"], found["percent_read"]
    if not places or share == 100:
        return ": all of the text" if places else ": nothing"
    return f"{_where(found, places)} ({percent(share)} of the text)" if share else _where(found, places)


def _where(found: dict[str, Any], places: Sequence[str | None]) -> str:
    pages = pages_among(filter(None, places))
    if pages and all(place and page_of(place) for place in places) and not found["documents"]:
        listed = ", ".join(page.label.removeprefix("PDF page ") for page in pages)
        return f" from PDF page{'s' if len(pages) > 1 else ''} {listed}"
    listed = "; ".join(dict.fromkeys(filter(None, places)))
    if None not in places and len(listed) <= LONGEST_PLACES:
        return f": {listed}"
    return f": {with_numbers('part', found['pages_read'])}"


def size_of(document: Document, labels: Iterable[str]) -> str:
    """How long a document is: "40 pages, 28,653 words"; `labels` are its places, which may name its source's pages."""
    last = max((page.number for page in pages_among(labels)), default=0)
    return ", ".join(filter(None, [counted(last, "page") if last else "", counted(document.words, "word")]))


def percent(share: float) -> str:
    """A percentage without decimals; of what is neither nothing nor all, it says neither."""
    if 0 < share < 1:
        return "less than 1 %"
    return f"{min(round(share), 99) if share < 100 else 100} %"

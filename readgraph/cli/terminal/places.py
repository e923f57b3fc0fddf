"""Where something is, and how much of a text was read: in the source's own terms where it has them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from readgraph.sources.places import BELOW, page_of, pages_among
from readgraph.state.records import Document
from readgraph.state.words import counted, with_numbers

MOST_UNREAD = 20
"""Parts that could not be read, which are listed."""

LONGEST_PLACES = 100
"""Characters of the places that were read again, which are listed in one line; where they take more, as parts."""


def place_or_part(place: str | None, page: int) -> str:
    """The source's own place; where it names none, the number of our page, which people see as a part."""
    return place or f"part {page}"


def read_again(found: dict[str, Any]) -> str:
    """Where the pages that were read again are: on pages of the source, else at its places if they fit, or parts.

    A page is named by the place where it begins, and by those that its citations name.
    """
    places, share = found["places_read"], found["percent_read"]
    if not places or share == 100:
        return ": all of the text" if places else ": nothing"
    named = list[str | None]()
    for page, begins in zip(found["pages_read"], places, strict=True):
        cited = [each["place"] for each in found["citations"] if each["page"] == page and "document" not in each]
        above = begins is None or any(place.startswith(f"{begins}{BELOW}") for place in filter(None, cited))
        named += [*([] if cited and above else [begins]), *cited]
    where = _where(named, found["pages_read"], in_one=not found["documents"])
    return f"{where} ({percent(share)} of the text)" if share else where


def not_read(found: Mapping[str, Any]) -> str:
    """Where a survey's records are missing, and what to do; "" where all parts could be read."""
    if not (unread := found.get("unread")):
        return ""
    where = _where(found["places_unread"][:MOST_UNREAD], unread[:MOST_UNREAD], in_one=not found["documents"])
    more = f" … and {len(unread) - MOST_UNREAD:,} more" if len(unread) > MOST_UNREAD else ""
    missing = f"Records are missing{where}{more}" if found["pages_read"] else "All records are missing"
    return f"{missing}. Run the same command again with --again to ask for what is missing."


def _where(places: Sequence[str | None], numbers: Sequence[int], *, in_one: bool) -> str:
    """Where the pages with these places and numbers are; `in_one`: in one document."""
    pages = pages_among(filter(None, places))
    if pages and in_one and all(place and page_of(place) for place in places):
        listed = ", ".join(page.label.removeprefix("PDF page ") for page in pages)
        return f" from PDF page{'s' if len(pages) > 1 else ''} {listed}"
    listed = "; ".join(dict.fromkeys(filter(None, places)))
    if None not in places and len(listed) <= LONGEST_PLACES:
        return f": {listed}"
    return f": {with_numbers('part', numbers)}"


def size_of(document: Document, labels: Iterable[str]) -> str:
    """How long a document is: "40 pages, 28,653 words"; `labels` are its places, which may name its source's pages."""
    last = max((page.number for page in pages_among(labels)), default=0)
    return ", ".join(filter(None, [counted(last, "page") if last else "", counted(document.words, "word")]))


def percent(share: float) -> str:
    """A percentage without decimals; of what is neither nothing nor all, it says neither."""
    if 0 < share < 1:
        return "less than 1 %"
    return f"{min(round(share), 99) if share < 100 else 100} %"

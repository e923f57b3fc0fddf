"""Where the parts of a text are in its source: page, chapter, heading, time or line; and places by their names."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from readgraph.state.errors import BadInput

if TYPE_CHECKING:
    from readgraph.library.page_store import PageStore
    from readgraph.state.records import Document

MOST_PLACES = 20_000  # the most places of a text; of more, an even selection is kept
LONGEST_TITLE = 80  # the most characters of a heading in a label
BELOW = " > "  # what stands in a label between a heading and one below it
_NOTE_MARK = re.compile(r" \[\^[^\]\s]{1,6}\]")
_PAGE = re.compile(r"(?:^|, )PDF page (\d{1,9})(?: \((.*)\))?$")
_UNPRINTED = re.compile(r"(^|, | or )PDF page (\d{1,9})(?= or |$)")
_SAID_PAGE = re.compile(r"page (\S+) \((\d{1,9})(?:st|nd|rd|th) in the file\)$", re.IGNORECASE)
Element = TypeVar("Element")


class SourcePage(NamedTuple):
    """A page of a source that has pages of its own: its number (from 1), and what is printed on it if that differs."""

    number: int
    printed: str

    @property
    def label(self) -> str:
        """The page as a place: "PDF page 5 (v)"."""
        return f"PDF page {self.number}" + (f" ({self.printed})" if self.printed else "")

    @property
    def in_words(self) -> str:
        """The page as people say it: "page v (5th in the file)"."""
        if not self.printed:
            return f"page {self.number}"
        tens = self.number % 100
        ending = "th" if 10 < tens < 20 else {1: "st", 2: "nd", 3: "rd"}.get(tens % 10, "th")
        return f"page {self.printed} ({self.number}{ending} in the file)"


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the source's own terms ("PDF page 12"), and the character offset where it begins in the text."""

    start: int
    label: str


def place_at(places: Sequence[Place], offset: int) -> str | None:
    """The label of the place that holds a character offset; None before the first place."""
    number = bisect_right(places, offset, key=lambda place: place.start)
    return places[number - 1].label if number else None


def line_places(text: str, starts: Sequence[int]) -> list[Place]:
    """The lines of a text that begin at these offsets, by their numbers from 1."""
    places, line, counted_to = [], 1, 0
    for start in starts:
        line += text.count("\n", counted_to, start)
        counted_to = start
        places.append(Place(start, f"line {line}"))
    return places


def page_of(label: str) -> SourcePage | None:
    """The source's page in the label of a place ("§ 2.1 Discharge, PDF page 5 (v)"); None where it names none."""
    match = _PAGE.search(label)
    return SourcePage(int(match[1]), match[2] or "") if match else None


def place_in_words(label: str) -> str:
    """The label of a place as people say it: "§ 2.1 Discharge, page v (5th in the file)"."""
    page = page_of(label)
    if page and page.printed:
        return f"{label[: label.rindex('PDF page ')]}{page.in_words}"
    return _UNPRINTED.sub(r"\1page \2", label)


def label_of_words(words: str) -> str:
    """The label of a place from how people say it, as `place_in_words` does; other words stay as they are."""
    return _SAID_PAGE.sub(lambda said: SourcePage(int(said[2]), said[1]).label, words)


def pages_among(labels: Iterable[str]) -> list[SourcePage]:
    """The source's pages in the labels of its places, each once."""
    return list(dict.fromkeys(filter(None, map(page_of, labels))))


def page_starts(places: Iterable[tuple[int, str]]) -> list[tuple[int, int]]:
    """Where the text of each of the source's pages begins, and the page's number."""
    return [(start, page.number) for start, name in places if (page := page_of(name))]


def last_page_before(begins: Sequence[tuple[int, int]], end: int) -> int:
    """The source's last page that has nothing behind an offset; `begins`: where the text of each begins, its number."""
    last = max((number for start, number in begins if start < end), default=0)
    return last if any(start == end and number > last for start, number in begins) else last - 1


def thin_out(elements: Sequence[Element], most: int = MOST_PLACES) -> Sequence[Element]:
    """At most `most` of the elements, evenly spaced, beginning with the first."""
    if len(elements) <= most:
        return elements
    return [elements[number * len(elements) // most] for number in range(most)]


def order_places(places: Iterable[Place]) -> tuple[Place, ...]:
    """The places in ascending order and thinned; of several with the same start, the last (narrowest) is kept."""
    return tuple(thin_out(sorted({place.start: place for place in places}.values(), key=lambda place: place.start)))


def shorten_label(title: str) -> str:
    """A title without line breaks, shortened if it is long."""
    title = " ".join(title.split())
    return title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1].rstrip() + "…"


def note_mark(number: str) -> str:
    """The mark of a footnote in a text, set apart from the word before it; our own citations look like "[1]"."""
    return f" [^{number}]"


class HeadingPath:
    """The headings above a point in a text, the highest level first."""

    def __init__(self) -> None:
        self._titles: list[tuple[int, str]] = []

    def enter(self, level: int, title: str) -> str:
        """Enter the section of a heading of this level, and return its label: "§ Installation > Linux"."""
        while self._titles and self._titles[-1][0] >= level:
            self._titles.pop()
        self._titles.append((level, shorten_label(_NOTE_MARK.sub("", title))))
        return self.label

    @property
    def label(self) -> str:
        """The label of the section; "" before the first heading."""
        return "§ " + BELOW.join(title for _, title in self._titles if title) if self._titles else ""


MOST_SUGGESTED = 3
NEAR = 0.5  # how alike the name of a place must be to be suggested, as `difflib` counts it: 1 is the same
NamedSpan = tuple[str, int, int]  # the name of a place, and its span `[start, end)` in the document


async def places_named(store: "PageStore", document: "Document", wanted: str) -> list[NamedSpan]:
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


async def source_page(store: "PageStore", document: "Document", wanted: str) -> list[NamedSpan] | None:
    """The source's page with this number, else with this label printed on it; None where the source has no pages."""
    places = await all_places(store, document)
    at = [page_of(name) for _, name in places]
    if not any(at):
        return None
    sought = wanted.strip().casefold()
    hits = [number for number, page in enumerate(at) if page and str(page.number) == sought]
    hits = hits or [number for number, page in enumerate(at) if page and sought and page.printed.casefold() == sought]
    if not hits:
        raise no_such_page(document, wanted, [*filter(None, at)])
    return _join_neighbours(document, places, hits)


def no_such_page(document: "Document", wanted: str, pages: Sequence[SourcePage]) -> BadInput:
    """The error where a source has other pages than the wanted one; it says which."""
    printed, last = [page.printed for page in pages if page.printed], max(page.number for page in pages)
    also = f", printed {printed[0]} to {printed[-1]}" if printed else ""
    title = document.title or document.id
    return BadInput(f"'{title}' has no text on a page '{wanted}': its pages are 1 to {last}{also}.")


async def all_places(store: "PageStore", document: "Document") -> list[tuple[int, str]]:
    """(offset, name) of a document's places; of several documents, after the title of that which has them."""
    if not document.parts:
        return await store.places(document)
    places = list[tuple[int, str]]()
    for part in document.parts:
        of = await store.member(part)
        title = f"{of.title}, " if len(document.parts) > 1 else ""
        named = [(part.start + start, title + name) for start, name in await store.places(of)]
        places += named or [(part.start, of.title)]
    return places


def _join_neighbours(document: "Document", places: Sequence[tuple[int, str]], hits: Iterable[int]) -> list[NamedSpan]:
    ends = [*(start for start, _ in places[1:]), document.characters]
    found = list[NamedSpan]()
    for number in hits:
        start, name = places[number]
        if found and found[-1][2] == start:
            found[-1] = (*found[-1][:2], ends[number])
        else:
            found.append((name, start, ends[number]))
    return found

"""`show --page`, `--at`, `--quote`: the text at one place of a document, where a citation can be followed."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from readgraph.cli.run.documents import find_document
from readgraph.cli.run.memories import memories_to_show, method_of
from readgraph.cli.terminal.marked_text import marked_text, print_paged
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.nodes.answering.citing import find_quote
from readgraph.state.errors import BadInput
from readgraph.state.library import open_library
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document, Memory, Page

MOST_SUGGESTED = 3

NEAR = 0.5
"""How alike the name of a place must be to be suggested, as `difflib` counts it: 1 is the same."""


@dataclass(frozen=True)
class Stretch:
    """A stretch `[start, end)` of a document: its page and the method that cut it; its place in the source; a quote.

    `page` and `method` are None where the stretch is a place of the source.
    """

    page: int | None
    method: str | None
    place: str | None
    start: int
    end: int
    mark: tuple[int, int] | None = None


def show_place(
    named: str,
    folder: Path | None,
    *,
    page: int | None,
    at: str | None,
    quote: str | None,
    method: str | None,
    as_json: bool,
) -> None:
    """Show a page, the places of this name, or the page with the quote; the quote is marked."""
    if not named:
        raise BadInput("There is nothing to show a place of: name a document.")
    if at is not None and (page is not None or method):
        raise BadInput("--at needs no memory: leave --page and --method out.")
    if quote is not None and not quote.strip():
        raise BadInput("The quote is empty: write the words to mark.")
    document, found, texts = asyncio.run(_found(named, folder, page, at, quote, method))
    if as_json:
        listed = [vars(each) | {"text": text} for each, text in zip(found, texts, strict=True)]
        print_json({"id": document.id, "title": document.title, "source": document.source, "stretches": listed})
        return
    styled = Console().is_terminal
    pieces = list[Text]()
    for each, text in zip(found, texts, strict=True):
        number = f"p. {each.page} of {each.method}" if each.page is not None else ""
        pieces.append(Text(", ".join(filter(None, [document.title, number, each.place])), style="bold"))
        marks = [(each.mark[0] - each.start, each.mark[1] - each.start)] if each.mark else []
        pieces.append(marked_text(f"{text.rstrip()}\n", marks, styled=styled))
    print_paged(pieces)


async def _found(
    named: str, folder: Path | None, page: int | None, at: str | None, quote: str | None, method: str | None
) -> tuple[Document, list[Stretch], list[str]]:
    async with open_library(folder, only_shows=True) as library:
        store, document = library.pages, await find_document(library.pages, named)
        if at is not None:
            found = await _at(store, document, at)
        else:
            memories = await memories_to_show(store, document, method)
            found = [await _page(store, document, memories, page, quote)]
        texts = await store.spans(document, [(each.start, each.end) for each in found])
    if quote is None:
        return document, found, texts
    marked = [_marked(each, text, quote) for each, text in zip(found, texts, strict=True)]
    if not any(each.mark for each in marked):
        raise BadInput(
            f"The quote is not there: 'readgraph show \"{document.title}\" --quote …' looks for it everywhere."
        )
    return document, marked, texts


def _marked(stretch: Stretch, text: str, quote: str) -> Stretch:
    span = _words_in(text, quote)
    return replace(stretch, mark=(stretch.start + span[0], stretch.start + span[1])) if span else stretch


async def _page(
    store: PageStore, document: Document, memories: Sequence[Memory], number: int | None, quote: str | None
) -> Stretch:
    """The page with this number, else the one on which the quote begins, up to the end of the quote.

    Methods cut different pages: of several memories, the first one counts that has the quote on this page.
    """
    if number is not None:
        pages = [await _numbered(store, memory, number) for memory in memories]
        texts = await store.spans(document, [(page.start, page.end) if page else (0, 0) for page in pages])
        fits = (place for place, text in enumerate(texts) if text and quote and _words_in(text, quote))
        cut = next(fits, next((place for place, page in enumerate(pages) if page), 0))
        memory, page, end = memories[cut], pages[cut], 0
    else:
        memory, text = memories[0], await store.text(document)
        if not (span := _words_in(text[: memory.read_to], quote or "")):
            raise BadInput(f"The quote is not in '{document.title}': quote whole words, as they stand there.")
        kept = await store.pages(memory.id, range(memory.pages))
        page, end = max((each for each in kept if each.start <= span[0]), key=lambda each: each.start), span[1]
    if not page:
        raise BadInput(
            f"'{document.title}' has no p. {number}: its pages are 0 to {max(each.pages for each in memories) - 1}."
        )
    (place,) = await store.place_names(document, [page.start])
    return Stretch(page.number, method_of(memory), place, page.start, max(page.end, end))


async def _numbered(store: PageStore, memory: Memory, number: int) -> Page | None:
    return next(iter(await store.pages(memory.id, [number] if number < memory.pages else [])), None)


async def _at(store: PageStore, document: Document, wanted: str) -> list[Stretch]:
    """The places whose names are this, else those with these words in their names; neighbours are one stretch."""
    places = await all_places(store, document)
    folded = [" ".join(place.split()).casefold() for _, place in places]
    sought = " ".join(wanted.split()).casefold()
    within = re.compile(rf"(?<!\w){re.escape(sought)}(?!\w)")
    hits = [number for number, name in enumerate(folded) if name == sought]
    hits = hits or [number for number, name in enumerate(folded) if sought and within.search(name)]
    if not hits:
        raise BadInput(f"'{document.title}' has no place '{wanted}'{_places_instead(sought, folded, places)}")
    ends = [*(start for start, _ in places[1:]), document.characters]
    found = list[Stretch]()
    for number in hits:
        start, name = places[number]
        if found and found[-1].end == start:
            found[-1] = replace(found[-1], end=ends[number])
        else:
            found.append(Stretch(None, None, name, start, ends[number]))
    return found


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


def _words_in(text: str, quote: str) -> tuple[int, int] | None:
    """The span of these words, found as a citation is; words too few for a citation count too."""
    if span := find_quote(quote.strip(), text, 0, len(text)):
        return span
    words = r"[\W_]+".join(map(re.escape, re.findall(r"[^\W_]+", quote)))
    whole = rf"(?<!\w){words}(?!\w)" if words.isascii() else words  # scripts without spaces have no such bounds
    found = re.search(whole, text, re.IGNORECASE) if words else None
    return found.span() if found else None


def _places_instead(sought: str, folded: Sequence[str], places: Sequence[tuple[int, str]]) -> str:
    if not places:
        return ": its source names none. Give the number of a page with --page."
    near = [folded.index(name) for name in get_close_matches(sought, folded, MOST_SUGGESTED, NEAR)]
    listed = ", ".join(f"'{places[number][1]}'" for number in near or range(min(MOST_SUGGESTED, len(places))))
    return f": its places have names such as {listed}."

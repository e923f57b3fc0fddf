"""`show --page`, `--part`, `--at`, `--quote`: the text at one place of a document, where a citation can be followed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from readgraph.cli.options.places import ShowOptions, WantedPlace
from readgraph.cli.run.documents import find_document
from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.settings import typed_or_none
from readgraph.cli.terminal.marked_text import marked_text, print_paged
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.nodes.answering.quotes import find_quote
from readgraph.sources.naming_places import NamedSpan, places_named, source_page
from readgraph.state.errors import BadInput
from readgraph.state.library import open_library
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document, Memory
from readgraph.tools.memories import memories_to_show, method_of
from readgraph.tools.parts import parts_numbered

LONGEST_NUMBER = 9
"""Digits."""


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


def show_place(options: ShowOptions) -> None:
    """Show a page, a part, the places of a name, or the part with the quote; the quote is marked."""
    if not options.document:
        raise BadInput("There is nothing to show a place of: name a document.")
    options.place.check(options.method)
    document, found, texts = run_until_stopped(_found(options))
    if options.as_json:
        listed = [vars(each) | {"text": text} for each, text in zip(found, texts, strict=True)]
        print_json({"id": document.id, "title": document.title, "source": document.source, "stretches": listed})
        return
    styled = Console().is_terminal
    pieces = list[Text]()
    for each, text in zip(found, texts, strict=True):
        part = f"part {each.page} of {each.method}" if options.part is not None or not each.place else ""
        pieces.append(Text(", ".join(filter(None, [document.title, each.place, part])), style="bold"))
        marks = [(each.mark[0] - each.start, each.mark[1] - each.start)] if each.mark else []
        pieces.append(marked_text(f"{text.rstrip()}\n", marks, styled=styled))
    print_paged(pieces)


async def _found(options: ShowOptions) -> tuple[Document, list[Stretch], list[str]]:
    async with open_library(options.library, only_shows=True) as library:
        store, document = library.pages, await find_document(library.pages, options.document)
        found = await _stretches(store, document, options.place, options.method)
        longest = 2 * len(options.quote or "")  # a quote may go on after the end of its page
        spans = [(each.start, min(each.end + longest, document.characters)) for each in found]
        texts = await store.spans(document, spans)
    if options.quote is not None:
        found = [_marked(each, text, options.quote) for each, text in zip(found, texts, strict=True)]
        if not any(each.mark for each in found):
            raise BadInput(
                f"The quote is not there: 'readgraph show \"{document.title}\" --quote …' looks for it everywhere."
            )
    return document, found, [text[: each.end - each.start] for each, text in zip(found, texts, strict=True)]


def _marked(stretch: Stretch, text: str, quote: str) -> Stretch:
    """The stretch with the quote that begins in it, up to the quote's end."""
    span = _words_in(text, quote)
    if not span or span[0] >= stretch.end - stretch.start:
        return stretch
    mark = (stretch.start + span[0], stretch.start + span[1])
    return replace(stretch, mark=mark, end=max(stretch.end, mark[1]))


async def place_spans(store: PageStore, document: Document, wanted: WantedPlace) -> list[NamedSpan] | int | None:
    """The spans of a place or page of the source, or the number of a part; None where only a quote is wanted."""
    if wanted.at is not None:
        return await places_named(store, document, wanted.at)
    if wanted.page is not None:
        return await source_page(store, document, wanted.page) or _part_number(document, wanted.page)
    return wanted.part


async def _stretches(store: PageStore, document: Document, wanted: WantedPlace, method: str | None) -> list[Stretch]:
    number = await place_spans(store, document, wanted)
    if isinstance(number, list):
        if method:
            raise BadInput("--page shows a page of the source, which needs no memory: leave --method out.")
        return [Stretch(None, None, *span) for span in number]
    memories = await memories_to_show(store, document, typed_or_none(method))
    if number is not None:
        return [await _part(store, document, memories, number, wanted.quote)]
    return [await _with_quote(store, document, memories[0], wanted.quote or "")]


def _part_number(document: Document, page: str) -> int:
    """The number of a part, given with `--page` where the source has no pages."""
    if not page.strip().isdecimal() or len(page) > LONGEST_NUMBER:
        raise BadInput(f"The source of '{document.title}' has no pages: give the number of a part with --part.")
    return int(page)


async def _part(
    store: PageStore, document: Document, memories: Sequence[Memory], number: int, quote: str | None
) -> Stretch:
    """The part with this number.

    Methods cut different parts: of several memories, the first one counts that has the quote in this part.
    """
    parts = await parts_numbered(store, document, memories, number)
    texts = await store.spans(document, [(part.start, part.end) if part else (0, 0) for part in parts])
    fits = (place for place, text in enumerate(texts) if text and quote and _words_in(text, quote))
    cut = next(fits, next((place for place, part in enumerate(parts) if part), 0))
    page = parts[cut]
    assert page, "one of the memories has it"
    (place,) = await store.place_names(document, [page.start])
    return Stretch(page.number, method_of(memories[cut]), place, page.start, page.end)


async def _with_quote(store: PageStore, document: Document, memory: Memory, quote: str) -> Stretch:
    """The part in which the quote begins, and the quote's place in the source."""
    text = await store.text(document)
    if not (span := _words_in(text[: memory.read_to], quote)):
        raise BadInput(f"The quote is not in '{document.title}': quote whole words, as they stand there.")
    parts = await store.pages(memory.id, range(memory.pages))
    part = max((each for each in parts if each.start <= span[0]), key=lambda each: each.start)
    (place,) = await store.place_names(document, [span[0]])
    return Stretch(part.number, method_of(memory), place, part.start, part.end)


def _words_in(text: str, quote: str) -> tuple[int, int] | None:
    """The span of these words, found as a citation is; words too few for a citation count too."""
    if span := find_quote(quote.strip(), text, 0, len(text)):
        return span
    words = r"[\W_]+".join(map(re.escape, re.findall(r"[^\W_]+", quote)))
    whole = rf"(?<!\w){words}(?!\w)" if words.isascii() else words  # scripts without spaces have no such bounds
    found = re.search(whole, text, re.IGNORECASE) if words else None
    return found.span() if found else None

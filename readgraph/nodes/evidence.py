"""Pages as evidence: packed within a budget of words, tagged with their numbers and headers."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from readgraph.nodes.prompting import unused_name
from readgraph.state.page_store import PageStore
from readgraph.state.reading import Citation
from readgraph.state.records import Document, Memory
from readgraph.state.words import count_words, first_words


@dataclass(frozen=True)
class ShownPage:
    """The text of a page as it is shown; `start` is the character offset of its beginning in the document."""

    number: int
    start: int
    text: str
    header: str


async def pack_pages(
    store: PageStore, document: Document, memory: Memory, numbers: Sequence[int], most_words: int
) -> list[ShownPage]:
    """The pages of these numbers, in this order, while they fit; a page that alone is too long is cut at its end."""
    pages, notes = await asyncio.gather(store.pages(memory.id, numbers), store.notes(memory.id, numbers))
    headers = {note.page: note.header for note in notes}
    texts = await store.spans(document, [(page.start, page.end) for page in pages])
    packed, room = list[ShownPage](), most_words
    for page, text in zip(pages, texts, strict=True):
        header = headers.get(page.number, "")
        words = page.words + count_words(header)
        if words > most_words:
            text, words = first_words(text, most_words), most_words
        if words <= room:
            packed.append(ShownPage(page.number, page.start, text, header))
            room -= words
    return packed


def pages_text(pages: Iterable[ShownPage]) -> str:
    """Each page behind its tag; its header, which is no part of the document, in brackets before the text."""
    return tagged({page.number: f"[{page.header}]\n{page.text}" if page.header else page.text for page in pages})


def snippets_text(snippets: Iterable[Citation]) -> str:
    """Snippets by their page, in page order."""
    by_page: dict[int, list[str]] = {}
    for snippet in sorted(snippets, key=lambda snippet: snippet["start"]):
        by_page.setdefault(snippet["page"], []).append(snippet["quote"])
    return tagged({page: "\n…\n".join(quotes) for page, quotes in by_page.items()})


def tagged(bodies: Mapping[int, str]) -> str:
    """Texts of pages, each behind a tag that stands in none of them."""
    tag = unused_name("page", bodies.values())
    return "\n\n".join(f"<{tag} {number}>\n{body.strip()}" for number, body in bodies.items())

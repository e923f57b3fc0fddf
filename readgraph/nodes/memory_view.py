"""What the model sees of a memory: notes in page order, with pages that were read again in full in their place."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from langgraph.runtime import Runtime

from readgraph.models.prompt import unused_name
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.page_store import PageStore, page_store
from readgraph.state.reading import Citation
from readgraph.state.records import Document, Memory, Note, Page
from readgraph.state.words import count_words, first_words


@dataclass(frozen=True, slots=True)
class MemoryView:
    """A memory as one question sees it: `full` holds the texts of the pages that were read again."""

    document: Document
    pages: list[Page]
    notes: dict[int, Note]
    full: dict[int, str]

    @property
    def text(self) -> str:
        """All pages in order, each after its tag: in full if it was read again, else its note (section 3.2)."""
        bodies = {page.number: self.full.get(page.number) or self._note(page.number) for page in self.pages}
        tag = unused_name("page", bodies.values())
        return "\n\n".join(f"<{tag} {number}>\n{body.strip()}" for number, body in bodies.items() if body)

    @property
    def words(self) -> int:
        """Words of the document's content in the view, without tags."""
        notes = sum(note.words for number, note in self.notes.items() if number not in self.full)
        return notes + sum(count_words(text) for text in self.full.values())

    def fitting(self, candidates: Iterable[int], window_words: int) -> list[int]:
        """Those of the candidate pages, in this order, that fit the window in full, together with all other notes."""
        sizes = {page.number: page.words - self._note_words(page.number) for page in self.pages}
        words, fit = self.words, []
        for page in candidates:
            if words + sizes[page] <= window_words:
                words += sizes[page]
                fit.append(page)
        return fit

    def openable(self, window_words: int) -> set[int]:
        """The pages that are not yet in full, and each of which would fit the window in full."""
        room = window_words - self.words
        unread = [page for page in self.pages if page.number not in self.full]
        return {page.number for page in unread if page.words - self._note_words(page.number) <= room}

    def _note_words(self, page: int) -> int:
        return self.notes[page].words if page in self.notes else 0

    def _note(self, page: int) -> str:
        return self.notes[page].text if page in self.notes else ""


async def view_memory(runtime: Runtime[ReaderContext], document: str, memory: str, pages_read: list[int]) -> MemoryView:
    """Fetch a memory with these pages in full; raises `BadInput` for a page that it does not have."""
    store = page_store(runtime)
    described, pages = await memory_pages(runtime, document, memory)
    notes = await store.notes(memory, range(len(pages)))
    numbers = {page.number for page in pages}
    if unknown := [page for page in pages_read if page not in numbers]:  # they may have been edited
        raise BadInput(f"There is no page {unknown[0]!r}: the pages are 0 to {len(pages) - 1}.")
    wanted = set(pages_read)
    opened = [page for page in pages if page.number in wanted]
    texts = await store.spans(described, [(page.start, page.end) for page in opened])
    full = {page.number: text for page, text in zip(opened, texts, strict=True)}
    return MemoryView(described, pages, {note.page: note for note in notes}, full)


async def memory_pages(runtime: Runtime[ReaderContext], document: str, memory: str) -> tuple[Document, list[Page]]:
    """A document and the pages of its memory."""
    described, kept = await remembered(runtime, document, memory)
    return described, await page_store(runtime).pages(memory, range(kept.pages))


async def remembered(runtime: Runtime[ReaderContext], document: str, memory: str) -> tuple[Document, Memory]:
    """The records of a document and its memory."""
    store = page_store(runtime)
    kept, described = await asyncio.gather(store.memory(document, memory), store.document(document))
    if kept.recipe.model and not (runtime.context.model or runtime.context.reading_model):
        # A graph that is resumed without its context would silently continue without a model.
        raise BadInput(f"This was read with {kept.recipe.model}: give the context with its model again to go on.")
    return described, kept


def listed(pages: list[int]) -> str:
    """Page numbers as text."""
    if not pages:
        return "no page"
    return f"page{'s' if len(pages) > 1 else ''} {', '.join(map(str, pages))}"


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
    """The pages with these numbers, in this order, as long as they fit; a page that alone is too long is cut."""
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
    """Each page after its tag; its header, which is not part of the document, in brackets before the text."""
    return tagged({page.number: f"[{page.header}]\n{page.text}" if page.header else page.text for page in pages})


def snippets_text(snippets: Iterable[Citation]) -> str:
    """Snippets grouped by page, in page order."""
    by_page: dict[int, list[str]] = {}
    for snippet in sorted(snippets, key=lambda snippet: snippet["start"]):
        by_page.setdefault(snippet["page"], []).append(snippet["quote"])
    return tagged({page: "\n…\n".join(quotes) for page, quotes in by_page.items()})


def tagged(bodies: Mapping[int, str]) -> str:
    """Texts of pages, each after a tag that occurs in none of them."""
    tag = unused_name("page", bodies.values())
    return "\n\n".join(f"<{tag} {number}>\n{body.strip()}" for number, body in bodies.items())

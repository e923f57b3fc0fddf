"""What the model sees of a memory: notes in page order, with pages read again in full in their place.

Also: nodes of a memory's tree as single texts (collapsed tree), and how much of a document its memory does not hold,
since it was appended later or a budget was spent.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from langgraph.runtime import Runtime

from readgraph.library.histories import sessions_of
from readgraph.library.page_store import PageStore, page_store
from readgraph.models.metering import record_corrections
from readgraph.models.prompt import find_unused_name
from readgraph.nodes.gist_levels import (
    TAG_WORDS,
    OlderGist,
    choose_gists_by_age,
    gists_allowed,
    older_gist_words,
    older_gists,
)
from readgraph.state.channels import NotMemorised
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.reading import Citation
from readgraph.state.records import Document, Memory, Note, Page
from readgraph.state.summary_tree import TreeShape, node_id, tree_ids
from readgraph.state.words import count_words, first_words, format_count, with_numbers

__all__ = ["flat_tree", "memory_pages", "view_memory", "view_nodes"]


class StandIn(Protocol):
    """A text that stands for several pages: a gist of gists, or a summary of a tree."""

    @property
    def pages(self) -> range:
        """The pages that it stands for."""

    @property
    def text(self) -> str:
        """Its text."""

    @property
    def words(self) -> int:
        """The words of its text."""


@dataclass(frozen=True, slots=True)
class MemoryView:
    """A memory as one question sees it: `full` holds the texts of the pages that were read again.

    `notes` are those that stand for their page alone; `older` stand for several pages each, such as gists of gists.
    """

    document: Document
    pages: list[Page]
    notes: dict[int, Note]
    full: dict[int, str]
    older: Sequence[StandIn] = ()

    @property
    def text(self) -> str:
        """All pages in order, each after its tag: in full if it was read again, else its note (section 3.2)."""
        record_corrections(note for number, note in self.notes.items() if not self.full.get(number))
        alone = {page.number: self.full.get(page.number) or self._note(page.number) for page in self.pages}
        bodies = [(number, 1, str(number), body) for number, body in alone.items()]
        bodies += [(gist.pages[0], 0, _name_page_range(gist.pages), gist.text) for gist in self.older]
        tag = find_unused_name("page", [body for *_, body in bodies])
        return "\n\n".join(f"<{tag} {name}>\n{body.strip()}" for *_, name, body in sorted(bodies) if body)

    @property
    def words(self) -> int:
        """Words of the document's content in the view, without tags."""
        notes = sum(note.words for number, note in self.notes.items() if number not in self.full)
        notes += sum(gist.words for gist in self.older)
        return notes + sum(count_words(text) for text in self.full.values())

    @property
    def words_with_tags(self) -> int:
        """Words of the view with its tags."""
        return self.words + TAG_WORDS * (len({*self.notes, *self.full}) + len(self.older))

    def without_notes(self) -> "MemoryView":
        """Only the pages that were read again."""
        return replace(self, notes={}, older=())

    def cut_to(self, most_words: int) -> "MemoryView":
        """The pages that were read again, cut to equal numbers of words where they don't fit these with their tags."""
        sizes = sorted(map(count_words, self.full.values()))
        share, room = 0, max(0, most_words - self.words_with_tags + sum(sizes))
        for number, size in enumerate(sizes):
            share = room // (len(sizes) - number)
            room -= min(size, share)
        return replace(self, full={page: first_words(text, share) for page, text in self.full.items()})

    def pages_that_fit(self, candidates: Iterable[int], most_words: int) -> list[int]:
        """Those of the candidate pages, in this order, that fit the words in full, together with all other notes.

        Where not even one does, it is the first: the prompt is cut then, and that is counted.
        """
        candidates = [*candidates]
        sizes = {page.number: page.words - self._note_words(page.number) for page in self.pages}
        words, fit = self.words_with_tags, []
        for page in candidates:
            if words + sizes[page] <= most_words:
                words += sizes[page]
                fit.append(page)
        return fit or ([] if self.full else candidates[:1])

    def openable(self, most_words: int) -> set[int]:
        """The pages that are not yet in full, and each of which would fit the words in full; all, where none does."""
        room = most_words - self.words_with_tags
        unread = [page for page in self.pages if page.number not in self.full]
        fit = {page.number for page in unread if page.words - self._note_words(page.number) <= room}
        return fit or (set() if self.full else {page.number for page in unread})

    def _note_words(self, page: int) -> int:
        return self.notes[page].words if page in self.notes else 0

    def _note(self, page: int) -> str:
        return self.notes[page].text if page in self.notes else ""


def _name_page_range(pages: range) -> str:
    return f"{pages[0]}-{pages[-1]}" if len(pages) > 1 else str(pages[0])


async def view_memory(
    runtime: Runtime[ReaderContext], document: str, memory: str, pages_read: list[int], near: Sequence[int] = ()
) -> MemoryView:
    """Fetch a memory with these pages in full; raises `BadInput` for a page that it does not have.

    Args:
        runtime: The node's runtime.
        document: The document's id.
        memory: The memory's id.
        pages_read: Numbers of the pages that are shown in full.
        near: Pages to show with their own gists rather than others, where gists of gists stand for old pages.
    """
    store = page_store(runtime)
    described, kept = await load_memory(runtime, document, memory)
    pages = await store.pages(memory, range(kept.pages))
    notes, older = await visible_notes(runtime, kept, near)
    numbers = {page.number for page in pages}
    if unknown := [page for page in pages_read if page not in numbers]:  # they may have been edited
        raise BadInput(f"There is no page {unknown[0]!r}: the pages are 0 to {len(pages) - 1}.")
    wanted = set(pages_read)
    opened = [page for page in pages if page.number in wanted]
    texts = await store.spans(described, [(page.start, page.end) for page in opened])
    full = {page.number: text for page, text in zip(opened, texts, strict=True)}
    return MemoryView(described, pages, notes, full, older)


async def visible_notes(
    runtime: Runtime[ReaderContext], memory: Memory, near: Sequence[int] = ()
) -> tuple[dict[int, Note], list[OlderGist]]:
    """The notes that a question sees, by their pages, and the gists of gists that stand for the other pages.

    There are such gists only where a model gisted a memory whose notes don't fit the window. Notes that a user
    corrected are shown by themselves as far as they fit, since the gists of gists were made before.
    """
    store, context = page_store(runtime), runtime.context
    notes = {note.page: note for note in await store.notes(memory.id, range(memory.pages))}
    allowed = gists_allowed(context)
    if not context.model or sum(note.words + TAG_WORDS for note in notes.values()) <= allowed:
        return notes, []
    known = await older_gists(store, memory.id, memory.pages, older_gist_words(context))
    corrected = [note.page for note in notes.values() if note.replaced is not None]
    older = choose_gists_by_age(notes, known, memory.pages, allowed, [*corrected, *near])
    hidden = {page for gist in older for page in gist.pages}
    return {page: note for page, note in notes.items() if page not in hidden}, older


async def memory_pages(runtime: Runtime[ReaderContext], document: str, memory: str) -> tuple[Document, list[Page]]:
    """A document and the pages of its memory."""
    described, kept = await load_memory(runtime, document, memory)
    return described, await page_store(runtime).pages(memory, range(kept.pages))


async def load_memory(runtime: Runtime[ReaderContext], document: str, memory: str) -> tuple[Document, Memory]:
    """The records of a document and its memory."""
    store = page_store(runtime)
    described, kept = await store.document_and_memory(document, memory)
    if kept.recipe.model and not (runtime.context.model or runtime.context.reading_model):
        # A graph that is resumed without its context would silently continue without a model.
        raise BadInput(f"This was read with {kept.recipe.model}: give the context with its model again to go on.")
    return described, kept


def format_parts(pages: list[int]) -> str:
    """Page numbers as people see them: "parts 3, 5", since a source may have pages of its own."""
    return with_numbers("part", pages)


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
    return format_pages({page.number: f"[{page.header}]\n{page.text}" if page.header else page.text for page in pages})


def snippets_text(snippets: Iterable[Citation]) -> str:
    """Snippets grouped by page, in page order."""
    by_page: dict[int, list[str]] = {}
    for snippet in sorted(snippets, key=lambda snippet: snippet["start"]):
        by_page.setdefault(snippet["page"], []).append(snippet["quote"])
    return format_pages({page: "\n…\n".join(quotes) for page, quotes in by_page.items()})


def format_pages(bodies: Mapping[int, str]) -> str:
    """Texts of pages, each after a tag that occurs in none of them."""
    tag = find_unused_name("page", bodies.values())
    return "\n\n".join(f"<{tag} {number}>\n{body.strip()}" for number, body in bodies.items())


@dataclass(frozen=True, slots=True)
class TreeSummary:
    """A node of the tree: the pages below it, its text and the text's words."""

    pages: range
    text: str
    words: int


async def summaries_of(runtime: Runtime[ReaderContext], document: str, memory: str) -> dict[str, TreeSummary]:
    """All nodes of a memory's tree by their ids: the notes of pages ("0.3"), then the summaries above them."""
    store, (_, kept) = page_store(runtime), await load_memory(runtime, document, memory)
    notes = await store.notes(kept.id, range(kept.pages))
    found = {
        node_id(0, note.page): TreeSummary(range(note.page, note.page + 1), note.text, note.words) for note in notes
    }
    for node in await store.tree_nodes(kept.id, tree_ids(kept)):
        found[node.id] = TreeSummary(TreeShape.final_tree(kept).pages(node.id), node.text, node.words)
    return found


async def flat_tree(runtime: Runtime[ReaderContext], document: str, memory: str) -> dict[str | int, str]:
    """The text of every page by its number and, with a model, that of every node of the tree by its id."""
    store, (described, kept) = page_store(runtime), await load_memory(runtime, document, memory)
    pages = await store.pages(kept.id, range(kept.pages))
    texts = await store.spans(described, [(page.start, page.end) for page in pages])
    nodes = await summaries_of(runtime, document, memory) if runtime.context.model else {}
    of_pages: dict[str | int, str] = dict(zip((page.number for page in pages), texts, strict=True))
    return of_pages | {name: node.text for name, node in nodes.items()}


async def view_nodes(
    runtime: Runtime[ReaderContext], document: str, memory: str, pages: list[int], nodes: Collection[str]
) -> MemoryView:
    """A view of these pages in full and of these nodes of the tree, and of nothing else."""
    view = await view_memory(runtime, document, memory, pages)
    summaries = await summaries_of(runtime, document, memory)
    return replace(view, notes={}, older=[summaries[node] for node in nodes if node in summaries])


async def find_not_memorised(store: PageStore, document: Document, memory: Memory) -> NotMemorised:
    """What has no page in the memory, or a page without a note. A session counts that lacks any of its pages."""
    if memory.complete and memory.read_to == document.characters:
        return NotMemorised(sessions=0, words=0)
    pages = await store.pages(memory.id, range(memory.pages))
    noted = {note.page for note in await store.notes(memory.id, range(memory.pages))}
    missing = [(page.start, page.end) for page in pages if page.number not in noted]
    missing.append((memory.read_to, document.characters))
    return await sizes_of(store, document, missing)


async def sizes_of(store: PageStore, document: Document, missing: Sequence[tuple[int, int]]) -> NotMemorised:
    """How much of a document stands in these spans."""
    words = sum(map(count_words, await store.spans(document, missing)))
    sessions = [
        session
        for session in await sessions_of(store, document)
        if any(session.start < end and start < session.end for start, end in missing)
    ]
    return NotMemorised(sessions=len(sessions), words=words)


def describe_missing(missing: NotMemorised | None) -> str:
    """What is not memorised: "2 sessions (480 words) are not memorised"; "" where nothing is missing."""
    if not missing or not missing["words"]:
        return ""
    sessions, words = missing["sessions"], format_count(missing["words"], "word")
    what = f"{format_count(sessions, 'session')} ({words})" if sessions else words
    return f"{what} {'is' if (sessions or missing['words']) == 1 else 'are'} not memorised"

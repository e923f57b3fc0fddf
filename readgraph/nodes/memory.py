"""What the model sees of a memory: notes in page order, pages read again in full; and what a memory lacks."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from operator import attrgetter
from typing import Any, TypeVar

from typing_extensions import TypedDict

from readgraph.library.histories import sessions_of
from readgraph.library.page_store import PageStore, page_store
from readgraph.models.metering import record_corrections
from readgraph.models.prompt import find_unused_name
from readgraph.nodes.bounds import FULL_TAG_WORDS, TAG_WORDS, OlderGist, find_gists_to_show
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.nodes.meaning import FusedTool, by_meaning
from readgraph.nodes.search import SearchTool, make_stand_in, open_ranker
from readgraph.state.channels import NotMemorised
from readgraph.state.errors import BadInput
from readgraph.state.records import Document, Memory, Note, Page, TreeNode
from readgraph.state.summary_tree import TreeShape, is_leaf, node_id, page_of, tree_ids
from readgraph.state.variables import set_variable
from readgraph.state.words import count_words, first_words, format_count, take_fitting, with_numbers

__all__ = ["flat_tree", "memory_pages", "view_memory", "view_nodes"]

KeyT = TypeVar("KeyT", int, str)
RecordT = TypeVar("RecordT", Page, Note, TreeNode)


@dataclass(frozen=True, slots=True)
class TreeSummary:
    """A node of the tree: the pages below it, its text and the text's words."""

    pages: range
    text: str
    words: int


@dataclass(frozen=True, slots=True)
class MemoryView:
    """A memory as one question sees it: pages in `full`, `notes` of single pages, `older` ones of several pages."""

    document: Document
    pages: list[Page]
    notes: dict[int, Note]
    full: dict[int, str]
    older: Sequence[OlderGist | TreeSummary] = ()
    unseen_words: int = 0  # of notes that were not fetched, since nobody will read them here

    @property
    def text(self) -> str:
        """All notes in order, each after its tag, then the pages that were read again (section 3.2).

        The paper puts a page in its note's place. Here the notes stay, so that all prompts of a memory begin alike.
        """
        record_corrections(self.notes.values())
        bodies = [(page, 1, str(page), note.text) for page, note in self.notes.items() if note.text]
        for gist in self.older:
            first, last = gist.pages[0], gist.pages[-1]
            bodies.append((first, 0, f"{first}-{last}" if last > first else str(first), gist.text))
        full = ((f"{page} in full" if bodies else page, text.strip()) for page, text in self.full.items() if text)
        notes = tag_texts((name, body.strip()) for *_, name, body in sorted(bodies))
        return "\n\n".join(filter(None, [notes, tag_texts(full)]))

    @property
    def words(self) -> int:
        """Words of the document's content in the view, without tags."""
        notes = sum(note.words for note in self.notes.values()) + sum(gist.words for gist in self.older)
        return self.unseen_words + notes + sum(count_words(text) for text in self.full.values())

    @property
    def words_with_tags(self) -> int:
        """Words of the view with its tags."""
        return self.words + TAG_WORDS * (len(self.notes) + len(self.older)) + FULL_TAG_WORDS * len(self.full)

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
        """Those of the candidates, in this order, that fit in full with all notes, or the first."""
        candidates = [*candidates]
        sizes = {page.number: page.words + FULL_TAG_WORDS for page in self.pages}
        fit = take_fitting(candidates, sizes.__getitem__, most_words - self.words_with_tags, skips=True)
        return fit or ([] if self.full else candidates[:1])

    def openable(self, most_words: int) -> set[int]:
        """The pages that are not yet in full, and each of which would fit the words in full; all, where none does."""
        room = most_words - self.words_with_tags
        unread = [page for page in self.pages if page.number not in self.full]
        fit = {page.number for page in unread if page.words + FULL_TAG_WORDS <= room}
        return fit or (set() if self.full else {page.number for page in unread})


@dataclass(frozen=True)
class ShownPage:
    """The text of a page as it is shown; `start` is the character offset of its beginning in the document."""

    number: int
    start: int
    text: str
    header: str


class MemoryState(TypedDict):
    """A document and its memory, by their ids."""

    document: str
    memory: str


MOST_KEPT = 2_000  # pages of a memory of which joined steps keep what they fetched; of a larger one it takes too much


@dataclass(frozen=True, slots=True)
class _Fetched:
    """What steps have fetched of a memory: pages and notes by their numbers, nodes of its tree by their ids."""

    pages: dict[int, Page] = field(default_factory=dict)
    notes: dict[int, Note] = field(default_factory=dict)
    nodes: dict[str, TreeNode] = field(default_factory=dict)


@dataclass(frozen=True)
class OpenedMemory:
    """A memory as a step uses it: its record and that of its document are there, the rest is fetched on demand."""

    runtime: ReaderRuntime
    document: Document
    record: Memory
    fetched: _Fetched = field(default_factory=_Fetched, repr=False)

    @cached_property
    def store(self) -> PageStore:
        """Where it is kept."""
        return page_store(self.runtime)

    def unread(self, pages_read: Iterable[int]) -> list[int]:
        """The numbers of the pages that are not among these."""
        read = {*pages_read}
        return [number for number in range(self.record.pages) if number not in read]

    async def pages(self, numbers: Iterable[int] | None = None) -> list[Page]:
        """The pages with these numbers, or all."""
        fetch = partial(self.store.pages, self.record.id)
        return await self._once(self.fetched.pages, self._wanted(numbers), fetch, attrgetter("number"))

    async def notes(self, numbers: Iterable[int] | None = None) -> list[Note]:
        """The notes of these pages, or all."""
        fetch = partial(self.store.notes, self.record.id)
        return await self._once(self.fetched.notes, self._wanted(numbers), fetch, attrgetter("page"))

    async def pages_and_notes(self, numbers: Iterable[int] | None = None) -> tuple[list[Page], list[Note]]:
        """The pages with these numbers, or all, and their notes, which are fetched together."""
        wanted = self._wanted(numbers)
        if any(number in self.fetched.pages or number in self.fetched.notes for number in wanted):
            return await self.pages(wanted), await self.notes(wanted)
        pages, notes = await self.store.pages_and_notes(self.record.id, wanted)
        if self._keeps_fetched:
            self.fetched.pages.update({page.number: page for page in pages})
            self.fetched.notes.update({note.page: note for note in notes})
        return pages, notes

    @property
    def _keeps_fetched(self) -> bool:
        return self.whole and self.record.pages <= MOST_KEPT and not _changes.get()

    def _wanted(self, numbers: Iterable[int] | None) -> list[int]:
        return [*(range(self.record.pages) if numbers is None else numbers)]

    async def _once(
        self,
        fetched: dict[KeyT, RecordT],
        wanted: list[KeyT],
        fetch: Callable[[list[KeyT]], Awaitable[list[RecordT]]],
        key_of: Callable[[RecordT], KeyT],
    ) -> list[RecordT]:
        """The records of these keys; those that were fetched before are not fetched again."""
        if not self._keeps_fetched:
            return await fetch(wanted)
        if missing := [key for key in wanted if key not in fetched]:
            fetched |= {key_of(record): record for record in await fetch(missing)}
        return [fetched[key] for key in wanted if key in fetched]

    @property
    def whole(self) -> bool:
        """Whether all of the document as it is now is in it."""
        return self.record.complete and self.record.read_to == self.document.characters

    async def texts(self, numbers: Iterable[int] | None = None) -> dict[int, str]:
        """The texts of these pages, or of all, by their numbers."""
        return await self.store.page_texts(self.document, await self.pages(numbers))

    async def nodes(self, ids: Iterable[str]) -> dict[str, Note | TreeNode]:
        """The notes of leaves of its tree, and the nodes above them, by their ids; what is not there is left out."""
        wanted = [*ids]
        notes, above = await asyncio.gather(
            self.notes([page_of(name) for name in wanted if is_leaf(name)]),
            self._once(
                self.fetched.nodes,
                [name for name in wanted if not is_leaf(name)],
                partial(self.store.tree_nodes, self.record.id),
                attrgetter("id"),
            ),
        )
        return {node_id(0, note.page): note for note in notes} | {node.id: node for node in above}

    async def pack(self, numbers: Sequence[int], most_words: int) -> list[ShownPage]:
        """The pages with these numbers, in this order, that fit the words; a page that alone is too long is cut."""
        pages, notes = await self.pages_and_notes(numbers)
        headers = {note.page: note.header for note in notes}

        def size(page: Page) -> int:
            return min(page.words + count_words(headers.get(page.number, "")), most_words)

        packed = take_fitting(pages, size, most_words, skips=True)
        texts = await self.store.page_texts(self.document, packed)
        return [
            ShownPage(
                page.number,
                page.start,
                first_words(texts[page.number], most_words) if page.words > most_words else texts[page.number],
                headers.get(page.number, ""),
            )
            for page in packed
        ]

    async def view(self, pages_read: Sequence[int], near: Sequence[int] = ()) -> MemoryView:
        """What the model sees of it with these pages in full; errors and `near` are as in `view_memory`."""
        self._check_pages(pages_read)
        pages, noted = await self.pages_and_notes()
        notes, older = await self.visible_notes(noted, near)
        wanted = {*pages_read}
        full = await self.store.page_texts(self.document, [page for page in pages if page.number in wanted])
        return MemoryView(self.document, pages, notes, full, older)

    async def view_without_model(self, pages_read: Sequence[int]) -> MemoryView:
        """As `view`, but only these pages are fetched: without a model nothing else is read, and notes only count."""
        self._check_pages(pages_read)
        pages = await self.pages(sorted({*pages_read}))
        full, sizes = await self.store.page_texts(self.document, pages), await self.store.note_sizes([self.record])
        return MemoryView(self.document, pages, {}, full, unseen_words=sizes[self.record.id][1])

    def _check_pages(self, numbers: Iterable[int]) -> None:
        for number in numbers:  # they may have been edited
            if number not in range(self.record.pages):
                raise BadInput(f"There is no page {number!r}: the pages are 0 to {self.record.pages - 1}.")

    async def visible_notes(
        self, noted: Iterable[Note], near: Sequence[int] = ()
    ) -> tuple[dict[int, Note], list[OlderGist]]:
        """The notes that a question sees of these, by their pages, and the gists of gists that stand for the others."""
        notes = {note.page: note for note in noted}
        older = await find_gists_to_show(self.store, self.record, notes, self.runtime.context, near)
        hidden = {page for gist in older for page in gist.pages}
        return {page: note for page, note in notes.items() if page not in hidden}, older

    async def summaries(self) -> dict[str, TreeSummary]:
        """All nodes of its tree by their ids: the notes of pages ("0.3"), then the summaries above them."""
        tree_summaries = {
            node_id(0, note.page): TreeSummary(range(note.page, note.page + 1), note.text, note.words)
            for note in await self.notes()
        }
        for node in await self.store.tree_nodes(self.record.id, tree_ids(self.record)):
            tree_summaries[node.id] = TreeSummary(
                TreeShape.final_tree(self.record).pages(node.id), node.text, node.words
            )
        return tree_summaries

    async def open_ranker(self) -> SearchTool:
        """Ranks its pages by the words of their texts and, without a model, by their meaning where that is known."""
        by_words = await open_ranker(self.store, self.document, self.record)
        if not by_meaning(self.runtime.context) or make_stand_in("keyword", self.store, self.document, self.record):
            return by_words
        return FusedTool(by_words, self.store, self.document, self.record)

    async def find_missing(self) -> NotMemorised:
        """What has no page in it, or a page without a note. A session counts that lacks any of its pages."""
        if self.whole:
            return NotMemorised(sessions=0, words=0)
        pages, notes = await self.pages_and_notes()
        noted = {note.page for note in notes}
        missing = [(page.start, page.end) for page in pages if page.number not in noted]
        missing.append((self.record.read_to, self.document.characters))
        return await sizes_of(self.store, self.document, missing)


_opened: ContextVar[dict[object, OpenedMemory]] = ContextVar("readgraph_opened")
_changes: ContextVar[bool] = ContextVar("readgraph_changes", default=False)


def open_memories_once() -> AbstractContextManager[Any]:
    """Inside of the `with`, steps that load the same whole memory share what was fetched of it."""
    return set_variable(_opened, {})


@contextmanager
def fetch_anew() -> Iterator[None]:
    """Inside of the `with` a step may change notes, of which it and those behind it see what is stored then."""
    with set_variable(_changes, True):
        yield
    for asked, memory in _opened.get({}).items():
        _opened.get()[asked] = replace(memory, fetched=_Fetched())


def forget_opened() -> None:
    """A question that begins inside of such a step, with a graph of its own, sees memories as they are then."""
    _opened.get({}).clear()


async def load_memory(runtime: ReaderRuntime, state: MemoryState) -> OpenedMemory:
    """The memory that the state names, with its document."""
    opened = _opened.get({})
    asked = (runtime.store, runtime.context.namespace, state["document"], state["memory"])
    if (opened_memory := opened.get(asked)) and opened_memory.runtime.context == runtime.context:
        return OpenedMemory(runtime, opened_memory.document, opened_memory.record, opened_memory.fetched)
    document, memory = await page_store(runtime).document_and_memory(state["document"], state["memory"])
    if memory.recipe.model and not (runtime.context.model or runtime.context.reading_model):
        # A graph that is resumed without its context would silently continue without a model.
        raise BadInput(f"This was read with {memory.recipe.model}: give the context with its model again to go on.")
    loaded = OpenedMemory(runtime, document, memory)
    if loaded.whole:
        opened[asked] = loaded
    return loaded


async def view_memory(
    runtime: ReaderRuntime, document: str, memory: str, pages_read: list[int], near: Sequence[int] = ()
) -> MemoryView:
    """Fetch a memory with these pages in full; raises `BadInput` for a page that it does not have.

    Args:
        runtime: The node's runtime.
        document: The document's id.
        memory: The memory's id.
        pages_read: Numbers of the pages that are shown in full.
        near: Pages to show with their own gists rather than others, where gists of gists stand for old pages.
    """
    return await (await load_memory(runtime, MemoryState(document=document, memory=memory))).view(pages_read, near)


async def memory_pages(runtime: ReaderRuntime, document: str, memory: str) -> tuple[Document, list[Page]]:
    """A document and the pages of its memory."""
    opened = await load_memory(runtime, MemoryState(document=document, memory=memory))
    return opened.document, await opened.pages()


async def flat_tree(runtime: ReaderRuntime, document: str, memory: str) -> dict[str | int, str]:
    """The text of every page by its number and, with a model, that of every node of the tree by its id."""
    opened = await load_memory(runtime, MemoryState(document=document, memory=memory))
    nodes = await opened.summaries() if runtime.context.model else {}
    texts: dict[str | int, str] = dict((await opened.texts()).items())
    return texts | {name: node.text for name, node in nodes.items()}


async def view_nodes(
    runtime: ReaderRuntime, document: str, memory: str, pages: list[int], nodes: Collection[str]
) -> MemoryView:
    """A view of these pages in full and of these nodes of the tree alone."""
    opened = await load_memory(runtime, MemoryState(document=document, memory=memory))
    summaries = await opened.summaries()
    older = [summaries[node] for node in nodes if node in summaries]
    return replace(await opened.view(pages), notes={}, older=older)


def format_parts(pages: list[int]) -> str:
    """Page numbers as people see them: "parts 3, 5", since a source may have pages of its own."""
    return with_numbers("part", pages)


def pages_text(pages: Iterable[ShownPage]) -> str:
    """Each page after its tag; its header, which is not part of the document, in brackets before the text."""
    return format_pages({page.number: f"[{page.header}]\n{page.text}" if page.header else page.text for page in pages})


def format_pages(bodies: Mapping[int, str]) -> str:
    """Texts of pages, each after a tag that occurs in none of them."""
    return tag_texts([(number, body.strip()) for number, body in bodies.items()])


def tag_texts(texts: Iterable[tuple[object, str]]) -> str:
    """Texts, each after a tag with its name, such as the number of its page; the tag occurs in none of them."""
    named = [*texts]
    tag = find_unused_name("page", [text for _, text in named])
    return "\n\n".join([f"<{tag} {name}>\n{text}" for name, text in named])


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

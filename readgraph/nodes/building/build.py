"""Build a memory: cut the document into pages and write a note for each as soon as it exists.

Progress is in the page store, so a killed build continues where it stopped. Of a file that was changed, the text before
and after the change keeps its pages and notes.
"""

import asyncio
from bisect import bisect_left
from collections.abc import Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from operator import attrgetter

from typing_extensions import TypedDict

from readgraph.library.corrections import correction_key, corrections_of, keep_correction, with_correction
from readgraph.library.page_store import PageStore, page_store
from readgraph.library.store import hold_build_lock
from readgraph.models.metering import current_meter, let_node_substitute
from readgraph.nodes.building.paging import no_note
from readgraph.nodes.building.parts import MakeParts, NotesSoFar, Pages, Paginate, Parts, WriteNote, in_parts, move_page
from readgraph.nodes.building.recipes import PurposeState, apply_notes_language, for_question, resolve_notes_language
from readgraph.nodes.building.summaries import delete_tree
from readgraph.nodes.contracts import ReaderRuntime, StepUpdate
from readgraph.nodes.search import AT_ONCE, open_ranker
from readgraph.nodes.step import MakeRecipe, StepNode, Work, node
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import Groups
from readgraph.state.errors import BudgetSpent, ReadgraphError
from readgraph.state.loops import raise_first_error
from readgraph.state.records import Document, Memory, Note, Page
from readgraph.state.transports import workers_for
from readgraph.state.words import format_count

__all__ = ["read_pages"]


@dataclass(frozen=True)
class UnchangedPages:
    """Pages of the earlier version at their places in the new text, and their notes by the page's start."""

    head: list[Page] = field(default_factory=list)
    tail: list[Page] = field(default_factory=list)
    notes: dict[int, Note] = field(default_factory=dict)


async def find_unchanged_pages(store: PageStore, document: Document, text: str, memory: Memory) -> UnchangedPages:
    """Unchanged pages and notes from the same recipe's memory of the file's newest earlier version; usually none.

    Of a beginning of a document they are from the document's own memory.
    """
    begun = [await store.document(document.kept_with)] if len(document.parts) == 1 else []
    earlier = begun or await store.other_versions(document)
    there = await store.memories(earlier[0].id) if earlier else []
    same = next((other for other in there if other.recipe.serves(memory.recipe)), None)
    if same is None:
        return UnchangedPages()
    old, pages = await store.text(earlier[0]), await store.pages(same.id, range(same.pages))
    notes = {note.page: note for note in await store.notes(same.id, range(same.pages))}
    same_before = _common(old, text)
    same_after = _common(old[same_before:][::-1], text[same_before:][::-1])
    # The end of the last page before the change was chosen with the old text in view, so it is cut again.
    head = [page for page in pages if page.end <= same_before][:-1]
    tail = [page for page in pages[len(head) :] if page.start >= len(old) - same_after]
    moved = [move_page(page, len(text) - len(old)) for page in tail]
    numbers = {page.start: page.number for page in [*head, *moved]}
    return UnchangedPages(head, moved, {start: notes[number] for start, number in numbers.items() if number in notes})


def keep_unchanged_pages(paginate: Paginate, kept: UnchangedPages) -> Paginate:
    """The kept pages, and new pages between them (the last of which may be small)."""

    async def paginate_changed_part(text: str, last: Page | None, runtime: ReaderRuntime) -> Pages:
        changed_to = kept.tail[0].start if kept.tail else len(text)
        for page in kept.head[last.number + 1 if last else 0 :]:
            last = page
            yield page
        async for page in paginate(text[:changed_to], last, runtime):
            last = page
            yield page
        for page in kept.tail:
            if last is None or page.start >= last.end:
                last = replace(page, number=last.number + 1 if last else 0)
                yield last

    return paginate_changed_part


async def keep_written_notes(
    write_note: WriteNote, kept: UnchangedPages, store: PageStore, document: Document, memory: Memory
) -> WriteNote:
    """The page's kept note, else a new one; with a user's correction beside it, so that it can be restored."""
    corrections = await corrections_of(store, document)

    async def write_missing_note(text: str, page: Page, runtime: ReaderRuntime) -> Note:
        if page.start in kept.notes:
            note = with_correction(replace(kept.notes[page.start], page=page.number), "")
        else:
            note = await write_note(text, page, runtime)
        if not corrections or (key := correction_key(memory.recipe.method, text)) not in corrections:
            return note
        await keep_correction(store, document.id, key, corrections[key])  # an earlier version may be forgotten
        return with_correction(note, corrections[key])

    return write_missing_note


def _common(one: str, other: str) -> int:
    """Length of the common beginning, by bisection: comparing slices is faster than comparing characters."""
    lengths = range(1, min(len(one), len(other)) + 1)
    return bisect_left(lengths, True, key=lambda length: one[:length] != other[:length])


AsksAgain = Callable[[Note], bool]  # says whether a note of an earlier reading is asked for again
MANY_PAGES = 200  # so large a memory is indexed when it is read: the first question need not wait for that
TOLD_EACH = 10  # notes after which is told how far so large a memory is
LEAST_WORDS = 10  # parts are taken to have more words than this, where a worker is made for each


class ReadState(PurposeState):
    document: str


class ReadWrites(TypedDict):
    memory: str


class ReadUpdate(ReadWrites, StepUpdate):
    """What reading writes: the id of the memory."""


def read_pages(
    paginate: Paginate,
    write_note: WriteNote,
    recipe: MakeRecipe,
    *,
    without_model: Parts | None = None,
    cuts_text: bool = True,
    builds: bool = True,
    settings: Groups = (),
) -> StepNode[ReadState, ReadUpdate]:
    """A node that builds memories with these parts, which need only texts (see `build_memory`).

    Args:
        paginate: Gives the pages of a text, one after the other.
        write_note: Writes the note of one page.
        recipe: Gives the recipe of the memory, whose parameters it takes from the context.
        without_model: The parts that serve where the context names no model, or the budget is spent.
        cuts_text: See `build_memory`.
        builds: The model writes notes, or cuts pages: the context's reading model, if it names one.
        settings: The groups of settings that the parts and the recipe read.

    Returns:
        The node.
    """
    parts = fixed_parts(paginate, write_note, cuts_text=cuts_text)
    instead = fixed_parts(*without_model, cuts_text=cuts_text) if without_model else None
    return read_with(parts, recipe, without_model=instead, cuts_text=cuts_text, builds=builds, settings=settings)


def cut_pages(
    paginate: Paginate, recipe: MakeRecipe, *, cuts_text: bool = True, settings: Groups
) -> StepNode[ReadState, ReadUpdate]:
    """A node that cuts a text into pages and writes no notes, for which it needs no model."""
    return read_pages(paginate, no_note, recipe, cuts_text=cuts_text, builds=False, settings=settings)


def fixed_parts(paginate: Paginate, write_note: WriteNote, *, cuts_text: bool) -> MakeParts:
    """The same parts for each text; where they cut it, they cut each document of a collection by itself."""

    async def parts(document: Document, notes: NotesSoFar, runtime: ReaderRuntime) -> Parts:
        return in_parts(paginate, document.parts) if cuts_text else paginate, write_note

    return parts


def read_with(
    make_parts: MakeParts,
    recipe: MakeRecipe,
    *,
    without_model: MakeParts | None = None,
    cuts_text: bool = True,
    builds: bool = True,
    settings: Groups = (),
) -> StepNode[ReadState, ReadUpdate]:
    """As `read_pages`, with parts that are made for each document (or collection, as a whole)."""

    def make_work(make_parts: MakeParts) -> Work[ReadState, ReadUpdate]:
        async def read(state: ReadState, runtime: ReaderRuntime) -> ReadUpdate:
            return await build_memory(state, runtime, make_parts, recipe, cuts_text=cuts_text)

        return read

    instead = make_work(without_model) if without_model else None
    return node(without_model=instead, builds=builds, settings=settings, recipe=recipe)(make_work(make_parts))


async def build_memory(
    state: ReadState,
    runtime: ReaderRuntime,
    make_parts: MakeParts,
    recipe: MakeRecipe,
    *,
    cuts_text: bool = True,
    asks_again: AsksAgain | None = None,
) -> ReadUpdate:
    """Build the document's memory, or use the existing one; after a spent budget the next reading continues it.

    `cuts_text`: pages are cut from the text, so the unchanged parts of a file that was read before keep their pages and
    notes. `asks_again`: which notes of an earlier reading are asked for again; by default, substitutes with `again`.
    """
    store = page_store(runtime)
    runtime = for_question(state, runtime) if getattr(recipe, "serves_purpose", False) else runtime
    again = asks_again or _test_for_substitutes(runtime.context)
    document = await store.document(state["document"])
    current, runtime = await apply_notes_language(recipe(runtime.context), document, runtime)
    memory = await store.open_memory(document.id, current, renew=runtime.context.rebuild)
    about = f", for {current.purpose}" if current.purpose else ""
    about += "" if memory.recipe.prompts == current.prompts else ", built with older prompts"
    if not await _is_done(store, memory, document, again):
        async with hold_build_lock(store.store, memory.id):
            memory = before = await store.memory(document.id, memory.id)  # others may have finished it meanwhile
            document = await store.document(document.id)
            if not await _is_done(store, before, document, again):
                build = _Build(store, runtime, make_parts, cuts_text, again, document, before)
                with let_node_substitute():  # a spent budget ends the build in order
                    memory = await build.complete()
                if memory.complete and memory.pages >= MANY_PAGES:
                    await open_ranker(store, await store.document(document.id), memory)
                after = f" after the {before.pages} before" if before.pages else ""
                did = f"read {format_count(memory.pages - before.pages, 'part')}{after}"
                return {"memory": memory.id, "step_summary": did + about}
    return {"memory": memory.id, "step_summary": f"took the memory of {format_count(memory.pages, 'part')}{about}"}


async def has_whole_memory(store: PageStore, document: Document, recipe: MakeRecipe, context: ReaderContext) -> bool:
    """Whether a node that builds with this recipe would find its memory of a document whole, and build nothing."""
    wanted, _ = await resolve_notes_language(recipe(context), document, context, store)
    memory = await store.find_memory(document.id, wanted, renew=context.rebuild)
    return memory is not None and await _is_done(store, memory, document, _test_for_substitutes(context))


def _test_for_substitutes(context: ReaderContext) -> AsksAgain | None:
    return attrgetter("is_substitute") if context.again else None


async def _is_done(store: PageStore, memory: Memory, document: Document, again: AsksAgain | None) -> bool:
    whole = memory.complete and memory.read_to == document.characters
    return whole and not (again and any(map(again, await store.notes(memory.id, range(memory.pages)))))


@dataclass
class _Build:
    """One build of a memory; after a failure or a spent budget only calls in flight are finished: they are paid for."""

    store: PageStore
    runtime: ReaderRuntime
    make_parts: MakeParts
    cuts_text: bool
    asks_again: AsksAgain | None
    document: Document
    memory: Memory
    notes: NotesSoFar = field(init=False)
    noted: int = 0
    note_words: int = 0
    to_note: asyncio.Queue[Page | None] = field(default_factory=asyncio.Queue)
    indexing: asyncio.Task[None] | None = None
    stopped_by: ReadgraphError | None = None

    async def complete(self) -> Memory:
        document, memory = self.document, await delete_tree(self.store, self.memory)
        # This is kept with the next page: the document may have grown.
        self.memory = memory = replace(memory, paged=False, complete=False, note_words=None)
        text = await self.store.text(document)
        unchanged_pages = (
            await find_unchanged_pages(self.store, document, text, memory) if self.cuts_text else UnchangedPages()
        )
        pages = await self.store.pages(memory.id, range(memory.pages))
        there = await self.store.notes(memory.id, range(memory.pages))
        notes = [note for note in there if not (self.asks_again and self.asks_again(note))]
        self.notes, self.noted, self.note_words = NotesSoFar(notes), len(notes), sum(note.words for note in notes)
        having = {note.page for note in notes}
        paginate, write_note = await self.make_parts(document, self.notes, self.runtime)
        write_note = await keep_written_notes(write_note, unchanged_pages, self.store, document, memory)
        for page in pages:
            if page.number not in having:
                self.to_note.put_nowait(page)
        writers = workers_for(self.runtime.context, document.words // LEAST_WORDS)
        with raise_first_error():
            async with asyncio.TaskGroup() as tasks:
                for _ in range(writers):
                    tasks.create_task(self._write_notes(text, write_note, tasks))
                last = pages[-1] if pages else None
                await self._cut_pages(keep_unchanged_pages(paginate, unchanged_pages)(text, last, self.runtime))
                for _ in range(writers):
                    self.to_note.put_nowait(None)
        paged = self.memory.read_to == document.characters
        complete = paged and self.noted == self.memory.pages
        words = self.note_words if complete else None
        self.memory = replace(self.memory, paged=paged, complete=complete, note_words=words)
        await self.store.put_memory(self.memory)
        if self.stopped_by and not isinstance(self.stopped_by, BudgetSpent):
            if not (there or self.noted):  # as where the key is refused: nothing is kept that holds nothing
                await self.store.drop_memory(document.id, memory.id)
            raise self.stopped_by
        return self.memory

    async def _cut_pages(self, cut: Pages) -> None:
        try:
            async with aclosing(cut) as pages:
                async for page in pages:
                    self.memory = await self.store.add_page(self.memory, page)
                    self._report()
                    self.to_note.put_nowait(page)
                    if self.stopped_by:
                        break
        except ReadgraphError as problem:
            self._stop(problem)

    async def _write_notes(self, text: str, write_note: WriteNote, tasks: asyncio.TaskGroup) -> None:
        while (page := await self.to_note.get()) and not self.stopped_by:
            try:
                note = await write_note(text[page.start : page.end], page, self.runtime)
            except ReadgraphError as problem:
                self._stop(problem)
                return
            await self.store.put_note(self.memory.id, note)
            self.notes.add(note)
            self.noted += 1
            self.note_words += note.words
            self._report()
            if self.noted >= MANY_PAGES and self.noted % AT_ONCE == 0 and (not self.indexing or self.indexing.done()):
                self.indexing = tasks.create_task(self._index_ahead())

    async def _index_ahead(self) -> None:
        """Index the pages that have notes while others are read; what goes wrong here is seen in the end."""
        with suppress(ReadgraphError):
            await open_ranker(self.store, self.document, self.memory)

    def _stop(self, problem: ReadgraphError) -> None:
        self.stopped_by = self.stopped_by or problem
        self.notes.stop(self.stopped_by)

    def _report(self) -> None:
        """Tell how far it is; of a long text not with every page, which would take a tenth of the time."""
        if self.noted > MANY_PAGES and self.noted % TOLD_EACH and self.noted < self.memory.pages:
            return
        of, pages, read_to = self.document.characters, self.memory.pages, self.memory.read_to
        done = (read_to + of * self.noted / max(pages, 1) * read_to / of) / 2
        built = {"document": self.document.id, "memory": self.memory.id}
        current_meter().report(**built, done=round(done), of=of, pages=pages, notes=self.noted)

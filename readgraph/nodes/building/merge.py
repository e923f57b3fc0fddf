"""Texts whose gists are too long: merge neighbouring pages until the gists fit (ReadAgent, appendix I).

The paper asks of each two pages in full whether the second begins something new, round by round. Here one call sees the
gists of as many pages as fit, and as many pages are joined at once as the gists need: an eighth of the calls of reading
at most, and not three quarters of them. Each round is a memory of its own, so that it is kept, resumed and paid for
like any other. If a round merges nothing, gists of gists stand for old pages (appendix G.3; `bounds`): each is
made once, so a page costs a third of a call.
"""

import asyncio
import math
from dataclasses import dataclass, field, replace
from itertools import chain

from readgraph.library.page_store import PageStore, page_store
from readgraph.library.store import hold_build_lock
from readgraph.models.asking import ask_reply
from readgraph.models.metering import count_fallback
from readgraph.models.prompt import versions_of
from readgraph.models.reply import restrict_reply
from readgraph.nodes.bounds import (
    FULL_TAG_WORDS,
    TAG_WORDS,
    content_room,
    gists_allowed,
    groups_that_fit,
    level_sizes,
    older_gist_words,
    older_gists,
)
from readgraph.nodes.building.build import ReadUpdate, build_memory, fixed_parts
from readgraph.nodes.building.notes import ask_gist, gist_prompt
from readgraph.nodes.building.paging import MERGE, BeginAnew, merge_prompt
from readgraph.nodes.building.parts import Pages
from readgraph.nodes.building.recipes import BuiltState, apply_notes_language, for_question, purpose_of
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.nodes.extractive import extract_for
from readgraph.nodes.memory import OpenedMemory, format_pages
from readgraph.nodes.step import node
from readgraph.state.context import ReaderContext
from readgraph.state.loops import all_finished
from readgraph.state.records import Memory, Note, Page, Recipe, TreeNode
from readgraph.state.settings import Gists, Language, Purpose, Window
from readgraph.state.summary_tree import FAN, older_id
from readgraph.state.words import count_words, format_count


async def gist_again(memory: Memory, runtime: ReaderRuntime) -> None:
    """Make the gists of gists that are missing above a memory's pages, level by level; each is kept when it is made."""
    store, most = page_store(runtime), older_gist_words(runtime.context)
    async with hold_build_lock(store.store, memory.id):
        older = await older_gists(store, memory.id, memory.pages, most)
        texts = {(gist.level, gist.number): gist.text for gist in older}
        texts |= {(0, note.page): note.text for note in await store.notes(memory.id, range(memory.pages))}
        for level, size in enumerate(level_sizes(memory.pages), 1):
            missing = [number for number in range(size) if (level, number) not in texts]
            below = {n: [texts[level - 1, n * FAN + part] for part in range(FAN)] for n in missing}
            made = await all_finished(_make_older_gist(store, memory.id, level, n, below[n], runtime) for n in missing)
            texts |= {(level, number): text for number, text in zip(missing, made, strict=True)}


async def _make_older_gist(
    store: PageStore, memory: str, level: int, number: int, below: list[str], runtime: ReaderRuntime
) -> str:
    """The gists below joined, or gisted again where they are too long together."""
    text, most, fallback = "\n\n".join(below), older_gist_words(runtime.context), False
    if (words := count_words(text)) > most:
        prompt = gist_prompt(text, most, purpose_of(runtime.context))
        note = await ask_gist(prompt, text, Page(number, 0, len(text), words, "rule"), runtime)
        text, fallback = note.text, note.fallback
        if count_words(text) > most:
            text = extract_for(runtime.context, text, most)
    node = TreeNode(older_id(most, level, number), text, count_words(text), compressed=True, fallback=fallback)
    await store.put_tree_node(memory, node)
    return text


MOST_ROUNDS, FEWEST_GIST_WORDS = 12, 20


def largest_page(context: ReaderContext) -> int:
    """Most words of a merged page: as many as can be read again beside the gists."""
    return content_room(context) - gists_allowed(context) - FULL_TAG_WORDS


async def merge_without_model(state: BuiltState, runtime: ReaderRuntime) -> ReadUpdate:
    """Without a model: use the memory as it is."""
    return {"memory": state["memory"], "step_summary": "kept all parts: no prompt needs to hold their gists"}


@node(without_model=merge_without_model, builds=True, settings=(Gists, Purpose, Language, Window))
async def merge(state: BuiltState, runtime: ReaderRuntime) -> ReadUpdate:
    """Merge pages, round by round, until their gists fit the window; else gists of gists stand for old pages."""
    store, runtime, allowed = page_store(runtime), for_question(state, runtime), gists_allowed(runtime.context)
    document, memory = await store.document_and_memory(state["document"], state["memory"])
    before = memory
    if not document.sessions:
        memory = await _merge_until_fit(before, {part.start for part in document.parts}, runtime)
    words, shown = await _gist_words(runtime, memory), memory.pages
    joined = "kept all parts"
    if memory.pages < before.pages:
        unmerged = await _gist_words(runtime, before) - TAG_WORDS * before.pages
        joined = f"merged {before.pages} parts with {unmerged:,} words of gists to {memory.pages}"
    if words > allowed and memory.complete:
        _, runtime = await apply_notes_language(memory.recipe, document, runtime)
        await gist_again(memory, runtime)
        opened = OpenedMemory(runtime, document, memory)
        notes, older = await opened.visible_notes(await opened.notes())
        shown = len(notes) + len(older)
        words = TAG_WORDS * shown + sum(note.words for note in notes.values()) + sum(gist.words for gist in older)
        joined += f", with {format_count(len(older), 'gist')} of gists for old parts"
    fit = f"{words - TAG_WORDS * shown:,} words of gists fit the window"
    if words > allowed:
        count_fallback("gists_too_long")
        fit = f"the gists don't fit, {words:,} words where {allowed:,} are allowed"
    return {"memory": memory.id, "step_summary": f"{joined}: {fit}"}


async def _merge_until_fit(memory: Memory, borders: set[int], runtime: ReaderRuntime) -> Memory:
    for number in range(1, MOST_ROUNDS + 1):
        if not memory.complete or await _gist_words(runtime, memory) <= gists_allowed(runtime.context):
            break
        grown = await _round(memory, number, borders, runtime)
        if not grown.complete or grown.pages == memory.pages:
            break  # the budget is spent, and a later reading continues this round; or nothing could be merged
        memory = grown
    return memory


async def _round(memory: Memory, number: int, borders: set[int], runtime: ReaderRuntime) -> Memory:
    """A memory in which so many neighbouring pages are joined that the gists are expected to fit."""
    store = page_store(runtime)
    pages = await store.pages(memory.id, range(memory.pages))
    gists = {note.page: note for note in await store.notes(memory.id, range(memory.pages))}
    merging = _MergedPages(pages, gists, borders, runtime)

    def recipe(context: ReaderContext) -> Recipe:
        parameters = {**memory.recipe.parameters, "merged": number, "window_words": context.window_words}
        return replace(memory.recipe, parameters=parameters, prompts={**memory.recipe.prompts, **versions_of(MERGE)})

    parts = fixed_parts(merging.paginate, merging.write_gist, cuts_text=False)
    update = await build_memory({"document": memory.document}, runtime, parts, recipe, cuts_text=False)
    return await store.memory(memory.document, update["memory"])


async def _gist_words(runtime: ReaderRuntime, memory: Memory) -> int:
    notes, words = (await page_store(runtime).note_sizes([memory]))[memory.id]
    return words + TAG_WORDS * notes


FEWEST_JOINED = 4
"""The fewest pages that are joined: so a round takes at most an eighth of the calls of reading, two of each page."""

SLACK = 0.8  # how much of the words that a gist may have it is asked for, since models write more


@dataclass
class _MergedPages:
    """One round: which pages are joined, and the gists of those that are; all others keep theirs."""

    pages: list[Page]
    gists: dict[int, Note]
    borders: set[int]  # where documents of a collection begin: no page crosses them
    runtime: ReaderRuntime
    finding: asyncio.Lock = field(default_factory=asyncio.Lock)
    groups: list[list[Page]] | None = None

    async def paginate(self, text: str, last: Page | None, runtime: ReaderRuntime) -> Pages:
        """The pages after the last one, of which each group that is worth a call is one."""
        done, number = (last.end, last.number + 1) if last else (0, 0)
        for group in await self.find_groups():
            if left := [page for page in group if page.start >= done]:
                words = sum(page.words for page in left)
                yield replace(left[-1], number=number, start=left[0].start, words=words)
                number += 1

    async def write_gist(self, text: str, page: Page, runtime: ReaderRuntime) -> Note:
        """The gist of a page that was joined, of so many words that all fit; a page that was not keeps its own."""
        groups = await self.find_groups()
        same = [one for one in self.pages if (one.start, one.end) == (page.start, page.end)]
        if same:
            return replace(self.gists[same[0].number], page=page.number)
        joined = [group for group in groups if len(group) > 1]
        own = sum(self._words(group[0]) for group in groups if len(group) == 1)
        room = SLACK * (gists_allowed(runtime.context) - own) / max(1, len(joined)) - TAG_WORDS
        most = max(FEWEST_GIST_WORDS, int(min(room, runtime.context.gist_words or room)))
        return await ask_gist(gist_prompt(text, most, purpose_of(runtime.context)), text, page, runtime)

    async def find_groups(self) -> list[list[Page]]:
        """The groups, found once."""
        async with self.finding:
            if self.groups is None:
                self.groups = self._join(self.borders | await self._find_beginnings())
        return self.groups

    def _join(self, beginnings: set[int]) -> list[list[Page]]:
        """Neighbours up to the next beginning, as many as a page may hold and the gists need; few stay apart."""
        context = self.runtime.context
        words = sum(map(self._words, self.pages))
        most = max(FEWEST_JOINED, math.ceil(words / (SLACK * gists_allowed(context))))
        groups, size = list[list[Page]](), 0
        for page in self.pages:
            size += page.words
            if not groups or page.start in beginnings or len(groups[-1]) == most or size > largest_page(context):
                groups.append([])
                size = page.words
            groups[-1].append(page)
        apart = ([[page] for page in group] if len(group) < FEWEST_JOINED else [group] for group in groups)
        return [*chain.from_iterable(apart)]

    async def _find_beginnings(self) -> set[int]:
        """Where the model says that something new begins; all pages of which no usable reply came begin something."""
        longest = max(map(self._words, self.pages))
        runs = [*groups_that_fit(self.pages, self._words, content_room(self.runtime.context) - longest)]
        before = [None, *(run[-1] for run in runs)]  # each run begins with the page before it
        shown = [[page, *run] if page else run for page, run in zip(before, runs, strict=False)]
        return {start for starts in await all_finished(map(self._ask, shown)) for start in starts}

    async def _ask(self, pages: list[Page]) -> set[int]:
        gists = format_pages({page.number: self.gists[page.number].text for page in pages})
        offered = restrict_reply(BeginAnew, begin_anew=[page.number for page in pages[1:]])
        reply = await ask_reply(self.runtime, merge_prompt(gists), offered, fallback="merge")
        return {page.start for page in pages[1:] if reply is None or page.number in reply.begin_anew}

    def _words(self, page: Page) -> int:
        return self.gists[page.number].words + TAG_WORDS

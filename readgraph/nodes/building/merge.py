"""Texts whose gists are too long: merge neighbouring pages until the gists fit (ReadAgent, appendix I).

Each round is a memory of its own, so that it is kept, resumed and paid for like any other. If a round merges nothing,
gists of gists stand for old pages (appendix G.3; `gist_levels`): each is made once, so a page costs a third of a call.
"""

from dataclasses import replace

from readgraph.library.page_store import PageStore, page_store
from readgraph.library.store import hold_build_lock
from readgraph.models.asking import ask
from readgraph.models.metering import count_fallback
from readgraph.models.prompt import versions_of
from readgraph.nodes.bounds import content_room
from readgraph.nodes.building.build import ReadUpdate, build_memory, fixed_parts
from readgraph.nodes.building.notes import gist_page, gist_prompt, make_gist_writer
from readgraph.nodes.building.paging import MERGE, BeginsAnew, merge_prompt
from readgraph.nodes.building.parts import Pages, number_pages
from readgraph.nodes.building.recipes import BuiltState, apply_notes_language, for_question
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.nodes.extractive import extract_for
from readgraph.nodes.gist_levels import (
    FULL_TAG_WORDS,
    TAG_WORDS,
    gists_allowed,
    level_sizes,
    older_gist_words,
    older_gists,
)
from readgraph.nodes.memory import OpenedMemory
from readgraph.nodes.purpose import purpose_of
from readgraph.nodes.step import node
from readgraph.nodes.tasks import all_finished
from readgraph.state.context import ReaderContext
from readgraph.state.records import Memory, Page, Recipe, TreeNode
from readgraph.state.settings import Gists, Language, Purpose, Window
from readgraph.state.summary_tree import FAN, older_id
from readgraph.state.words import count_words, format_count


async def gist_again(memory: Memory, runtime: ReaderRuntime) -> None:
    """Make the gists of gists that are missing above a memory's pages, level by level; each is kept when it is made."""
    store, most = page_store(runtime), older_gist_words(runtime.context)
    async with hold_build_lock(store.store, memory.id):
        known = await older_gists(store, memory.id, memory.pages, most)
        texts = {(gist.level, gist.number): gist.text for gist in known}
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
        gist = make_gist_writer(lambda passage, context: gist_prompt(passage, most, purpose_of(context)))
        note = await gist(text, Page(number, 0, len(text), words, "rule"), runtime)
        text, fallback = note.text, note.fallback
        if count_words(text) > most:
            text = extract_for(runtime.context, text, most)
    node = TreeNode(older_id(most, level, number), text, count_words(text), compressed=True, fallback=fallback)
    await store.put_tree_node(memory, node)
    return text


MOST_ROUNDS = 12


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
    document = await store.document(state["document"])
    memory = before = await store.memory(document.id, state["memory"])
    if not document.sessions:
        memory = await _merge_until_fit(before, {part.start for part in document.parts}, runtime)
    words, shown = await _gist_words(runtime, memory), memory.pages
    joined = f"merged {before.pages} parts to {memory.pages}" if memory.pages < before.pages else "kept all parts"
    if words > allowed and memory.complete:
        _, runtime = await apply_notes_language(memory.recipe, document, runtime)
        await gist_again(memory, runtime)
        notes, older = await OpenedMemory(runtime, document, memory).visible_notes()
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
    """A memory with pairs of pages of a document joined where the model says that the second begins nothing new."""
    store = page_store(runtime)
    pages = await store.pages(memory.id, range(memory.pages))

    def paginate(text: str, last: Page | None, runtime: ReaderRuntime) -> Pages:
        done = sum(page.end <= last.end for page in pages) if last else 0
        # If a reading was stopped within a pair, its first page was not joined, so the second isn't either.
        pairs = [pages[done : done + done % 2]]
        pairs += [pages[at : at + 2] for at in range(done + done % 2, len(pages), 2)]
        return number_pages((_merge_pair(text, pair, borders, runtime) for pair in pairs), last)

    def recipe(context: ReaderContext) -> Recipe:
        parameters = {**memory.recipe.parameters, "merged": number, "window_words": context.window_words}
        return replace(memory.recipe, parameters=parameters, prompts={**memory.recipe.prompts, **versions_of(MERGE)})

    parts = fixed_parts(paginate, gist_page, cuts_text=False)
    update = await build_memory({"document": memory.document}, runtime, parts, recipe, cuts_text=False)
    return await store.memory(memory.document, update["memory"])


async def _gist_words(runtime: ReaderRuntime, memory: Memory) -> int:
    notes = await page_store(runtime).notes(memory.id, range(memory.pages))
    return sum(note.words + TAG_WORDS for note in notes)


async def _merge_pair(text: str, pair: list[Page], borders: set[int], runtime: ReaderRuntime) -> list[Page]:
    together = sum(page.words for page in pair)
    if len(pair) < 2 or pair[1].start in borders or together > largest_page(runtime.context):
        return pair
    first, second = pair
    prompt = merge_prompt(text[first.start : first.end], text[second.start : second.end])
    reply = await ask(runtime, prompt, BeginsAnew, fallback="merge")
    if reply is None or reply.begins_anew != "no":
        return pair
    return [replace(second, start=first.start, words=first.words + second.words)]

"""Texts whose gists are too long: merge neighbouring pages until the gists fit the window (ReadAgent, appendix I).

Each round is a memory of its own, built from the previous one with the parts of `read_pages`, so that it is kept,
resumed and paid for like any other. If a round merges nothing, the gists of the oldest pages are gisted again.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.models.asking import ask
from readgraph.models.metering import fell_back
from readgraph.nodes.building.build import read_pages
from readgraph.nodes.building.gists import gist_page
from readgraph.nodes.building.interfaces import Paginate, WriteNote
from readgraph.nodes.prompts import merge as merge_words
from readgraph.nodes.prompts.merge import BeginsAnew, merge_prompt
from readgraph.nodes.step import step_with
from readgraph.nodes.tasks import in_order
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.page_store import page_store
from readgraph.state.reading import Usage
from readgraph.state.records import Memory, Note, Page, Recipe
from readgraph.state.settings import Gists, Window

GISTS_SHARE = 0.5
"""Share of the window that gists may take; the rest is for pages that are read again."""

LARGEST_PAGE_SHARE = 0.125
"""Most words of a merged page, as a share of the window: a page that can't be read again would be useless."""

MOST_ROUNDS = 12


class MergeState(TypedDict):
    """What merging reads."""

    document: str
    memory: str
    usage: NotRequired[Usage]


class MergeUpdate(TypedDict):
    """What merging writes."""

    memory: str
    step_summary: str


async def merge_without_model(state: MergeState, runtime: Runtime[ReaderContext]) -> MergeUpdate:
    """Without a model: use the memory as it is."""
    return {"memory": state["memory"], "step_summary": "kept all pages: no prompt needs to hold their gists"}


@step_with(without_model=merge_without_model, builds=True, settings=(Gists, Window))
async def merge(state: MergeState, runtime: Runtime[ReaderContext]) -> MergeUpdate:
    """Merge pages, round by round, until their gists fit the window; a memory that fits is used as it is."""
    store = page_store(runtime)
    allowed = int(GISTS_SHARE * runtime.context.window_words)
    borders = {part.start for part in (await store.document(state["document"])).parts}
    memory = before = await store.memory(state["document"], state["memory"])
    words, merging = await _gist_words(runtime, memory), True
    for number in range(1, MOST_ROUNDS + 1):
        if words <= allowed or not memory.complete:
            break
        pages = await store.pages(memory.id, range(memory.pages))
        notes = await store.notes(memory.id, range(memory.pages))
        paginate, write = (_pairs(pages, borders), gist_page) if merging else (_same(pages), _fading(notes))
        grown = await _round(memory, number, paginate, write, runtime)
        if not grown.complete:  # the budget is spent: use the previous round; a later reading continues this one
            break
        merging = merging and grown.pages < memory.pages
        memory, words = grown, await _gist_words(runtime, grown)
    if memory == before:
        return {"memory": memory.id, "step_summary": f"kept all pages: {words:,} words of gists fit the window"}
    return {
        "memory": memory.id,
        "step_summary": f"merged {before.pages} pages to {memory.pages}, {words:,} words of gists",
    }


async def _round(
    memory: Memory, number: int, paginate: Paginate, write: WriteNote, runtime: Runtime[ReaderContext]
) -> Memory:
    def recipe(context: ReaderContext) -> Recipe:
        before = memory.recipe
        parameters = {**before.parameters, "merged": number, "window_words": context.window_words}
        prompts = {**before.prompts, merge_words.NAME: merge_words.VERSION}
        return replace(before, parameters=parameters, prompts=prompts)

    update = await read_pages(paginate, write, recipe, cuts_text=False)({"document": memory.document}, runtime)
    return await page_store(runtime).memory(memory.document, update["memory"])


async def _gist_words(runtime: Runtime[ReaderContext], memory: Memory) -> int:
    return sum(note.words for note in await page_store(runtime).notes(memory.id, range(memory.pages)))


def _pairs(pages: list[Page], borders: set[int]) -> Paginate:
    """The pages, with each pair joined if the model says that the second page begins nothing new.

    Pages are never joined across two documents.
    """

    async def merged(text: str, last: Page | None, runtime: Runtime[ReaderContext]) -> AsyncGenerator[Page, None]:
        done = sum(page.end <= last.end for page in pages) if last else 0
        number = last.number + 1 if last else 0
        # If a reading was stopped within a pair, its first page was not joined, so the second isn't either.
        alone = pages[done : done + done % 2]
        pairs = [pages[at : at + 2] for at in range(done + done % 2, len(pages), 2)]
        for page in alone:
            yield replace(page, number=number)
            number += 1
        async with aclosing(in_order(_joined(text, pair, borders, runtime) for pair in pairs)) as joined:
            async for group in joined:
                for page in group:
                    yield replace(page, number=number)
                    number += 1

    return merged


async def _joined(text: str, pair: list[Page], borders: set[int], runtime: Runtime[ReaderContext]) -> list[Page]:
    largest = LARGEST_PAGE_SHARE * runtime.context.window_words
    if len(pair) == 1 or pair[1].start in borders or pair[0].words + pair[1].words > largest:
        return pair
    first, second = pair
    prompt = merge_prompt(text[first.start : first.end], text[second.start : second.end])
    try:
        reply = await ask(runtime, prompt, BeginsAnew)
    except NoUsableReply:
        fell_back("merge")
        return pair
    if reply.begins_anew != "no":
        return pair
    return [replace(second, start=first.start, words=first.words + second.words)]


def _same(pages: list[Page]) -> Paginate:
    """The same pages again."""

    async def again(text: str, last: Page | None, runtime: Runtime[ReaderContext]) -> AsyncGenerator[Page, None]:
        for page in pages[last.number + 1 if last else 0 :]:
            yield page

    return again


def _fading(notes: list[Note]) -> WriteNote:
    """Gists of gists for the older half of the pages; the others keep theirs (appendix G: older is fuzzier)."""
    kept = {note.page: note for note in notes}

    async def fade(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
        note = kept[page.number]
        if page.number >= len(notes) // 2:
            return note
        shorter = await gist_page(note.text, page, runtime)
        return shorter if shorter.words < note.words else note

    return fade

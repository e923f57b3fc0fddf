"""Summaries: of segments, in the tree above them, and the running one (MemWalker, sections 3, 4.3, appendix A.1).

The tree grows level by level, and nodes are kept when they are made, so a killed build continues where it stopped. If
text was appended, recorded replies answer for the groups on the left: only the right edge of the tree is paid for.

The running summary is carried from piece to piece of 2,500 tokens, itself 500 at most (section 4.3): a chain of calls.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from readgraph.library.page_store import PageStore, page_store
from readgraph.library.store import hold_build_lock
from readgraph.library.stored_items import ROOT
from readgraph.models.asking import ask_text
from readgraph.models.metering import count_fallback, current_meter
from readgraph.models.prompt import DATA_RULE, Prompt, declare_wording, fenced
from readgraph.nodes.building.notes import ask_gist
from readgraph.nodes.building.paging import even_ends
from readgraph.nodes.building.recipes import BuiltState, apply_notes_language, for_question, purpose_line, purpose_of
from readgraph.nodes.building.unfit_notes import why_unfit
from readgraph.nodes.contracts import ReaderRuntime, StepUpdate
from readgraph.nodes.extractive import extract_for
from readgraph.nodes.extractive.gists import extract_gist
from readgraph.nodes.memory import OpenedMemory
from readgraph.nodes.prompts import note_line, number_parts
from readgraph.nodes.step import node
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BudgetSpent, ReadgraphError
from readgraph.state.loops import raise_first_error
from readgraph.state.records import Memory, Note, Page, TreeNode
from readgraph.state.settings import Language, Purpose, Tree
from readgraph.state.summary_tree import TreeShape, node_id, tree_ids
from readgraph.state.transports import workers_for
from readgraph.state.words import LONGEST_WORD, count_words, first_words, last_words

__all__ = ["grow"]

SUMMARY = declare_wording(
    "summary",
    "You summarise passages of a longer text, so that somebody who reads only your summaries can tell what stands "
    "where. Keep names, numbers, places, and who does or says what. " + DATA_RULE,
    "{known}Summarise the whole passage above as one fluent text{keep}. {before}Reply with the summary only.",
    keep=", and keep above all what serves that",
    before="What stands in before comes just before it: use it to understand the passage, and don't summarise it. ",
)


def summary_prompt(segment: str, purpose: str = "", before: str = "") -> Prompt:
    """Ask for the summary of a segment, in running text.

    `purpose` says what it is for, where that is known; `before` is the text before the segment (section 3 conditions
    a leaf on all earlier segments).
    """
    known = purpose_line("summary", purpose)
    return SUMMARY.ask(
        fenced("before", before) if before else "", fenced("passage", segment), known=known, keep=known, before=before
    )


COMPRESS = declare_wording(
    "compress",
    "You compress summaries of neighbouring parts of a long text. Keep of each part what tells it from the others: "
    "names, events, subjects. " + DATA_RULE,
    "{known}Shorten each of the {parts} parts above to its main points, in their order: at most {most_words} words for "
    "all of them together.{keep} Reply with the shortened text only, without headings or tags.",
    keep=" Keep above all what serves that, and of each part what tells it from the others.",
)


def compress_prompt(summaries: Sequence[str], most_words: int, purpose: str = "") -> Prompt:
    """Ask for each summary in much shorter form, in their order; `purpose`: what they are for, or ""."""
    known = purpose_line("shortened text", purpose)
    values = {"known": known, "keep": known, "parts": len(summaries), "most_words": most_words}
    return COMPRESS.ask(fenced("memory", number_parts(summaries)), **values)


RUNNING_SUMMARY = declare_wording(
    "running_summary",
    "You read a long text piece by piece. Of what you have read you keep nothing but one summary, which you write anew "
    "after each piece. Keep names, numbers, places, and who does or says what. " + DATA_RULE,
    "{anew}{first}, in at most {most_words} words. Reply with the summary only.",
    anew="Write the summary anew, so that it tells what it told before and what the passage adds",
    first="Summarise the passage",
)


def running_summary_prompt(summary: str, passage: str, most_words: int) -> Prompt:
    """Ask for the summary of all that was read so far; with the first piece there is none yet."""
    parts = [fenced("summary", summary) if summary else "", fenced("passage", passage)]
    return RUNNING_SUMMARY.ask(*parts, anew=summary, first=not summary, most_words=most_words)


LONGEST = 2  # a compressed text that is longer than this many times the requested length is not used

Compress = Callable[[Sequence[str], ReaderRuntime], Awaitable[tuple[str, bool]]]
"""Gives the children's texts in short, within the context's `node_words`, and whether that is a fall-back."""


async def summarise(text: str, page: Page, runtime: ReaderRuntime) -> Note:
    """The segment's summary, never longer than the segment; after three unusable replies, an extractive one."""
    before, wanted = "", runtime.context.earlier_words
    if wanted and page.start:
        store = page_store(runtime)
        document = await store.document(current_meter().document)
        (near,) = await store.spans(document, [(max(0, page.start - wanted * LONGEST_WORD), page.start)])
        before = last_words(near, wanted)
    prompt = summary_prompt(text, purpose_of(runtime.context), before)
    return await ask_gist(prompt, text, page, runtime, fallback="summary")


async def compress(texts: Sequence[str], runtime: ReaderRuntime) -> tuple[str, bool]:
    """The model's version; if it gives none, or one that is too long, the extractive version."""
    limit = runtime.context.node_words
    prompt = compress_prompt(texts, limit, purpose_of(runtime.context)).adding(note_line(runtime.context.language))
    complaint = partial(why_unfit, text="\n\n".join(texts), prompt=prompt)
    compressed = await ask_text(runtime, prompt, complaint, fallback="compress")
    if compressed is not None:
        if count_words(compressed) <= LONGEST * limit:
            return compressed, False
        count_fallback("compress")
    return (await compress_by_extract(texts, runtime))[0], True


async def compress_by_extract(texts: Sequence[str], runtime: ReaderRuntime) -> tuple[str, bool]:
    """The most important sentences of each child, with the same share of the limit for each."""
    limit = runtime.context.node_words
    kept = [extract_for(runtime.context, text, max(1, limit // len(texts))) for text in texts]
    return first_words("\n\n".join(kept), limit), False


async def _grow_tree(state: BuiltState, compress: Compress, runtime: ReaderRuntime) -> StepUpdate:
    store, runtime = page_store(runtime), for_question(state, runtime)
    memory = await store.memory(state["document"], state["memory"])
    if memory.recipe.model and compress is compress_by_extract:
        return {"step_summary": "grew no tree: it waits for its model"}
    if not memory.complete:
        return {"step_summary": "grew no tree: segments wait for their summaries"}
    counts = TreeShape.final_tree(memory).counts
    sizes = " + ".join(f"{count:,}" for count in counts)
    if memory.levels == counts[1:]:
        return {"step_summary": f"took the tree of {sizes} nodes"}
    document = await store.document(memory.document)
    _, writing = await apply_notes_language(memory.recipe, document, runtime)
    async with hold_build_lock(store.store, memory.id):
        memory = await store.memory(document.id, memory.id)
        grown = await _Growth(OpenedMemory(writing, document, memory), compress).complete()
    whole = grown.levels == counts[1:]
    return {"step_summary": f"grew a tree of {sizes} nodes" if whole else "grew a part of the tree"}


async def delete_tree(store: PageStore, memory: Memory) -> Memory:
    """The memory without the tree above its pages: in a history that grows its right edge changes."""
    await store.delete((ROOT, "tree", memory.id), tree_ids(memory))
    return replace(memory, levels=(), branches=(), headings=())


async def grow_without_model(state: BuiltState, runtime: ReaderRuntime) -> StepUpdate:
    """Grow the tree of a memory that was built without a model; other trees wait for their model or a new budget."""
    return await _grow_tree(state, compress_by_extract, runtime)


@node(without_model=grow_without_model, builds=True, settings=(Tree, Purpose, Language), needs=("children",))
async def grow(state: BuiltState, runtime: ReaderRuntime) -> StepUpdate:
    """Grow the tree of summaries above the segments, level by level. A later reading goes on after a spent budget."""
    return await _grow_tree(state, compress, runtime)


@dataclass
class _Growth:
    """One build of a tree. After a failure nothing new is started; calls in flight are finished and kept."""

    memory: OpenedMemory
    compress: Compress
    stopped_by: ReadgraphError | None = None

    def __post_init__(self) -> None:
        self.shape = TreeShape.final_tree(self.memory.record)
        self.nodes = sum(self.memory.record.levels)

    async def complete(self) -> Memory:
        grown = self.memory.record
        for level in range(len(grown.levels) + 1, len(self.shape.counts)):
            await self._grow(level)
            if self.stopped_by:
                break
            grown = replace(grown, levels=(*grown.levels, self.shape.counts[level]))
            await self.memory.store.put_memory(grown)
        if self.stopped_by and not isinstance(self.stopped_by, BudgetSpent):
            raise self.stopped_by
        return grown

    async def _grow(self, level: int) -> None:
        ids = [node_id(level, number) for number in range(self.shape.counts[level])]
        there = await self.memory.nodes(ids)
        missing = [name for name in ids if name not in there]
        below = await self.memory.nodes([child for name in missing for child in self.shape.children(name)])
        texts = {child: self.shape.text_with_heading(child, node.text) for child, node in below.items()}
        self.nodes += len(there)
        waiting, record, of = iter(missing), self.memory.record, sum(self.shape.counts[1:])

        async def write_nodes() -> None:
            for name in waiting:
                if self.stopped_by:
                    return
                try:
                    written = await self._write_node(name, [texts[child] for child in self.shape.children(name)])
                except ReadgraphError as problem:
                    self.stopped_by = self.stopped_by or problem
                    return
                await self.memory.store.put_tree_node(record.id, written)
                self.nodes += 1
                sizes = {"done": self.nodes, "of": of, "pages": record.pages, "notes": record.pages + self.nodes}
                current_meter().report(memory=record.id, **sizes)

        with raise_first_error():
            async with asyncio.TaskGroup() as tasks:
                for _ in range(workers_for(self.memory.runtime.context, len(missing))):
                    tasks.create_task(write_nodes())

    async def _write_node(self, node: str, texts: list[str]) -> TreeNode:
        """The children's texts joined, or compressed if they are too long together."""
        joined = "\n\n".join(texts)
        if (words := count_words(joined)) <= self.memory.runtime.context.node_words:
            return TreeNode(node, joined, words)
        text, fallback = await self.compress(texts, self.memory.runtime)
        return TreeNode(node, text, count_words(text), compressed=True, fallback=fallback)


PIECE_WORDS, SUMMARY_WORDS = 1875, 375


def piece_words(context: ReaderContext) -> int:
    """Words of a piece: as in the paper, or as many as fit the window together with the summary."""
    return min(PIECE_WORDS, context.window_words - SUMMARY_WORDS)


async def summarise_on(text: str, page: Page, runtime: ReaderRuntime) -> Note:
    """The summary at the end of the page. A reply beyond the limit is cut, an unusable one replaced by an extract."""
    summary, fallback = "", False
    for piece in _pieces(text, runtime.context):
        prompt = running_summary_prompt(summary, piece, SUMMARY_WORDS).adding(note_line(runtime.context.language))
        known = f"{summary}\n\n{piece}"
        complaint = partial(why_unfit, text=known, prompt=prompt)
        reply = await ask_text(runtime, prompt, complaint, fallback="running_summary")
        fallback |= reply is None
        summary = _extend_summary(summary, piece) if reply is None else first_words(reply, SUMMARY_WORDS)
    return Note(page.number, summary, count_words(summary), fallback)


async def extract_on(text: str, page: Page, runtime: ReaderRuntime) -> Note:
    """The same without a model: an extractive summary of the summary so far and the piece."""
    summary = ""
    for piece in _pieces(text, runtime.context):
        summary = _extend_summary(summary, piece)
        await asyncio.sleep(0)  # lets others work between two pieces
    return Note(page.number, summary, count_words(summary))


def _pieces(text: str, context: ReaderContext) -> Iterator[str]:
    start = 0
    for end, _ in even_ends(text, 0, piece_words(context), context.paragraph_break):
        current_meter().report(done=start, of=len(text), pages=1, notes=0)
        yield text[start:end]
        start = end


def _extend_summary(summary: str, piece: str) -> str:
    return extract_gist(f"{summary}\n\n{piece}", SUMMARY_WORDS)

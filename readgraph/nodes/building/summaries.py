"""Notes of a summary tree: for each segment, and for each group of notes (MemWalker, section 3 and appendix A.1)."""

from collections.abc import Awaitable, Callable, Sequence

from langgraph.runtime import Runtime

from readgraph.models.asking import ask_text
from readgraph.models.metering import fell_back
from readgraph.nodes.building.gists import no_longer_than
from readgraph.nodes.extractive import extract_for
from readgraph.nodes.prompts.building.summaries import compress_prompt, summary_prompt
from readgraph.nodes.prompts.style import note_line
from readgraph.nodes.purpose import purpose_of
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.records import Note, Page
from readgraph.state.words import count_words, first_words

LONGEST = 2
"""A compressed text that is longer than this many times the requested length is not used."""

Compress = Callable[[Sequence[str], Runtime[ReaderContext]], Awaitable[tuple[str, bool]]]
"""Gives the children's texts in short, within the context's `node_words`, and whether that is a fall-back."""


async def summarise(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
    """The segment's summary, never longer than the segment; after three unusable replies, an extractive one."""
    prompt = summary_prompt(text, purpose_of(runtime.context)).adding(note_line(runtime.context.language))
    try:
        summary, fallback = await ask_text(runtime, prompt, no_longer_than(page)), False
    except NoUsableReply:
        fell_back("summary")
        summary, fallback = extract_for(runtime.context, text), True
    return Note(page.number, summary, count_words(summary), fallback)


async def compress(texts: Sequence[str], runtime: Runtime[ReaderContext]) -> tuple[str, bool]:
    """The model's version; if it gives none, or one that is too long, the extractive version."""
    limit = runtime.context.node_words
    prompt = compress_prompt(texts, limit, purpose_of(runtime.context)).adding(note_line(runtime.context.language))
    try:
        compressed = await ask_text(runtime, prompt)
        if count_words(compressed) <= LONGEST * limit:
            return compressed, False
    except NoUsableReply:
        pass
    fell_back("compress")
    return (await compress_by_extract(texts, runtime))[0], True


async def compress_by_extract(texts: Sequence[str], runtime: Runtime[ReaderContext]) -> tuple[str, bool]:
    """The most important sentences of each child, with the same share of the limit for each."""
    limit = runtime.context.node_words
    kept = [extract_for(runtime.context, text, max(1, limit // len(texts))) for text in texts]
    return first_words("\n\n".join(kept), limit), False

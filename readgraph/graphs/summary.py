"""A summary of a document or a part of it, at a wanted length, from its notes; and what it will use.

Sentences are cited and checked. Estimates count the reading where notes are missing, the writing, the checking.
"""

import math
from dataclasses import replace
from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.graphs import read_agent
from readgraph.graphs.estimates.arithmetic import (
    NONE,
    TAG_WORDS,
    Estimate,
    Range,
    estimate_calls,
    exactly,
    frame_words,
    may_be_recorded,
)
from readgraph.graphs.estimates.read_agent import estimate_gist_reading
from readgraph.graphs.methods import Method
from readgraph.graphs.read_agent import recipe
from readgraph.graphs.wiring import MethodGraph, Node, add_nodes, check_wiring, fit_context, with_channels
from readgraph.library.page_store import PageStore
from readgraph.nodes.answering.verdicts import MOST_SENTENCES, check_summary_prompt
from readgraph.nodes.bounds import content_room
from readgraph.nodes.prompts import MOST_NOTE_LINE_WORDS
from readgraph.nodes.purpose import with_question
from readgraph.nodes.summary.begin import CONDENSED, choose, make_read_if_needed, memory_there, open_summary
from readgraph.nodes.summary.check import check, cite_summary
from readgraph.nodes.summary.write import MOST_AT_ONCE, MOST_ROUNDS, write, write_summary_prompt
from readgraph.state.context import ReaderContext
from readgraph.state.records import Document
from readgraph.state.summary import Summarised, SummaryState, SummaryWanted

__all__ = ["build", "graph", "read"]

METHOD = Method(
    name="summary",
    kind="row",
    line="A summary, where a question asks for one; each sentence is checked.",
    note="gist",
    estimate="summary:estimate_summary_row",
    served="Summarises a long document, or a part of it, at a wanted length; each sentence is checked and cited.",
    order=10,
)

read = make_read_if_needed(read_agent.read)


def build(
    *,
    open: Node = open_summary,
    read: Node = read,
    choose: Node = choose,
    write: Node = write,
    check: Node = check,
    cite: Node = cite_summary,
    state: type[Any] = SummaryState,
) -> StateGraph[SummaryState, ReaderContext, SummaryWanted, Summarised]:
    """Take or make the notes, choose those of the part, write sentence by sentence, check each, and cite.

    Every argument is a node, and `state` a class derived from `SummaryState`, as in `readgraph.graphs.read_agent`.
    Raises `BadInput` where a node reads a key that no earlier node writes.
    """
    builder = MethodGraph(
        with_channels(state, SummaryState),
        context_schema=ReaderContext,
        input_schema=SummaryWanted,
        output_schema=Summarised,
    )
    add_nodes(builder, open=open, read=read, choose=choose, write=write, check=check, cite=cite)
    for before, after in zip(
        (START, "open", "read", "choose", "write", "check", "cite"),
        ("open", "read", "choose", "write", "check", "cite", END),
        strict=True,
    ):
        builder.add_edge(before, after)
    fit_context(builder)
    check_wiring(builder)
    return builder


graph = build().compile(name="summary")


SENTENCE_WORDS = 20
"""Expected words of a sentence."""

VERDICT_WORDS = 15
"""Expected words of what is said of a sentence, with a quote."""


async def estimate_summary(
    store: PageStore, document: Document, context: ReaderContext, about: str = "", *, part: str | None = None
) -> Estimate:
    """What a summary will use, without a call; of a part, what one of all the text would use is the upper bound."""
    context = with_question(context, about) if about else context
    reader = replace(context, model=context.reading_model or context.model)
    there = None if context.rebuild else await memory_there(store, document, reader, recipe(reader))
    if there:
        sizes = await store.note_sizes([there])
        reading, notes = Estimate(), exactly(sizes[there.id][1] + TAG_WORDS * there.pages)
    else:
        reading, seen = await estimate_gist_reading(store, document, context, merges=False)
        notes = seen.gists
    estimate = reading + _estimate_write_and_check(document, notes, context, about, part)
    if await may_be_recorded(store):
        estimate = estimate.perhaps_none()
    return estimate.within(context.max_calls)


async def estimate_summary_row(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """The same for a row of an evaluation, which always has ReadAgent's memory; without a question, of that alone."""
    reading, seen = await estimate_gist_reading(store, document, context, merges=False)
    if question_words is None:
        return reading
    return reading + _estimate_write_and_check(document, seen.gists, context, "word " * question_words, None)


def _estimate_write_and_check(
    document: Document, notes: Range, context: ReaderContext, about: str, part: str | None
) -> Estimate:
    """Writing and checking, where notes of so many words are there."""
    if not context.model:
        return Estimate()
    enough = notes.expected >= CONDENSED * context.summary_words
    expected = notes.expected if enough else float(document.words)
    most = max(notes.high or 0, (1 + TAG_WORDS) * document.words)
    shown = Range(0, min(expected, most), most)
    return _estimate_summary_writing(shown, context, about, part) + _estimate_summary_check(document, context)


def _estimate_summary_writing(shown: Range, context: ReaderContext, about: str, part: str | None) -> Estimate:
    room, words = content_room(context, about), context.summary_words
    pieces = math.ceil(words / min(MOST_AT_ONCE, room // 2))
    assert shown.high is not None
    groups = NONE
    if shown.high > room:
        expected = math.ceil(shown.expected / room) if shown.expected > room * pieces else 0
        groups = Range(0, expected, MOST_ROUNDS * (3 * math.ceil(shown.high / room) + 2 * pieces))
    instructions = frame_words(write_summary_prompt("", 1, words, about).words) + Range(0, 0, MOST_NOTE_LINE_WORDS)
    calls = groups + Range(1, 1 if part else pieces, pieces)
    each = shown.expected / max(calls.expected, 1)
    prompt = Range(0, instructions.expected + min(each, room), context.window_words)
    return estimate_calls(calls, prompt, min(words, MOST_AT_ONCE) / max(1, calls.expected / pieces))


def _estimate_summary_check(document: Document, context: ReaderContext) -> Estimate:
    if not context.check_sentences:
        return Estimate()
    sentences = math.ceil(context.summary_words / SENTENCE_WORDS)
    calls = Range(0, math.ceil(sentences / MOST_SENTENCES), context.summary_words)
    pages = MOST_SENTENCES * (context.min_page_words + context.max_page_words) / 2
    most = (1 + TAG_WORDS) * document.words + 2 * context.summary_words
    prompt = frame_words(check_summary_prompt("", []).words) + Range(0, min(pages, document.words), most)
    return estimate_calls(
        calls, prompt.at_most(context.window_words), MOST_SENTENCES * (SENTENCE_WORDS + VERDICT_WORDS)
    )

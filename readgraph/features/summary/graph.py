"""A summary of a document or a part of it, at a wanted length, from its notes; and what it will use.

Sentences are cited and checked. Estimates count the reading where notes are missing, the writing, the checking.
"""

import math
from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.features.summary import begin as begin_types
from readgraph.features.summary import write as write_types
from readgraph.features.summary.begin import CONDENSED, choose, make_read_if_needed, memory_there, open_summary
from readgraph.features.summary.state import Summarised, SummaryState, SummaryWanted
from readgraph.features.summary.write import MOST_AT_ONCE, MOST_ROUNDS, check, cite_summary, write, write_summary_prompt
from readgraph.graphs import read_agent
from readgraph.graphs.estimates.arithmetic import (
    NONE,
    NOTE_LINE,
    SENTENCE_WORDS,
    TAG_WORDS,
    VERDICT_WORDS,
    Estimate,
    EstimateCase,
    Range,
)
from readgraph.graphs.read_agent import estimate_gist_reading, recipe
from readgraph.graphs.wiring import add_nodes, add_path, begin_graph, complete_graph
from readgraph.library.page_store import PageStore
from readgraph.nodes.answering.verdicts import CHECK_SUMMARY, MOST_SENTENCES, check_sentences_prompt
from readgraph.nodes.bounds import content_room
from readgraph.nodes.building.build import ReadState, ReadWrites
from readgraph.nodes.contracts import Node
from readgraph.nodes.purpose import with_question
from readgraph.state.context import ReaderContext
from readgraph.state.records import Document

__all__ = ["build", "graph", "read"]

read = make_read_if_needed(read_agent.read)


@complete_graph
def build(
    *,
    open: Node[begin_types.SummaryOpenState, begin_types.SummaryOpenUpdate] = open_summary,
    read: Node[ReadState, ReadWrites] = read,
    choose: Node[begin_types.ChooseState, begin_types.ChooseUpdate] = choose,
    write: Node[write_types.WriteState, write_types.WriteUpdate] = write,
    check: Node[write_types.CheckState, write_types.CheckUpdate] = check,
    cite: Node[write_types.CheckState, write_types.CiteSummaryUpdate] = cite_summary,
    state: type[Any] = SummaryState,
) -> StateGraph[SummaryState, ReaderContext, SummaryWanted, Summarised]:
    """Take or make the notes, choose those of the part, write sentence by sentence, check each, and cite."""
    builder = begin_graph(state, SummaryState, SummaryWanted, Summarised)
    add_nodes(builder, open=open, read=read, choose=choose, write=write, check=check, cite=cite)
    add_path(builder, START, "open", "read", "choose", "write", "check", "cite", END)
    return builder


graph = build().compile(name="summary")


async def estimate_summary(
    store: PageStore, document: Document, context: ReaderContext, about: str = "", *, part: str | None = None
) -> Estimate:
    """What a summary will use, without a call; of a part, what one of all the text would use is the upper bound."""
    case = EstimateCase(store, document, with_question(context, about) if about else context)
    there = None if context.rebuild else await memory_there(store, document, case.reader, recipe(case.reader))
    if there:
        sizes = await store.note_sizes([there])
        reading, notes = Estimate(), Range.of(sizes[there.id][1] + TAG_WORDS * there.pages)
    else:
        reading, seen = await estimate_gist_reading(case, merges=False)
        notes = seen.gists
    return await case.bound(reading + _estimate_write_and_check(case, notes, about, part))


async def estimate_summary_row(case: EstimateCase) -> Estimate:
    """The same for a row of an evaluation, which always has ReadAgent's memory; without a question, of that alone."""
    reading, seen = await estimate_gist_reading(case, merges=False)
    if not case.asks:
        return reading
    return reading + _estimate_write_and_check(case, seen.gists, "word " * case.question_words)


def _estimate_write_and_check(case: EstimateCase, notes: Range, about: str, part: str | None = None) -> Estimate:
    """Writing and checking, where notes of so many words are there."""
    context, document = case.context, case.document
    if not context.model:
        return Estimate()
    room, words = content_room(context, about), context.summary_words
    expected = notes.expected if notes.expected >= CONDENSED * words else float(document.words)
    most = max(notes.most, (1 + TAG_WORDS) * document.words)
    shown = min(expected, most)
    pieces = math.ceil(words / min(MOST_AT_ONCE, room // 2))
    groups = NONE
    if most > room:
        likely = math.ceil(shown / room) if shown > room * pieces else 0
        groups = Range(0, likely, MOST_ROUNDS * (3 * math.ceil(most / room) + 2 * pieces))
    calls = groups + Range(1, 1 if part else pieces, pieces)
    instructions = Range.frame(write_summary_prompt("", 1, words, about).words) + NOTE_LINE
    each = min(shown / max(calls.expected, 1), room)
    prompt = Range(0, instructions.expected + each, context.window_words)
    writing = Estimate.of(calls, prompt, min(words, MOST_AT_ONCE) / max(1, calls.expected / pieces))
    if not context.check_sentences:
        return writing
    sentences = math.ceil(words / SENTENCE_WORDS)
    pages = MOST_SENTENCES * (context.min_page_words + context.max_page_words) / 2
    beside = Range(0, min(pages, document.words), (1 + TAG_WORDS) * document.words + 2 * words)
    prompt = (Range.frame(check_sentences_prompt(CHECK_SUMMARY, "", []).words) + beside).at_most(context.window_words)
    times = Range(0, math.ceil(sentences / MOST_SENTENCES), words)
    return writing + Estimate.of(times, prompt, MOST_SENTENCES * (SENTENCE_WORDS + VERDICT_WORDS))

"""overwrite-memory: notes on the question, written anew at each page (MemAgent, Yu et al., 2025).

Notes have a fixed size, so any length can be read at linear cost. What was overwritten can be searched from any later
page, after "Look Back to Reason Forward" (Shi et al., 2025).
"""

from dataclasses import replace
from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.features.overwrite import question_notes
from readgraph.features.overwrite.note_taking import (
    MOST_TURNS,
    LastNotesState,
    NotesState,
    NotesUpdate,
    answer,
    write_notes,
)
from readgraph.features.overwrite.opening import NotesOpenUpdate, open_for_notes
from readgraph.features.overwrite.settings import NoteTaking
from readgraph.features.overwrite.state import NoteTakingOutput, NoteTakingState
from readgraph.graphs.estimates.arithmetic import ANSWER_LINE, NONE, NOTE_LINE, PERHAPS, Estimate, EstimateCase, Range
from readgraph.graphs.wiring import add_nodes, add_path, add_question, add_search, begin_graph, complete_graph
from readgraph.nodes.answering.cite import cite
from readgraph.nodes.answering.prompts import answer_from_notes_prompt
from readgraph.nodes.building.build import ReadState, ReadWrites, cut_pages
from readgraph.nodes.building.paging import even_pages
from readgraph.nodes.building.recipes import recipe_of_pages
from readgraph.nodes.contracts import AnswerWrites, CiteState, CiteWrites, Node
from readgraph.nodes.opening import OpenState
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Question
from readgraph.state.settings import Paragraphs, Rebuilding, Window

__all__ = ["build", "graph"]

recipe = recipe_of_pages("overwrite-memory", question_notes.chunk_words)

read = cut_pages(
    even_pages(question_notes.chunk_words),
    recipe,
    cuts_text=False,
    settings=(NoteTaking, Window, Paragraphs, Rebuilding),
)


@complete_graph
def build(
    *,
    open: Node[OpenState, NotesOpenUpdate] = open_for_notes,
    read: Node[ReadState, ReadWrites] = read,
    write_notes: Node[NotesState, NotesUpdate] = write_notes,
    answer: Node[LastNotesState, AnswerWrites] = answer,
    cite: Node[CiteState, CiteWrites] = cite,
    state: type[Any] = NoteTakingState,
) -> StateGraph[NoteTakingState, ReaderContext, Question, NoteTakingOutput]:
    """The paper's workflow: the pages one after the other, with the notes between them, then the answer."""
    builder = begin_graph(state, NoteTakingState, Question, NoteTakingOutput)
    add_nodes(builder, open=open, read=read, write_notes=write_notes, answer=answer, cite=cite)
    add_path(builder, START, "open", "read")
    add_question(builder, "read", "write_notes")
    add_search(builder, "write_notes", "write_notes", loop=("write_notes",), most=lambda context: MOST_TURNS)
    add_path(builder, "answer", "cite", END)
    return builder


graph = build().compile(name="overwrite_memory")


NOTES_SHARE, ADDED_WORDS = 0.25, 30
"""Expected words of the notes, as a share of the most that they may have; and words that a page adds until then."""


BLOCK_TAG = 3  # most words before a block of the notes, and for an empty one


async def estimate_overwrite_memory(case: EstimateCase) -> Estimate:
    """A call for each part and one for the answer; a question that takes much of the window has prompts cut."""
    if not case.asks:
        return Estimate()
    context, words = case.context, case.document.words
    left = await case.unread(recipe(case.context))
    pages = Range.of_pages(words, question_notes.chunk_words(context))
    if left.complete and left.memory:
        pages = Range.of(left.memory.pages)
    most = question_notes.most_note_words(context)
    last = min(NOTES_SHARE * most, ADDED_WORDS * pages.expected)
    growing = last / ADDED_WORDS  # pages until the notes stay as long as they are
    mean = last * (1 - (growing - 1) / 2 / max(pages.expected, 1))
    gates = {name: getattr(context, name) for name in ("look_back", "update_gate", "exit_gate")}
    block = 1 if context.heads > 1 else None
    first, later = (  # with the first page there are no notes yet
        question_notes.take_notes_prompt("", shown, shown, "", {}, page=0, most_words=768, block=block, **gates).words
        for shown in ("", "…")
    )
    found = Range(0, 0, question_notes.most_found_words(context))
    beside = Range(Range.frame(first).low, (first + later) / 2, later) + NOTE_LINE + Range(0, mean, most)
    beside += (found if context.look_back else NONE) + case.question
    beside += Range(0, 0, BLOCK_TAG * context.heads if block else 0)
    reading = Estimate.of(pages, beside, mean).with_text(words, pages)
    if context.exit_gate:  # the first part may be enough
        reading = replace(reading.perhaps_none(), calls=replace(reading.calls, low=min(1, reading.calls.low)))
    if case.question_words > context.window_words // question_notes.QUESTION_SHARE:
        reading = replace(reading, input_words=reading.input_words.perhaps_none())
    # Nobody is asked for the answer where nothing was noted.
    prompt = Range.frame(answer_from_notes_prompt("", "", "", {"A": "", "B": ""}).words) + ANSWER_LINE
    shown = Range(0, last, most) + found + case.question
    return reading + Estimate.of(PERHAPS, prompt + shown, case.answer_words(quotes=False))

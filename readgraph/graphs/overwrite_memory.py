"""overwrite-memory: notes on the question, written anew at each page (MemAgent, Yu et al., 2025).

The notes have a fixed size, so the cost is linear in the text, and any length can be read: estimates count a call for
each part, and one for the answer. What was overwritten can be searched from any later page, after "Look Back to Reason
Forward" (Shi et al., 2025).
"""

from dataclasses import replace
from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.graphs.estimates.arithmetic import (
    NONE,
    Estimate,
    Range,
    add_text_words,
    answer_words,
    estimate_calls,
    even_page_count,
    exactly,
    frame_words,
    unread,
)
from readgraph.graphs.methods import Method
from readgraph.graphs.wiring import MethodGraph, Node, add_nodes, check_wiring, choosing, fit_context, with_channels
from readgraph.library.page_store import PageStore
from readgraph.nodes.answering.ask import answer_from_notes_prompt
from readgraph.nodes.answering.cite import cite
from readgraph.nodes.bounds import SearchProgress, within_loop_limit
from readgraph.nodes.building.build import cut_pages
from readgraph.nodes.building.paging import even_pages
from readgraph.nodes.contracts import AskedState
from readgraph.nodes.note_taking import MOST_TURNS, answer, write_notes
from readgraph.nodes.opening import open_for_notes
from readgraph.nodes.prompts import MOST_ANSWER_LINE_WORDS, MOST_NOTE_LINE_WORDS
from readgraph.nodes.question_notes import (
    QUESTION_SHARE,
    chunk_words,
    most_found_words,
    most_note_words,
    take_notes_prompt,
)
from readgraph.state.channels import NoteTakingOutput, NoteTakingState
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Question
from readgraph.state.records import Document, Recipe
from readgraph.state.settings import NoteTaking, Paragraphs, Rebuilding, Window

__all__ = ["build", "graph"]

METHOD = Method(
    name="overwrite-memory",
    line="Notes on the question, written anew at each part.",
    estimate="overwrite_memory:estimate_overwrite_memory",
    order=7,
)


def recipe(context: ReaderContext) -> Recipe:
    """The recipe of the pages, which need no model and serve all questions."""
    parameters = {"words": chunk_words(context), "paragraph_break": context.paragraph_break}
    return Recipe("overwrite-memory", parameters, model="")


READING = (NoteTaking, Window, Paragraphs, Rebuilding)
read = cut_pages(even_pages(chunk_words), recipe, cuts_text=False, settings=READING)


def choose_question_or_end(state: AskedState) -> str:
    """Go on to the question, if there is one."""
    return "write_notes" if state["question_text"] else END


def choose_read_or_answer(state: SearchProgress) -> str:
    """Read on to the end of the text, then answer."""
    reading = state["continue_search"] and within_loop_limit(state, ("write_notes",), lambda context: MOST_TURNS)
    return "write_notes" if reading else "answer"


def build(
    *,
    open: Node = open_for_notes,
    read: Node = read,
    write_notes: Node = write_notes,
    answer: Node = answer,
    cite: Node = cite,
    state: type[Any] = NoteTakingState,
) -> StateGraph[NoteTakingState, ReaderContext, Question, NoteTakingOutput]:
    """The paper's workflow: the pages one after the other, with the notes between them, then the answer.

    Every argument is a node: one of readgraph's, or a plain function or coroutine `(state, runtime) -> update`; but
    `state`, which may be a class derived from `NoteTakingState`, with channels of your own. Raises `BadInput` where a
    node reads a key that no earlier node writes.
    """
    builder = MethodGraph(
        with_channels(state, NoteTakingState),
        context_schema=ReaderContext,
        input_schema=Question,
        output_schema=NoteTakingOutput,
    )
    add_nodes(builder, open=open, read=read, write_notes=write_notes, answer=answer, cite=cite)
    builder.add_edge(START, "open")
    builder.add_edge("open", "read")
    builder.add_conditional_edges("read", choosing(choose_question_or_end), ["write_notes", END])
    builder.add_conditional_edges("write_notes", choosing(choose_read_or_answer), ["write_notes", "answer"])
    builder.add_edge("answer", "cite")
    builder.add_edge("cite", END)
    fit_context(builder)
    check_wiring(builder)
    return builder


graph = build().compile(name="overwrite_memory")


NOTES_SHARE, ADDED_WORDS = 0.25, 30
"""Expected words of the notes, as a share of the most that they may have; and words that a page adds until then."""


async def estimate_overwrite_memory(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What overwrite-memory will use: nothing without a question, since pages are cut without a model.

    The text is sent once for each question, with the notes and the question beside each part. Where the question takes
    more of the window than its share, prompts are cut, and there is no lower bound of the words sent.
    """
    if question_words is None or not context.model:
        return Estimate()
    left = await unread(store, document, recipe(context), context)
    pages = even_page_count(document.words, chunk_words(context))
    if left.complete and left.memory:
        pages = exactly(left.memory.pages)
    beside, notes = _beside(context, question_words, pages), _notes(context, pages, halfway=True)
    reading = add_text_words(document.words, pages, estimate_calls(pages, beside, notes.expected))
    if question_words > context.window_words // QUESTION_SHARE:
        reading = replace(reading, input_words=reading.input_words.perhaps_none())
    return reading + _answer(context, question_words, pages)


def _notes(context: ReaderContext, pages: Range, *, halfway: bool = False) -> Range:
    """The words of the notes after these pages; `halfway`: on average, while the pages are read."""
    most = most_note_words(context)
    full, read = NOTES_SHARE * most, pages.expected
    last = min(full, ADDED_WORDS * read)
    growing = last / ADDED_WORDS  # pages until the notes stay as long as they are
    mean = last * (1 - (growing - 1) / 2 / max(read, 1))
    return Range(0, mean if halfway else last, most)


def _beside(context: ReaderContext, question_words: int, pages: Range) -> Range:
    """The words of a prompt beside the page: with the first page there are no notes yet."""
    first, later = (
        take_notes_prompt("", shown, shown, "", {}, page=0, most_words=768, look_back=context.look_back).words
        for shown in ("", "…")
    )
    prompt = Range(frame_words(first).low, (first + later) / 2, later + MOST_NOTE_LINE_WORDS)
    found = Range(0, 0, most_found_words(context)) if context.look_back else NONE
    return prompt + _notes(context, pages, halfway=True) + found + exactly(question_words)


def _answer(context: ReaderContext, question_words: int, pages: Range) -> Estimate:
    """The answer, for which nobody is asked where nothing was noted."""
    prompt = frame_words(answer_from_notes_prompt("", "", "", {"A": "", "B": ""}).words) + Range(
        0, 0, MOST_ANSWER_LINE_WORDS
    )
    shown = _notes(context, pages) + Range(0, 0, most_found_words(context)) + exactly(question_words)
    return estimate_calls(Range(0, 1, 1), prompt + shown, answer_words(context, quotes=False))

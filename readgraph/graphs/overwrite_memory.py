"""overwrite-memory: the question in view, page by page, with notes written anew after each (MemAgent, Yu et al., 2025).

The notes have a fixed size, so the cost is linear in the text, and any length can be read. What was overwritten can be
searched from any later page, after "Look Back to Reason Forward" (Shi et al., 2025).
"""

from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.graphs.wiring import MethodGraph, Node, add_nodes, check_wiring, choosing, fit_context, with_channels
from readgraph.nodes.answering.citing import cite
from readgraph.nodes.bounds import Looking, may_go_on
from readgraph.nodes.building.build import read_pages
from readgraph.nodes.building.even_pages import even_pages, no_note
from readgraph.nodes.contracts import AskedState
from readgraph.nodes.note_taking.answer import answer
from readgraph.nodes.note_taking.sizes import chunk_words
from readgraph.nodes.note_taking.writing import MOST_TURNS, write_notes
from readgraph.nodes.opening import open_for_notes
from readgraph.nodes.step import StepNode
from readgraph.state.channels.note_taking import Noted, NoteTakingState
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Question
from readgraph.state.records import Recipe
from readgraph.state.settings import NoteTaking, Paragraphs, Rebuilding, Window

__all__ = ["build", "graph"]


def recipe(context: ReaderContext) -> Recipe:
    """The recipe of the pages, which need no model and serve all questions."""
    parameters = {"words": chunk_words(context), "paragraph_break": context.paragraph_break}
    return Recipe("overwrite-memory", parameters, model="")


read = StepNode(
    read_pages(even_pages(chunk_words), no_note, recipe, cuts_text=False),
    settings=(NoteTaking, Window, Paragraphs, Rebuilding),
)


def is_asked(state: AskedState) -> str:
    """Go on to the question, if there is one."""
    return "write_notes" if state["question_text"] else END


def still_reading(state: Looking) -> str:
    """Read on to the end of the text, then answer."""
    reading = state["continue_search"] and may_go_on(state, ("write_notes",), lambda context: MOST_TURNS)
    return "write_notes" if reading else "answer"


def build(
    *,
    open: Node = open_for_notes,
    read: Node = read,
    write_notes: Node = write_notes,
    answer: Node = answer,
    cite: Node = cite,
    state: type[Any] = NoteTakingState,
) -> StateGraph[NoteTakingState, ReaderContext, Question, Noted]:
    """The paper's workflow: the pages one after the other, with the notes between them, then the answer.

    Every argument is a node: one of readgraph's, or a plain function or coroutine `(state, runtime) -> update`; but
    `state`, which may be a class derived from `NoteTakingState`, with channels of your own. Raises `BadInput` where a
    node reads a key that no earlier node writes.
    """
    builder = MethodGraph(
        with_channels(state, NoteTakingState), context_schema=ReaderContext, input_schema=Question, output_schema=Noted
    )
    add_nodes(builder, open=open, read=read, write_notes=write_notes, answer=answer, cite=cite)
    builder.add_edge(START, "open")
    builder.add_edge("open", "read")
    builder.add_conditional_edges("read", choosing(is_asked), ["write_notes", END])
    builder.add_conditional_edges("write_notes", choosing(still_reading), ["write_notes", "answer"])
    builder.add_edge("answer", "cite")
    builder.add_edge("cite", END)
    fit_context(builder)
    check_wiring(builder)
    return builder


graph = build().compile(name="overwrite_memory")

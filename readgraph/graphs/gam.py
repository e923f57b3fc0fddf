"""GAM: a memorizer keeps a light memory of a growing history, a researcher finds what a question needs in its pages."""

from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.graphs.wiring import add_nodes
from readgraph.nodes.memorizing import extracted, memorized
from readgraph.nodes.opening import open_document
from readgraph.nodes.prompts import memorize as words
from readgraph.nodes.reading_pages import build_memory
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Answered, Question, ReadingState
from readgraph.state.records import Recipe


def recipe(context: ReaderContext) -> Recipe:
    """What a GAM memory is made with."""
    parameters = {
        "session_page_words": context.session_page_words,
        "paragraph_break": context.paragraph_break,
        "sample": context.sample,
    }
    if context.model:
        parameters |= {
            "memory_words": context.memory_words,
            "block": context.block,
            "two_calls": context.two_calls,
        }
    prompts = {words.NAME: words.VERSION} if context.model else {}
    return Recipe("gam", parameters, context.model, prompts)


memorizer = StepNode(
    build_memory(memorized, recipe),
    without_model=build_memory(extracted, recipe),
    builds=True,
)


def build_memorize(
    *, open: Any = open_document, memorize: Any = memorizer
) -> StateGraph[ReadingState, ReaderContext, Question, Answered]:
    """The offline stage (figure 1): what is new of a document or a history gets its pages, memos and headers."""
    builder = StateGraph(ReadingState, context_schema=ReaderContext, input_schema=Question, output_schema=Answered)
    add_nodes(builder, open=open, memorize=memorize)
    builder.add_edge(START, "open")
    builder.add_edge("open", "memorize")
    builder.add_edge("memorize", END)
    return builder


memorize = build_memorize().compile(name="gam_memorize")

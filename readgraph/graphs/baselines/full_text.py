"""The full text: answer from all of it; chunk by chunk where it is longer than the window (GAM's long-LLM row)."""

from functools import partial

from readgraph.graphs.baselines.in_a_line import in_a_line
from readgraph.nodes.answering_each import answer_from_each
from readgraph.nodes.fixed_look_ups import every_page
from readgraph.nodes.plain_pages import even_pages, no_note
from readgraph.nodes.reading_pages import read_pages
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.records import Recipe


def recipe(context: ReaderContext) -> Recipe:
    """What the chunks are made with; no model is needed for them."""
    return Recipe("full-text", {"words": chunk_words(context), "paragraph_break": context.paragraph_break}, model="")


def chunk_words(context: ReaderContext) -> int:
    """A chunk has at most the words of the window."""
    return context.window_words


read = StepNode(read_pages(even_pages(chunk_words), no_note, recipe, cuts_text=False))

build = partial(in_a_line, read=read, look_up=every_page, answer=answer_from_each)
"""Every argument is a node, as in `in_a_line`."""

graph = build().compile(name="full_text")

"""The full text: answer from all of it; chunk by chunk where it is longer than the window (GAM's long-LLM row)."""

from functools import partial

from readgraph.graphs.baselines.linear import linear
from readgraph.nodes.answering.each_page import answer_from_each
from readgraph.nodes.building.build import read_pages
from readgraph.nodes.building.even_pages import even_pages, no_note
from readgraph.nodes.look_up.fixed import every_page
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.records import Recipe
from readgraph.state.settings import Paragraphs, Rebuilding, Window

__all__ = ["build", "graph"]


def recipe(context: ReaderContext) -> Recipe:
    """The recipe of the chunks, which need no model."""
    return Recipe("full-text", {"words": chunk_words(context), "paragraph_break": context.paragraph_break}, model="")


def chunk_words(context: ReaderContext) -> int:
    """A chunk has at most the words of the window."""
    return context.window_words


read = StepNode(
    read_pages(even_pages(chunk_words), no_note, recipe, cuts_text=False), settings=(Window, Paragraphs, Rebuilding)
)

build = partial(linear, read=read, look_up=every_page, answer=answer_from_each)
"""Every argument is a node, as in `linear`."""

graph = build().compile(name="full_text")

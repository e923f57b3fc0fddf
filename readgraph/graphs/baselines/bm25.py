"""Retrieval: answer from the segments that BM25 ranks first (GAM's RAG row; ReadAgent's and MemWalker's retrieval)."""

from functools import partial

from readgraph.graphs.baselines.linear import linear
from readgraph.nodes.answering.answer import answer_from_segments
from readgraph.nodes.building.build import read_pages
from readgraph.nodes.building.even_pages import even_pages, no_note
from readgraph.nodes.look_up.retrieval import retrieve
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.records import Recipe
from readgraph.state.settings import Paragraphs, Rebuilding, Segments, Window

__all__ = ["build", "graph", "read"]


def recipe(context: ReaderContext) -> Recipe:
    """The recipe of the segments; they need no model, and every kind of retrieval uses the same ones."""
    return Recipe("segments", {"words": segment_words(context), "paragraph_break": context.paragraph_break}, model="")


def segment_words(context: ReaderContext) -> int:
    """A segment has at most `retrieval_words` (by default GAM's 2,048 tokens, section 3.1), and those of the window."""
    return min(context.retrieval_words, context.window_words)


read = StepNode(
    read_pages(even_pages(segment_words), no_note, recipe), settings=(Segments, Window, Paragraphs, Rebuilding)
)

build = partial(linear, read=read, look_up=retrieve, answer=answer_from_segments)
"""Every argument is a node, as in `linear`."""

graph = build().compile(name="bm25")

"""Retrieval: answer from the segments that BM25 ranks first (GAM's RAG row; ReadAgent's and MemWalker's retrieval)."""

from functools import partial

from readgraph.graphs.baselines.in_a_line import in_a_line
from readgraph.nodes.plain_pages import even_pages, no_note
from readgraph.nodes.reading_pages import read_pages
from readgraph.nodes.retrieving import retrieve
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.records import Recipe


def recipe(context: ReaderContext) -> Recipe:
    """What the segments are made with; no model is needed for them, and every kind of retrieval finds the same."""
    return Recipe("segments", {"words": segment_words(context), "paragraph_break": context.paragraph_break}, model="")


def segment_words(context: ReaderContext) -> int:
    """A segment has at most `retrieval_words` (by default GAM's 2,048 tokens, section 3.1), and those of the window."""
    return min(context.retrieval_words, context.window_words)


read = StepNode(read_pages(even_pages(segment_words), no_note, recipe))

build = partial(in_a_line, read=read, look_up=retrieve)
"""Every argument is a node, as in `in_a_line`."""

graph = build().compile(name="bm25")

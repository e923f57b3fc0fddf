"""The beginning of the text and no more (ReadAgent's truncated rows, table 3; MemWalker's "keep left", table 2)."""

from functools import partial

from readgraph.graphs.baselines.linear import linear
from readgraph.nodes.building.build import read_pages
from readgraph.nodes.building.even_pages import cut_once, no_note, words_kept
from readgraph.nodes.look_up.fixed import first_page
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.records import Recipe
from readgraph.state.settings import Excerpt, Rebuilding, Window

__all__ = ["build", "graph"]


def recipe(context: ReaderContext) -> Recipe:
    """The recipe of the cut, which needs no model."""
    return Recipe("first-words", {"words": words_kept(context)}, model="")


read = StepNode(
    read_pages(cut_once(words_kept, "first"), no_note, recipe, cuts_text=False), settings=(Excerpt, Window, Rebuilding)
)

build = partial(linear, read=read, look_up=first_page)
"""Every argument is a node, as in `linear`."""

graph = build().compile(name="first_words")

"""The end of the text and no more (ReadAgent's truncated rows, table 3; MemWalker's "keep right", table 2)."""

from functools import partial

from readgraph.graphs.baselines.in_a_line import in_a_line
from readgraph.nodes.fixed_look_ups import last_page
from readgraph.nodes.plain_pages import cut_once, no_note, words_kept
from readgraph.nodes.reading_pages import read_pages
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.records import Recipe


def recipe(context: ReaderContext) -> Recipe:
    """What the cut is made with; no model is needed for it."""
    return Recipe("last-words", {"words": words_kept(context)}, model="")


read = StepNode(read_pages(cut_once(words_kept, "last"), no_note, recipe, cuts_text=False))

build = partial(in_a_line, read=read, look_up=last_page)
"""Every argument is a node, as in `in_a_line`."""

graph = build().compile(name="last_words")

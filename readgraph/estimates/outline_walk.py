"""What a walk along an outline will use: the segments and the tree of sections are known before any call is made."""

from dataclasses import replace
from statistics import fmean

from readgraph.estimates.arithmetic import NONE, Estimate, Range, unread
from readgraph.estimates.mem_walker import (
    compressing,
    foreseen_reading,
    summarising,
    walking,
    walking_levels,
    weighing,
)
from readgraph.graphs.hybrids.outline_walk import recipe
from readgraph.nodes.building.outline import outline_of, segments_by_outline
from readgraph.nodes.building.outline_tree import branches_over
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document
from readgraph.state.summary_tree import SectionTree, section_tree
from readgraph.state.words import count_words

CUT_AGAIN = 2
"""Segments by which a changed file, whose other segments are kept, may exceed one that is read for the first time."""


async def estimate_outline_walk(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What reading the rest along the document's outline will use, and a walk for a question of `question_words`.

    Without an outline it is MemWalker's estimate, of a memory with this method's recipe.
    """
    asks_model = question_words is not None and bool(context.model)
    outline = await outline_of(store, document, context)
    if outline is None:
        building, pages = await foreseen_reading(store, document, context, recipe)
        if question_words is None or not asks_model:
            return building
        return building + walking(pages, context, question_words) + weighing(context, question_words)
    text = await store.text(document)
    pages_made = list(segments_by_outline(outline, document, text, context))
    tree = section_tree(*branches_over(pages_made, outline, context.children))
    building = await _building(store, document, context, tree)
    if question_words is None or not asks_model:
        return building
    depths = [1 + len(tree.path(f"0.{page.number}")) for page in pages_made]
    walk = walking_levels(fmean(depths), max(depths) + 1, context, question_words, heading=_heading(tree))
    return building + walk + weighing(context, question_words)


async def _building(store: PageStore, document: Document, context: ReaderContext, tree: SectionTree) -> Estimate:
    """Summaries of the segments that have none, and of the sections above them."""
    builder = replace(context, model=context.reading_model or context.model)
    if not builder.model:
        return Estimate()
    left = await unread(store, document, recipe(builder), context)
    missing = max(0, tree.counts[0] - left.notes)
    summaries = summarising(Range(missing, missing, missing + CUT_AGAIN if missing else 0), context)
    if left.memory and left.complete and left.memory.levels == tree.counts[1:]:
        return summaries
    inner = sum(tree.counts[1:])
    return summaries + compressing(Range(0, inner, inner + CUT_AGAIN), context, _heading(tree))


def _heading(tree: SectionTree) -> Range:
    """Words of a node's heading."""
    words = [count_words(heading) for heading in tree.headings.values()]
    return Range(0, fmean(words), max(words)) if words else NONE

"""MemWalker's walk over the document's own table of contents: its tree has the sections of the outline as nodes.

A balanced tree groups neighbours, whatever they are about. Authors have grouped their text already, and given each
group a name: a walk that reads headings beside summaries decides as a reader does with a table of contents.

What it will use: the segments and the tree of sections are known before any call is made. The bounds are MemWalker's
for such a tree. What to expect is counted over this tree, whose segments may be short.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean

from readgraph.graphs import mem_walker
from readgraph.graphs.estimates.arithmetic import NONE, TAG_WORDS, Estimate, Range, Unread, unread, with_expected
from readgraph.graphs.estimates.mem_walker import (
    COMPRESSED_SHARE,
    SUMMARY_SHARE,
    estimate_compression,
    estimate_finding_weighing,
    estimate_segment_summaries,
    estimate_tree_reading,
    estimate_walk,
    estimate_walk_levels,
)
from readgraph.graphs.methods import Method
from readgraph.library.page_store import PageStore
from readgraph.nodes.building.outline import SECTIONS, branches_over, outline_of, read_by_outline, segments_by_outline
from readgraph.nodes.building.summaries import summarise
from readgraph.nodes.extractive import extract_note
from readgraph.nodes.purpose import serves_purpose
from readgraph.state.context import ReaderContext
from readgraph.state.records import Document, Page, Recipe
from readgraph.state.settings import Language, Paragraphs, Purpose, Rebuilding, Tree
from readgraph.state.summary_tree import SectionTree, node_id, section_tree
from readgraph.state.words import count_words

__all__ = ["build", "graph"]

METHOD = Method(
    name="outline-walk",
    line="MemWalker's walk along the text's own outline.",
    note="summary",
    estimate="hybrids.outline_walk:estimate_outline_walk",
    order=22,
)


@serves_purpose
def recipe(context: ReaderContext) -> Recipe:
    """The recipe of such a memory: MemWalker's, under a name of its own, with the version of how sections are cut."""
    walkers = mem_walker.recipe(context)
    return replace(walkers, method="outline-walk", parameters={**walkers.parameters, "sections": SECTIONS})


READING = (Tree, Paragraphs, Purpose, Language, Rebuilding)
read = read_by_outline(summarise, recipe, without_model=extract_note, settings=READING)

build = partial(mem_walker.build, read=read)
"""MemWalker's graph with this `read` node; every argument is a node, as there."""

graph = build().compile(name="outline_walk")


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
        building, segments = await estimate_tree_reading(store, document, context, recipe)
        if question_words is None or not asks_model:
            return building
        return (
            building
            + estimate_walk(segments, context, question_words)
            + estimate_finding_weighing(context, question_words)
        )
    text = await store.text(document)
    pages = list(segments_by_outline(outline, document, text, context))
    tree = section_tree(*branches_over(pages, outline, context.children))
    typical, (words, compressed) = _typical(tree, pages, context), _texts(tree, pages, context)
    building = Estimate()
    builder = replace(context, model=context.reading_model or context.model)
    if builder.model:
        left = await unread(store, document, recipe(builder), context)
        building = with_expected(
            *(_estimate_outline_building(left, tree, compressed, each) for each in (context, typical))
        )
    if question_words is None or not asks_model:
        return building
    depths, shown = zip(*(_way(tree, page, words, context) for page in pages), strict=True)
    depth = fmean(depths)
    walk, expected = (
        estimate_walk_levels(depth, max(depths) + 1, context, question_words, heading=_heading(tree), seen_words=seen)
        for seen in (None, fmean(shown) / depth)
    )
    return building + with_expected(walk, expected) + estimate_finding_weighing(context, question_words)


def _way(tree: SectionTree, page: Page, words: Mapping[str, float], context: ReaderContext) -> tuple[int, float]:
    """Decisions on the way to a page, and the words that they show: the children at each node, then the page.

    The notes of the nodes above stand beside them, unless nothing is carried.
    """
    path, shown, carried = tree.path(node_id(0, page.number)), 0.0, 0.0
    for node in path:
        shown += carried + sum(words[child] + _label_words(tree, child) for child in tree.children(node))
        carried += 0 if context.working_memory == "off" else words[node] + _label_words(tree, node)
    return 1 + len(path), shown + carried + page.words


def _label_words(tree: SectionTree, node: str) -> int:
    """Words of a node's tag and heading."""
    return TAG_WORDS + count_words(tree.heading(node))


def _estimate_outline_building(left: Unread, tree: SectionTree, compressed: int, context: ReaderContext) -> Estimate:
    """Summaries of the segments that have none, and of the sections above them, of which so many are compressed."""
    missing = max(0, tree.counts[0] - left.notes)
    summaries = estimate_segment_summaries(Range(missing, missing, missing + CUT_AGAIN if missing else 0), context)
    if left.memory and left.complete and left.memory.levels == tree.counts[1:]:
        return summaries
    inner = sum(tree.counts[1:])
    return summaries + estimate_compression(Range(0, compressed, inner + CUT_AGAIN), context, _heading(tree))


def _texts(tree: SectionTree, pages: Sequence[Page], context: ReaderContext) -> tuple[dict[str, float], int]:
    """Expected words of each node's text; and how many are compressed, since their children's are too long together."""
    words, number = {node_id(0, page.number): SUMMARY_SHARE * page.words for page in pages}, 0
    for level, count in enumerate(tree.counts[1:], 1):
        for node in (node_id(level, each) for each in range(count)):
            children = tree.children(node)
            words[node] = sum(words[child] + count_words(tree.heading(child)) for child in children)
            if words[node] > context.node_words:
                words[node], number = COMPRESSED_SHARE * context.node_words, number + 1
    return words, number


def _typical(tree: SectionTree, pages: Sequence[Page], context: ReaderContext) -> ReaderContext:
    """The context with the sizes of this tree: words of a segment, children of a node."""
    words, inner = fmean(page.words for page in pages), sum(tree.counts[1:])
    children = (sum(tree.counts) - 1) / inner if inner else context.children
    return replace(context, segment_words=max(10, round(words)), children=max(2, round(children)))


def _heading(tree: SectionTree) -> Range:
    """Words of a node's heading."""
    words = [count_words(heading) for heading in tree.headings.values()]
    return Range(0, fmean(words), max(words)) if words else NONE

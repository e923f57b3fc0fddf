"""MemWalker's walk over the document's own table of contents: its tree has the sections of the outline as nodes.

Authors have grouped their text, and named each group: a walk that reads headings beside summaries decides as a reader
does with a table of contents. Segments and sections are known before any call, so the estimate counts over this tree.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean

from readgraph.graphs import mem_walker
from readgraph.graphs.estimates.arithmetic import NONE, TAG_WORDS, Estimate, EstimateCase, Range, Unread
from readgraph.graphs.mem_walker import COMPRESSED_SHARE, SUMMARY_SHARE
from readgraph.nodes.building.outline import SECTIONS, branches_over, outline_of, read_by_outline, segments_by_outline
from readgraph.nodes.building.recipes import recipe_of_notes
from readgraph.nodes.building.summaries import COMPRESS, SUMMARY, summarise
from readgraph.nodes.extractive import extract_note
from readgraph.state.context import ReaderContext
from readgraph.state.records import Page
from readgraph.state.summary_tree import SectionTree, node_id, section_tree
from readgraph.state.words import count_words

__all__ = ["build", "graph"]

recipe = recipe_of_notes(
    "outline-walk", mem_walker.READING, SUMMARY, COMPRESS, more=lambda context: {"sections": SECTIONS}
)
"""The recipe of such a memory: MemWalker's, with the version of how sections are cut."""

read = read_by_outline(summarise, recipe, without_model=extract_note, settings=mem_walker.READING)

build = partial(mem_walker.build, read=read)
"""MemWalker's graph with this `read` node."""

graph = build().compile(name="outline_walk")


CUT_AGAIN = 2
"""Segments by which a changed file, whose other segments are kept, may exceed one that is read for the first time."""


async def estimate_outline_walk(case: EstimateCase) -> Estimate:
    """Reading along the document's outline, and a walk; without an outline MemWalker's, with this method's recipe."""
    store, document, context = case.store, case.document, case.context
    outline = await outline_of(store, document, context)
    if outline is None:
        return await mem_walker.estimate_mem_walker(case, recipe)
    pages = list(segments_by_outline(outline, document, await store.text(document), context))
    tree = section_tree(*branches_over(pages, outline, context.children))
    words, compressed = _texts(tree, pages, context)
    building = Estimate()
    if case.reader.model:
        left = await case.unread(recipe(case.reader))
        inner = sum(tree.counts[1:])
        typical = replace(
            context,
            segment_words=max(10, round(fmean(page.words for page in pages))),
            children=max(2, round((sum(tree.counts) - 1) / inner if inner else context.children)),
        )
        bounds, expected = (_estimate_building(left, tree, compressed, each) for each in (context, typical))
        building = bounds.with_expected(expected)
    if not case.asks:
        return building
    depths, shown = zip(*(_way(tree, page, words, context) for page in pages), strict=True)
    depth = fmean(depths)
    walk, expected = (
        mem_walker.estimate_walk_levels(depth, max(depths) + 1, case, heading=_heading(tree), seen_words=seen)
        for seen in (None, fmean(shown) / depth)
    )
    return building + walk.with_expected(expected) + mem_walker.estimate_finding_weighing(case)


def _way(tree: SectionTree, page: Page, words: Mapping[str, float], context: ReaderContext) -> tuple[int, float]:
    """Decisions on the way to a page, and the words that they show: nodes' children, what is carried, the page."""

    def count_shown_words(node: str) -> float:
        return words[node] + TAG_WORDS + count_words(tree.heading(node))

    path, shown, carried = tree.path(node_id(0, page.number)), 0.0, 0.0
    for node in path:
        shown += carried + sum(map(count_shown_words, tree.children(node)))
        carried += 0 if context.working_memory == "off" else count_shown_words(node)
    return 1 + len(path), shown + carried + page.words


def _estimate_building(left: Unread, tree: SectionTree, compressed: int, context: ReaderContext) -> Estimate:
    """Summaries of the segments that have none, and of the sections above them, of which so many are compressed."""
    missing = max(0, tree.counts[0] - left.notes)
    segments = Range(missing, missing, missing + CUT_AGAIN if missing else 0)
    summaries = mem_walker.estimate_segment_summaries(segments, context, context.segment_words)
    if left.memory and left.complete and left.memory.levels == tree.counts[1:]:
        return summaries
    nodes = Range(0, compressed, sum(tree.counts[1:]) + CUT_AGAIN)
    return summaries + mem_walker.estimate_compression(nodes, context, _heading(tree))


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


def _heading(tree: SectionTree) -> Range:
    words = [count_words(heading) for heading in tree.headings.values()]
    return Range(0, fmean(words), max(words)) if words else NONE

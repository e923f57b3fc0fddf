"""What MemWalker will use: summaries of segments, the tree above them, the walk."""

import math
from dataclasses import replace

from readgraph.graphs.estimates.arithmetic import (
    NONE,
    TAG_WORDS,
    Estimate,
    Range,
    Unread,
    estimate_answer,
    estimate_calls,
    exactly,
    frame_words,
    unread,
    with_expected,
)
from readgraph.graphs.mem_walker import recipe
from readgraph.library.page_store import PageStore
from readgraph.nodes.answering.ask import weigh_prompt
from readgraph.nodes.building.paging import NEAR
from readgraph.nodes.building.summaries import LONGEST, compress_prompt, summary_prompt
from readgraph.nodes.prompts import MOST_ANSWER_LINE_WORDS
from readgraph.nodes.purpose import purpose_of
from readgraph.nodes.step import MakeRecipe
from readgraph.nodes.walk.leaf import LONGEST_ANSWER, MOST_QUOTES, leaf_prompt
from readgraph.nodes.walk.position import LONGEST_REASONING
from readgraph.nodes.walk.triage import triage_prompt
from readgraph.state.context import ReaderContext
from readgraph.state.records import FEWEST_NOTE_WORDS, Document
from readgraph.state.summary_tree import TreeShape

SUMMARY_SHARE = 0.2
"""Expected words of a summary, as a share of its segment's."""

COMPRESSED_SHARE = 0.7
"""Expected words of a compressed text, as a share of `node_words`."""

LONGER_ANSWER = LONGEST_ANSWER - LONGEST_REASONING
"""Words by which an answer that may be long can exceed another finding; a walk gives one answer."""

DECISION_REPLY, WEIGH_REPLY = 50, 60
"""Expected words of replies."""

EXPECTED_REVERTS = 0.2


async def estimate_mem_walker(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What MemWalker will use to read what is not read yet, and to walk for a question of `question_words`, if any."""
    building, pages = await estimate_tree_reading(store, document, context)
    if question_words is None or not context.model:
        return building
    return building + estimate_walk(pages, context, question_words) + estimate_finding_weighing(context, question_words)


async def estimate_tree_reading(
    store: PageStore, document: Document, context: ReaderContext, recipe: MakeRecipe = recipe
) -> tuple[Estimate, Range]:
    """What reading the rest will use, and how many segments there will be; `recipe`: of a memory like MemWalker's."""
    builder = replace(context, model=context.reading_model or context.model)
    left = await unread(store, document, recipe(builder), context)
    new = _new_segments(left, document, context)
    building = _estimate_tree_building(left, new, context, document) if builder.model else Estimate()
    return building, new + exactly(left.pages + left.notes)


def _new_segments(left: Unread, document: Document, context: ReaderContext) -> Range:
    """Segments still to be made. Only the last one of a text, or of a stretch between kept pages, may be smaller."""
    if not left.words:
        return NONE
    fewest, ends = max(1, round(context.segment_words * (1 - NEAR))), max(len(document.parts), 1) + 1
    most = math.ceil(left.words / max(fewest - 1, 1) + ends)
    return Range(math.ceil(left.words / (_largest(context) + 1)), math.ceil(left.words / context.segment_words), most)


def _estimate_tree_building(left: Unread, new: Range, context: ReaderContext, document: Document) -> Estimate:
    """Summaries of segments, and compressed summaries of the tree's nodes above them."""
    to_summarise = new + exactly(left.pages)
    summaries = estimate_segment_summaries(
        to_summarise, context, _even(document, to_summarise + exactly(left.notes), context)
    )
    pages = to_summarise + exactly(left.notes)
    assert pages.high is not None
    if left.memory and left.complete and left.memory.levels == TreeShape.final_tree(left.memory).counts[1:]:
        return summaries
    above = [
        sum(TreeShape.over(math.ceil(count), context.children).counts[1:]) for count in (pages.expected, pages.high)
    ]
    return summaries + estimate_compression(Range(0, above[0], above[1]), context)


def _even(document: Document, pages: Range, context: ReaderContext) -> float:
    """Words of a segment, if all have about as many."""
    return min(context.segment_words, document.words / max(pages.expected, 1))


def estimate_segment_summaries(segments: Range, context: ReaderContext, words: float | None = None) -> Estimate:
    """Summaries of this many segments, of so many words each if that is known."""
    each = context.segment_words if words is None else words
    prompt = frame_words(summary_prompt("", purpose_of(context)).words) + Range(0, each, segment(context).high)
    return estimate_calls(segments, prompt, SUMMARY_SHARE * each)


def estimate_compression(nodes: Range, context: ReaderContext, heading: Range = NONE) -> Estimate:
    """Compressed texts of this many nodes; `heading`: words of a child's heading."""
    children = notes_of(exactly(context.children), context, heading)
    prompt = frame_words(compress_prompt([], context.node_words, purpose_of(context)).words)
    return estimate_calls(
        nodes, prompt + Range(0, children.expected, children.high), COMPRESSED_SHARE * context.node_words
    )


def levels_over(pages: Range, context: ReaderContext) -> tuple[int, int]:
    """Expected and most levels of a balanced tree over so many segments."""
    assert pages.high is not None
    depth, deepest = (len(TreeShape.over(max(1, math.ceil(count)), context.children).counts) for count in _ends(pages))
    return depth, deepest


def estimate_walk(pages: Range, context: ReaderContext, question_words: int, *, from_leaf: bool = False) -> Estimate:
    """A walk down the balanced tree over so many segments; `from_leaf`: the first walk begins at a leaf."""
    few = replace(context, children=max(2, min(context.children, math.ceil(pages.expected))))
    bounds = estimate_walk_levels(*levels_over(pages, context), context, question_words, from_leaf=from_leaf)
    likely = estimate_walk_levels(*levels_over(pages, few), few, question_words, from_leaf=from_leaf)
    return with_expected(bounds, likely)


def estimate_walk_levels(
    depth: float,
    deepest: float,
    context: ReaderContext,
    question_words: int,
    *,
    from_leaf: bool = False,
    heading: Range = NONE,
    seen_words: float | None = None,
) -> Estimate:
    """A decision at each of `depth` levels, at most `deepest`, and more as long as hops are allowed.

    `from_leaf`: the first walk begins at a leaf. `heading`: words of a node's heading. `seen_words`: of what a decision
    shows on average, with what is carried, if the tree's texts are known.
    """
    decisions = depth * context.walks - (depth - 1 if from_leaf else 0)
    hops = Range(1, decisions + EXPECTED_REVERTS * context.walks, context.max_hops * context.walks)
    question, finding = exactly(question_words), max(LONGEST_REASONING, question_words)
    findings = Range(0, DECISION_REPLY * EXPECTED_REVERTS, finding * context.max_hops + LONGER_ANSWER * context.walks)
    shown = notes_of(exactly(context.children), context, heading)
    at_most = max(shown.high or 0, _largest(context) + 1)
    prompt = frame_words(max(triage_prompt([], [], [], [], "", {}).words, leaf_prompt("", [], [], "", {}).words))
    parts = (depth - 1) * shown.expected + context.segment_words
    seen = Range(0, parts / max(depth, 1), at_most) + _memory_note_words(depth, deepest, context, heading)
    if seen_words is not None:
        seen = replace(seen, expected=seen_words)
    options = Range(-60, 0, 40)  # switches shorten a prompt, numbers of visited parts lengthen it
    options += Range(0, 0, context.children + MOST_ANSWER_LINE_WORDS)
    return estimate_calls(hops, prompt + seen + findings + question + options, DECISION_REPLY)


def estimate_finding_weighing(context: ReaderContext, question_words: int, *, further_walks: int = 0) -> Estimate:
    """The answer may be a weighing of findings, at most one from each hop; `further_walks` may be made besides."""
    finding = max(LONGEST_REASONING, question_words) + MOST_QUOTES * LONGEST_REASONING + TAG_WORDS
    walks = context.walks + further_walks
    findings = exactly(finding) * Range(0, 1, context.max_hops * walks) + Range(0, 0, LONGER_ANSWER * walks)
    line = Range(0, 0, MOST_ANSWER_LINE_WORDS)
    prompt = frame_words(weigh_prompt("", "", {}).words) + findings + exactly(question_words) + line
    weighed = Range(0, 1 if context.walks > 1 else EXPECTED_REVERTS, 1) if context.keep_findings else Range(0, 0, 0)
    return estimate_calls(weighed, prompt, WEIGH_REPLY)


def notes_of(nodes: Range, context: ReaderContext, heading: Range = NONE) -> Range:
    """Words of the notes of this many nodes, with their tags and headings."""
    return nodes * (_note(context) + heading + exactly(TAG_WORDS))


def segment(context: ReaderContext) -> Range:
    """Words of a segment."""
    return Range(0, context.segment_words, _largest(context) + 1)


def _memory_note_words(depth: float, deepest: float, context: ReaderContext, heading: Range) -> Range:
    """The working memory: notes of the path, or of all visited nodes, cut to fit the window."""
    note = _note(context) + heading
    expected, most = {"off": (0, 0), "path": ((depth - 1) / 2, deepest), "visited": (depth, context.max_hops)}[
        context.working_memory
    ]
    return Range(0, expected * note.expected, min(most * (note.high or 0), context.window_words))


def _note(context: ReaderContext) -> Range:
    """Words of a node's note: a summary is at most as long as its segment, a compressed one slightly over its limit."""
    longest = max(_largest(context) + 1, FEWEST_NOTE_WORDS, LONGEST * context.node_words)
    return Range(0, min(SUMMARY_SHARE * context.segment_words, context.node_words), longest)


def _largest(context: ReaderContext) -> int:
    return round(context.segment_words * (1 + NEAR))


def _ends(pages: Range) -> tuple[float, float]:
    return pages.expected, pages.high or pages.expected


async def estimate_guided_walk(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What a guided walk will use: MemWalker's reading, and a walk that begins at a leaf.

    Covers what is not read yet, and a walk for a question of `question_words` (None: reading only).
    """
    reading, segments = await estimate_tree_reading(store, document, context)
    if question_words is None or not context.model:
        return reading
    walk = estimate_walk(segments, context, question_words, from_leaf=True)
    return reading + walk + estimate_finding_weighing(context, question_words)


async def estimate_walk_and_read(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What a walk with ReadAgent's answer will use: MemWalker's reading and walk, then an answer over all summaries.

    Covers what is not read yet, and a walk and an answer for a question of `question_words` (None: reading only).
    """
    reading, segments = await estimate_tree_reading(store, document, context)
    if question_words is None or not context.model:
        return reading
    leaves = Range(0, context.walks, context.max_hops * context.walks) * segment(context)
    shown = notes_of(segments, context) + leaves + exactly(question_words)
    return reading + estimate_walk(segments, context, question_words) + estimate_answer(shown, context)

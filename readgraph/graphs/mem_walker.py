"""MemWalker: a tree of summaries over the text's segments; a walk goes down to a leaf that answers, or back up."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict, Unpack

from readgraph.graphs.estimates.arithmetic import ANSWER_LINE, NONE, PERHAPS, TAG_WORDS, Estimate, EstimateCase, Range
from readgraph.graphs.wiring import add_nodes, add_path, begin_graph, choosing, complete_graph
from readgraph.graphs.wiring.method_graph import Builder
from readgraph.nodes.answering.cite import cite
from readgraph.nodes.answering.prompts import WEIGH, answer_prompt
from readgraph.nodes.bounds import DECISIVE, SearchProgress, within_loop_limit
from readgraph.nodes.building import summaries
from readgraph.nodes.building.build import ReadState, ReadWrites, read_pages
from readgraph.nodes.building.paging import NEAR, segments
from readgraph.nodes.building.recipes import BuiltState, recipe_of_notes
from readgraph.nodes.contracts import AnswerWrites, AskedState, CiteState, CiteWrites, Node
from readgraph.nodes.extractive import extract_note
from readgraph.nodes.opening import OpenState, OpenUpdate, open_document
from readgraph.nodes.purpose import purpose_of
from readgraph.nodes.step import MakeRecipe
from readgraph.nodes.walk.position import LONGEST_REASONING, LeafUpdate, WalkingState, WalkUpdate, enter
from readgraph.nodes.walk.steps import (
    LONGEST_ANSWER,
    MOST_QUOTES,
    answer,
    descend,
    leaf_prompt,
    read_leaf,
    triage_prompt,
)
from readgraph.state.channels import WalkOutput, WalkState
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Question
from readgraph.state.records import FEWEST_NOTE_WORDS
from readgraph.state.settings import Language, Paragraphs, Purpose, Rebuilding, Tree
from readgraph.state.summary_tree import TreeShape, is_leaf

__all__ = ["build", "graph", "read_leaf", "recipe"]

READING = (Tree, Paragraphs, Purpose, Language, Rebuilding)


recipe = recipe_of_notes("mem-walker", READING, summaries.SUMMARY, summaries.COMPRESS)
"""The recipe of a MemWalker memory."""

read = read_pages(segments, summaries.summarise, recipe, without_model=(segments, extract_note), settings=READING)


HOP = ("descend", "read_leaf")  # the nodes of one hop of a walk


class WalkPlace(TypedDict):
    """Where a walk stands."""

    current_node: Annotated[str, DECISIVE]


class WalkProgress(SearchProgress, WalkPlace):
    """What decides whether the walk takes another hop."""


class WalkStart(WalkPlace):
    """What decides whether the walk begins."""

    question_text: str


def choose_question_or_end(state: WalkStart) -> str:
    """Go on to the question, if there is one."""
    return choose_walk_node(state) if state["question_text"] else END


def choose_walk_node(state: WalkPlace) -> str:
    """Decide at the node where the walk stands."""
    return "read_leaf" if is_leaf(state["current_node"]) else "descend"


class WalkNodes(TypedDict, total=False):
    """The nodes up to the end of a walk that can be swapped in a `build`; by default they are MemWalker's own."""

    read: Node[ReadState, ReadWrites]
    grow: Node[BuiltState, Mapping[str, object]]
    enter: Node[AskedState, WalkUpdate]
    descend: Node[WalkingState, WalkUpdate]
    read_leaf: Node[WalkingState, LeafUpdate]


@complete_graph
def build(
    *,
    open: Node[OpenState, OpenUpdate] = open_document,
    answer: Node[WalkingState, AnswerWrites] = answer,
    cite: Node[CiteState, CiteWrites] = cite,
    state: type[Any] = WalkState,
    **walk: Unpack[WalkNodes],
) -> StateGraph[WalkState, ReaderContext, Question, WalkOutput]:
    """MemWalker (figure 1): grow the tree once, then walk it for each question."""
    builder = begin_graph(state, WalkState, Question, WalkOutput)
    add_walk(builder, "answer", open=open, **walk)
    add_nodes(builder, answer=answer, cite=cite)
    add_path(builder, "answer", "cite", END)
    return builder


def add_walk(
    builder: Builder,
    then: str,
    *,
    open: Node[OpenState, OpenUpdate],
    read: Node[ReadState, ReadWrites] = read,
    grow: Node[BuiltState, Mapping[str, object]] = summaries.grow,
    enter: Node[AskedState, WalkUpdate] = enter,
    descend: Node[WalkingState, WalkUpdate] = descend,
    read_leaf: Node[WalkingState, LeafUpdate] = read_leaf,
) -> None:
    """From a document's opening to the end of a walk (section 3), which leads to the node `then`."""
    add_nodes(builder, open=open, read=read, grow=grow, enter=enter, descend=descend, read_leaf=read_leaf)
    add_path(builder, START, "open", "read", "grow", "enter")
    builder.add_conditional_edges("enter", choosing(choose_question_or_end), ["descend", "read_leaf", END])

    def choose_hop_or_answer(state: WalkProgress) -> str:
        looking = state["continue_search"] and within_loop_limit(
            state, HOP, lambda context: context.max_hops * context.walks
        )
        return choose_walk_node(state) if looking else then

    for hop in HOP:
        builder.add_conditional_edges(hop, choosing(choose_hop_or_answer), [*HOP, then])


graph = build().compile(name="mem_walker")


SUMMARY_SHARE = 0.2  # expected words of a summary, as a share of its segment's

COMPRESSED_SHARE = 0.7  # expected words of a compressed text, as a share of `node_words`

LONGER_ANSWER = LONGEST_ANSWER - LONGEST_REASONING
"""Words by which an answer that may be long can exceed another finding; a walk gives one answer."""

DECISION_REPLY, WEIGH_REPLY = 50, 60  # expected words of replies

EXPECTED_REVERTS = 0.2


async def estimate_mem_walker(case: EstimateCase, recipe: MakeRecipe = recipe, *, from_leaf: bool = False) -> Estimate:
    """Summaries of segments, the tree above them; the walk, which begins `from_leaf` or at the root."""
    building, pages = await estimate_tree_reading(case, recipe)
    if not case.asks:
        return building
    return building + estimate_walk(pages, case, from_leaf=from_leaf) + estimate_finding_weighing(case)


async def estimate_tree_reading(case: EstimateCase, recipe: MakeRecipe = recipe) -> tuple[Estimate, Range]:
    """What reading the rest will use, and how many segments there will be; `recipe`: of a memory like MemWalker's."""
    context = case.context
    left = await case.unread(recipe(case.reader))
    to_summarise = Range.of(left.pages)
    if left.words:  # only the last segment of a text, or of a stretch between kept pages, may be smaller
        size = context.segment_words
        fewest, ends = max(1, round(size * (1 - NEAR))), max(len(case.document.parts), 1) + 1
        most = math.ceil(left.words / max(fewest - 1, 1) + ends)
        to_summarise += Range(math.ceil(left.words / segment(context).most), math.ceil(left.words / size), most)
    pages = to_summarise + left.notes
    if not case.reader.model:
        return Estimate(), pages
    words = min(context.segment_words, case.document.words / max(pages.expected, 1))
    of_segments = estimate_segment_summaries(to_summarise, context, words)
    if left.memory and left.complete and left.memory.levels == TreeShape.final_tree(left.memory).counts[1:]:
        return of_segments, pages
    expected, most = (
        sum(TreeShape.over(math.ceil(count), context.children).counts[1:]) for count in (pages.expected, pages.most)
    )
    return of_segments + estimate_compression(Range(0, expected, most), context), pages


def estimate_segment_summaries(segments: Range, context: ReaderContext, words: float) -> Estimate:
    """Summaries of this many segments, of so many words each."""
    earlier = context.earlier_words
    prompt = Range.frame(summaries.summary_prompt("", purpose_of(context), "…" if earlier else "").words)
    shown = Range(0, words, segment(context).high) + Range(0, earlier, earlier)
    return Estimate.of(segments, prompt + shown, SUMMARY_SHARE * words)


def estimate_compression(nodes: Range, context: ReaderContext, heading: Range = NONE) -> Estimate:
    """Compressed texts of this many nodes; `heading`: words of a child's heading."""
    prompt = Range.frame(summaries.compress_prompt([], context.node_words, purpose_of(context)).words)
    children = notes_of(context.children, context, heading).perhaps_none()
    return Estimate.of(nodes, prompt + children, COMPRESSED_SHARE * context.node_words)


def estimate_walk(pages: Range, case: EstimateCase, *, from_leaf: bool = False) -> Estimate:
    """A walk down the balanced tree over so many segments; `from_leaf`: the first walk begins at a leaf."""

    def walk(children: int) -> Estimate:
        depth, deepest = (
            len(TreeShape.over(max(1, math.ceil(count)), children).counts)
            for count in (pages.expected, pages.most or pages.expected)
        )
        return estimate_walk_levels(depth, deepest, case.with_settings(children=children), from_leaf=from_leaf)

    most = case.context.children
    return walk(most).with_expected(walk(max(2, min(most, math.ceil(pages.expected)))))


def estimate_walk_levels(
    depth: float,
    deepest: float,
    case: EstimateCase,
    *,
    from_leaf: bool = False,
    heading: Range = NONE,
    seen_words: float | None = None,
) -> Estimate:
    """A decision at each of `depth` levels, at most `deepest`, and more as long as hops are allowed.

    `from_leaf`: the first walk begins there. `seen_words`: of what a decision shows, where the tree's texts are known.
    """
    context = case.context
    decisions = depth * context.walks - (depth - 1 if from_leaf else 0)
    hops = Range(1, decisions + EXPECTED_REVERTS * context.walks, context.max_hops * context.walks)
    finding = max(LONGEST_REASONING, case.question_words)
    findings = Range(0, DECISION_REPLY * EXPECTED_REVERTS, finding * context.max_hops + LONGER_ANSWER * context.walks)
    shown = notes_of(context.children, context, heading)
    parts = (depth - 1) * shown.expected + context.segment_words
    seen = Range(0, parts / max(depth, 1), max(shown.most, segment(context).most))
    # The working memory: notes of the path, or of all visited nodes, cut to fit the window.
    carried, most = {
        "off": (0, 0),
        "path": ((depth - 1) / 2, deepest),
        "visited": (depth, context.max_hops),
        "summary": (1, 1),
    }[context.working_memory]
    note = _note(context) + heading
    seen += Range(0, carried * note.expected, min(most * note.most, context.window_words))
    if seen_words is not None:
        seen = replace(seen, expected=seen_words)
    prompt = Range.frame(max(triage_prompt([], [], [], [], "", {}).words, leaf_prompt("", [], [], "", {}).words))
    options = Range(-60, 0, 40 + context.children)  # switches shorten a prompt, numbers of visited parts lengthen it
    walking = Estimate.of(hops, prompt + seen + findings + case.question + options + ANSWER_LINE, DECISION_REPLY)
    if context.working_memory != "summary":
        return walking
    shortened = Range.frame(summaries.compress_prompt([], context.node_words, purpose_of(context)).words)
    shortened += Range(0, depth * note.expected, context.window_words)
    return walking + Estimate.of(
        Range(0, hops.expected / 2, hops.high), shortened, COMPRESSED_SHARE * context.node_words
    )


def estimate_finding_weighing(case: EstimateCase, *, further_walks: int = 0) -> Estimate:
    """The answer may be a weighing of findings, at most one from each hop; `further_walks` may be made besides."""
    context = case.context
    if not context.keep_findings:
        return Estimate()
    finding = max(LONGEST_REASONING, case.question_words) + MOST_QUOTES * LONGEST_REASONING + TAG_WORDS
    walks = context.walks + further_walks
    findings = Range(0, finding, finding * context.max_hops * walks + LONGER_ANSWER * walks)
    prompt = Range.frame(answer_prompt("", "", {}, WEIGH).words) + findings + case.question + ANSWER_LINE
    weighed = PERHAPS if context.walks > 1 else Range(0, EXPECTED_REVERTS, 1)
    return Estimate.of(weighed, prompt, WEIGH_REPLY)


def notes_of(nodes: Range | float, context: ReaderContext, heading: Range = NONE) -> Range:
    """Words of the notes of this many nodes, with their tags and headings."""
    return (_note(context) + heading + TAG_WORDS) * nodes


def segment(context: ReaderContext) -> Range:
    """Words of a segment."""
    return Range(0, context.segment_words, round(context.segment_words * (1 + NEAR)) + 1)


def _note(context: ReaderContext) -> Range:
    """Words of a node's note: a summary is at most as long as its segment, a compressed one slightly over its limit."""
    longest = max(segment(context).most, FEWEST_NOTE_WORDS, summaries.LONGEST * context.node_words)
    return Range(0, min(SUMMARY_SHARE * context.segment_words, context.node_words), longest)

"""MemWalker's walk, reflected on: where its findings are not enough, it walks again, to what is missing.

A walk ends at the first leaf that answers, and `walks` makes more of them whether they are needed or not, each for the
same question. Here GAM's reflection looks at the findings after each walk: it ends what is enough, and what it misses
says where the next walk begins. All findings are weighed in the end. `rounds` bounds the walks.

What hybrids of a walk and reflection will use: MemWalker's reading and walk, GAM's rounds over its findings.
"""

from dataclasses import replace
from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.graphs import mem_walker
from readgraph.graphs.estimates.arithmetic import Estimate, Range
from readgraph.graphs.estimates.gam import estimate_reflection, estimate_research
from readgraph.graphs.estimates.mem_walker import estimate_finding_weighing, estimate_tree_reading, estimate_walk
from readgraph.graphs.methods import Method
from readgraph.graphs.wiring import MethodGraph, Node, add_nodes, check_wiring, choosing, fit_context, with_channels
from readgraph.library.page_store import PageStore
from readgraph.nodes.answering.cite import cite
from readgraph.nodes.bounds import SearchProgress, within_loop_limit
from readgraph.nodes.building.summaries import grow
from readgraph.nodes.opening import open_for_research
from readgraph.nodes.research.integrate import note_findings
from readgraph.nodes.research.reflect import reflect
from readgraph.nodes.walk.answer import answer
from readgraph.nodes.walk.leaf import read_leaf
from readgraph.nodes.walk.position import enter, walk_again
from readgraph.nodes.walk.triage import descend
from readgraph.state.channels import WalkResearchOutput, WalkResearchState
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Question
from readgraph.state.records import Document

__all__ = ["build", "graph"]

METHOD = Method(
    name="reflective-walk",
    line="MemWalker walks again while GAM finds gaps.",
    note="summary",
    estimate="hybrids.reflective_walk:estimate_reflective_walk",
    memory_of="mem-walker",
    order=25,
)

ROUND = (*mem_walker.HOP, "note_findings", "reflect", "walk_again")
"""The nodes of one walk that is reflected on."""


def choose_walk_or_answer(state: SearchProgress) -> str:
    """Walk once more, or answer."""
    looking = state["continue_search"] and within_loop_limit(
        state, ROUND, lambda context: context.rounds * context.walks * context.max_hops
    )
    return "walk_again" if looking else "answer"


def build(
    *,
    open: Node = open_for_research,
    read: Node = mem_walker.read,
    grow: Node = grow,
    enter: Node = enter,
    descend: Node = descend,
    read_leaf: Node = read_leaf,
    note_findings: Node = note_findings,
    reflect: Node = reflect,
    walk_again: Node = walk_again,
    answer: Node = answer,
    cite: Node = cite,
    state: type[Any] = WalkResearchState,
) -> StateGraph[WalkResearchState, ReaderContext, Question, WalkResearchOutput]:
    """Walk, reflect on what was found, and walk again while it is not enough.

    Every argument is a node: one of ours, or a plain function or coroutine `(state, runtime) -> update`; but
    `state`, which may be a class derived from `WalkResearchState`.
    """
    builder = MethodGraph(
        with_channels(state, WalkResearchState),
        context_schema=ReaderContext,
        input_schema=Question,
        output_schema=WalkResearchOutput,
    )
    add_nodes(builder, open=open)
    builder.add_edge(START, "open")
    mem_walker.add_walk(
        builder, "note_findings", read=read, grow=grow, enter=enter, descend=descend, read_leaf=read_leaf
    )
    add_nodes(builder, note_findings=note_findings, reflect=reflect, walk_again=walk_again, answer=answer, cite=cite)
    builder.add_edge("note_findings", "reflect")
    builder.add_conditional_edges("reflect", choosing(choose_walk_or_answer), ["walk_again", "answer"])
    builder.add_conditional_edges("walk_again", choosing(mem_walker.choose_walk_node), [*mem_walker.HOP])
    builder.add_edge("answer", "cite")
    builder.add_edge("cite", END)
    fit_context(builder)
    check_wiring(builder)
    return builder


graph = build().compile(name="reflective_walk")


EXPECTED_AGAIN = 0.3
"""Further walks that are expected after the first."""


async def estimate_walk_and_research(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """MemWalker's reading and walk, then GAM's rounds, of which the walk is the first.

    Reading what is not read yet, and a question of this many words (none: no question).
    """
    reading, segments = await estimate_tree_reading(store, document, context)
    if question_words is None or not context.model:
        return reading
    research = estimate_research(segments, context.segment_words, context, question_words, begun=True)
    return reading + estimate_walk(segments, context, question_words) + research


async def estimate_reflective_walk(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """MemWalker's reading and walk, a verdict on it, perhaps further walks; findings may be weighed.

    Reading what is not read yet, and a question of this many words (none: no question).
    """
    reading, segments = await estimate_tree_reading(store, document, context)
    if question_words is None or not context.model:
        return reading
    most = max(context.rounds - 1, 0)
    again = estimate_walk(segments, replace(context, walks=1), question_words, from_leaf=True)
    walks = estimate_walk(segments, context, question_words) + again.times(Range(0, min(EXPECTED_AGAIN, most), most))
    return (
        reading
        + walks
        + estimate_reflection(context, question_words)
        + estimate_finding_weighing(context, question_words, further_walks=most)
    )

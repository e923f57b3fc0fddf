"""MemWalker's walk, reflected on: where its findings are not enough, it walks again, to what is missing.

A walk ends at the first leaf that answers, and `walks` makes more of them whether they are needed or not, each for the
same question. Here GAM's reflection looks at the findings after each walk: it ends what is enough, and what it misses
says where the next walk begins. All findings are weighed in the end. `rounds` bounds the walks.
"""

from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.graphs import mem_walker
from readgraph.graphs.wiring import MethodGraph, Node, add_nodes, check_wiring, choosing, fit_context, with_channels
from readgraph.nodes.answering.citing import cite
from readgraph.nodes.bounds import Looking, may_go_on
from readgraph.nodes.building.summary_tree import grow
from readgraph.nodes.opening import open_for_research
from readgraph.nodes.research.noting import note_findings
from readgraph.nodes.research.reflecting import reflect
from readgraph.nodes.walk.answer import answer
from readgraph.nodes.walk.descending import descend
from readgraph.nodes.walk.entering import enter, walk_again
from readgraph.nodes.walk.leaf import read_leaf
from readgraph.state.channels.walk import WalkResearched, WalkResearchState
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Question

__all__ = ["build", "graph"]

ROUND = (*mem_walker.HOP, "note_findings", "reflect", "walk_again")
"""The nodes of one walk that is reflected on."""


def still_looking(state: Looking) -> str:
    """Walk once more, or answer."""
    looking = state["continue_search"] and may_go_on(
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
) -> StateGraph[WalkResearchState, ReaderContext, Question, WalkResearched]:
    """Walk, reflect on what was found, and walk again while it is not enough.

    Every argument is a node: one of ours, or a plain function or coroutine `(state, runtime) -> update`; but
    `state`, which may be a class derived from `WalkResearchState`.
    """
    builder = MethodGraph(
        with_channels(state, WalkResearchState),
        context_schema=ReaderContext,
        input_schema=Question,
        output_schema=WalkResearched,
    )
    add_nodes(builder, open=open)
    builder.add_edge(START, "open")
    mem_walker.add_walk(
        builder, "note_findings", read=read, grow=grow, enter=enter, descend=descend, read_leaf=read_leaf
    )
    add_nodes(builder, note_findings=note_findings, reflect=reflect, walk_again=walk_again, answer=answer, cite=cite)
    builder.add_edge("note_findings", "reflect")
    builder.add_conditional_edges("reflect", choosing(still_looking), ["walk_again", "answer"])
    builder.add_conditional_edges("walk_again", choosing(mem_walker.place), [*mem_walker.HOP])
    builder.add_edge("answer", "cite")
    builder.add_edge("cite", END)
    fit_context(builder)
    check_wiring(builder)
    return builder


graph = build().compile(name="reflective_walk")

"""MemWalker's walk finds the first place, GAM's research goes on from its leaves to those that it leads to.

A walk finds what a summary hints at, whatever its words, and ends at one place. Search finds whatever can be named.
So a question whose answer stands in several places is walked to the first; reflection names what is still missing in
the words of what was read there, and search finds it by these. Research is paid for where the leaves are not enough:
the walk is the first of its `rounds`.
"""

from typing import Any

from langgraph.graph import START, StateGraph
from typing_extensions import Unpack

from readgraph.graphs import mem_walker
from readgraph.graphs.gam import Rounds, add_rounds
from readgraph.graphs.methods import Method
from readgraph.graphs.wiring import MethodGraph, Node, add_nodes, check_wiring, fit_context, with_channels
from readgraph.nodes.building.summaries import grow
from readgraph.nodes.opening import open_for_research
from readgraph.nodes.research.integrate import note_findings
from readgraph.nodes.walk.leaf import read_leaf
from readgraph.nodes.walk.position import enter
from readgraph.nodes.walk.triage import descend
from readgraph.state.channels import WalkResearchOutput, WalkResearchState
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Question

__all__ = ["build", "graph"]

METHOD = Method(
    name="walk-and-research",
    line="MemWalker's walk; GAM researches what it lacks.",
    note="summary",
    estimate="hybrids.reflective_walk:estimate_walk_and_research",
    memory_of="mem-walker",
    order=24,
)


def build(
    *,
    open: Node = open_for_research,
    read: Node = mem_walker.read,
    grow: Node = grow,
    enter: Node = enter,
    descend: Node = descend,
    read_leaf: Node = read_leaf,
    note_findings: Node = note_findings,
    state: type[Any] = WalkResearchState,
    **rounds: Unpack[Rounds],
) -> StateGraph[WalkResearchState, ReaderContext, Question, WalkResearchOutput]:
    """Walk to a leaf, then research what its findings lack.

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
    add_nodes(builder, note_findings=note_findings)
    builder.add_edge("note_findings", "reflect")
    add_rounds(builder, **rounds)
    fit_context(builder)
    check_wiring(builder)
    return builder


graph = build().compile(name="walk_and_research")

"""MemWalker's walk finds the first place, GAM's research goes on from its leaves to those that it leads to.

A walk finds what a summary hints at, whatever its words, and ends at one place. Search finds whatever can be named.
So a question whose answer stands in several places is walked to the first; reflection names what is still missing in
the words of what was read there, and search finds it by these. Research is paid for where the leaves are not enough:
the walk is the first of its `rounds`.
"""

from collections.abc import Mapping
from typing import Any

from langgraph.graph import StateGraph
from typing_extensions import Unpack

from readgraph.graphs import mem_walker
from readgraph.graphs.gam import Rounds, add_rounds
from readgraph.graphs.wiring import add_nodes, add_path, begin_graph, complete_graph
from readgraph.nodes.building.build import ReadState, ReadWrites
from readgraph.nodes.building.recipes import BuiltState
from readgraph.nodes.building.summaries import grow
from readgraph.nodes.contracts import AskedState, Node
from readgraph.nodes.opening import OpenState, ResearchOpenUpdate, open_for_research
from readgraph.nodes.research.integrate import NoteState, NoteUpdate, note_findings
from readgraph.nodes.walk.position import LeafUpdate, WalkingState, WalkUpdate, enter
from readgraph.nodes.walk.steps import descend, read_leaf
from readgraph.state.channels import WalkResearchOutput, WalkResearchState
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Question


@complete_graph
def build(
    *,
    open: Node[OpenState, ResearchOpenUpdate] = open_for_research,
    read: Node[ReadState, ReadWrites] = mem_walker.read,
    grow: Node[BuiltState, Mapping[str, object]] = grow,
    enter: Node[AskedState, WalkUpdate] = enter,
    descend: Node[WalkingState, WalkUpdate] = descend,
    read_leaf: Node[WalkingState, LeafUpdate] = read_leaf,
    note_findings: Node[NoteState, NoteUpdate] = note_findings,
    state: type[Any] = WalkResearchState,
    **rounds: Unpack[Rounds],
) -> StateGraph[WalkResearchState, ReaderContext, Question, WalkResearchOutput]:
    """Walk to a leaf, then research what its findings lack."""
    builder = begin_graph(state, WalkResearchState, Question, WalkResearchOutput)
    walk = mem_walker.WalkNodes(read=read, grow=grow, enter=enter, descend=descend, read_leaf=read_leaf)
    mem_walker.add_walk(builder, "note_findings", open=open, **walk)
    add_nodes(builder, note_findings=note_findings)
    add_path(builder, "note_findings", "reflect")
    add_rounds(builder, **rounds)
    return builder


graph = build().compile(name="walk_and_research")

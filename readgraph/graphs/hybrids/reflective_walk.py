"""MemWalker's walk, reflected on: where its findings are not enough, it walks again, to what is missing.

A walk ends at the first leaf that answers, and `walks` makes more of them whether they are needed or not, each for the
same question. Here GAM's reflection looks at the findings after each walk: it ends what is enough, and what it misses
says where the next walk begins. All findings are weighed in the end. `rounds` bounds the walks.
"""

from typing import Any

from langgraph.graph import END, StateGraph
from typing_extensions import Unpack

from readgraph.graphs import mem_walker
from readgraph.graphs.wiring import add_nodes, add_path, add_search, begin_graph, choosing, complete_graph
from readgraph.nodes.answering.cite import cite
from readgraph.nodes.contracts import AnswerWrites, CiteState, CiteWrites, Node
from readgraph.nodes.opening import OpenState, ResearchOpenUpdate, open_for_research
from readgraph.nodes.research.integrate import NoteState, NoteUpdate, note_findings
from readgraph.nodes.research.reflect import ReflectState, ReflectUpdate, reflect
from readgraph.nodes.walk.position import AgainState, AgainUpdate, WalkingState, walk_again
from readgraph.nodes.walk.steps import answer
from readgraph.state.channels import WalkResearchOutput, WalkResearchState
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Question


@complete_graph
def build(
    *,
    open: Node[OpenState, ResearchOpenUpdate] = open_for_research,
    note_findings: Node[NoteState, NoteUpdate] = note_findings,
    reflect: Node[ReflectState, ReflectUpdate] = reflect,
    walk_again: Node[AgainState, AgainUpdate] = walk_again,
    answer: Node[WalkingState, AnswerWrites] = answer,
    cite: Node[CiteState, CiteWrites] = cite,
    state: type[Any] = WalkResearchState,
    **walk: Unpack[mem_walker.WalkNodes],
) -> StateGraph[WalkResearchState, ReaderContext, Question, WalkResearchOutput]:
    """Walk, reflect on what was found, and walk again while it is not enough."""
    builder = begin_graph(state, WalkResearchState, Question, WalkResearchOutput)
    mem_walker.add_walk(builder, "note_findings", open=open, **walk)
    add_nodes(builder, note_findings=note_findings, reflect=reflect, walk_again=walk_again, answer=answer, cite=cite)
    add_path(builder, "note_findings", "reflect")
    add_search(
        builder,
        "reflect",
        "walk_again",
        loop=(*mem_walker.HOP, "note_findings", "reflect", "walk_again"),
        most=lambda context: context.rounds * context.walks * context.max_hops,
    )
    builder.add_conditional_edges("walk_again", choosing(mem_walker.choose_walk_node), [*mem_walker.HOP])
    add_path(builder, "answer", "cite", END)
    return builder


graph = build().compile(name="reflective_walk")

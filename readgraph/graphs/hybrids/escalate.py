"""Gists alone, then a look-up, then research: each next step only if reflection finds that the last is not enough.

Most questions are answered by the gists or by a page or two; research pays for several calls before it can tell. Here
each step is paid for when the one before it was not enough, under one budget: ReadAgent's look-up is the first of GAM's
rounds, and `rounds` bounds them together.
"""

from collections.abc import Mapping
from typing import Any

from langgraph.graph import START
from typing_extensions import Unpack

from readgraph.graphs import gam, read_agent
from readgraph.graphs.wiring import add_nodes, add_path, add_question, add_search, begin_graph, complete_graph
from readgraph.nodes.answering.answer import answer_from_notes_alone
from readgraph.nodes.building.build import ReadState, ReadWrites
from readgraph.nodes.building.merge import merge
from readgraph.nodes.building.recipes import BuiltState
from readgraph.nodes.contracts import AnswerState, AnswerWrites, AskedState, LookUpState, Node
from readgraph.nodes.opening import OpenState, ResearchOpenUpdate, open_for_research
from readgraph.nodes.research.plan import LookUpPlan, plan_look_up
from readgraph.nodes.research.reflect import JudgeUpdate, gists_suffice
from readgraph.state.channels import ResearchOutput, ResearchState
from readgraph.state.reading import Question


@complete_graph
def build(
    *,
    open: Node[OpenState, ResearchOpenUpdate] = open_for_research,
    read: Node[ReadState, ReadWrites] = read_agent.read,
    merge: Node[BuiltState, Mapping[str, object]] = merge,
    judge: Node[AskedState, JudgeUpdate] = gists_suffice,
    look_up: Node[LookUpState, LookUpPlan] = plan_look_up,
    answer_gists: Node[AnswerState, AnswerWrites] = answer_from_notes_alone,
    state: type[Any] = ResearchState,
    **rounds: Unpack[gam.Rounds],
) -> gam.Research:
    """Judge the gists; look up and research where they are not enough."""
    builder = begin_graph(state, ResearchState, Question, ResearchOutput)
    add_nodes(builder, open=open, read=read, merge=merge, judge=judge, look_up=look_up, answer_gists=answer_gists)
    add_path(builder, START, "open", "read", "merge")
    add_question(builder, "merge", "judge")
    add_search(builder, "judge", "look_up", "answer_gists")
    add_path(builder, "look_up", "search")
    gam.add_rounds(builder, **rounds)
    add_path(builder, "answer_gists", "cite")
    return builder


graph = build().compile(name="escalate")

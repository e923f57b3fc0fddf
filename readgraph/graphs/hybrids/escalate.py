"""Gists alone, then a look-up, then research: one step further only while reflection says that it isn't enough.

Most questions are answered by the gists or by a page or two; research pays for several calls before it can tell. Here
each step is paid for when the one before it was not enough, under one budget: ReadAgent's look-up is the first of GAM's
rounds, and `rounds` bounds them together.
"""

from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.graphs import read_agent
from readgraph.graphs.baselines import gists_only
from readgraph.graphs.gam import Research, add_rounds
from readgraph.graphs.wiring import add_nodes, check_wiring
from readgraph.nodes.judging import judge
from readgraph.nodes.merging import merge
from readgraph.nodes.opening_research import open_for_research
from readgraph.nodes.planning_look_up import plan_look_up
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Question
from readgraph.state.research import Researched, ResearchState


def is_asked(state: ResearchState) -> str:
    """Go on to the question, if there is one."""
    return "judge" if state["asked"] else END


def still_looking(state: ResearchState) -> str:
    """Look pages up, or answer from the gists."""
    return "look_up" if state["looking"] else "answer_gists"


def build(
    *,
    open: Any = open_for_research,
    read: Any = read_agent.read,
    merge: Any = merge,
    judge: Any = judge,
    look_up: Any = plan_look_up,
    answer_gists: Any = gists_only.answer,
    **rounds: Any,
) -> Research:
    """Judge the gists; look up and research where they are not enough; `rounds` as in `gam.add_rounds`.

    Every argument is a node: one of ours, or a plain function or coroutine `(state, runtime) -> update`.
    """
    builder = StateGraph(ResearchState, context_schema=ReaderContext, input_schema=Question, output_schema=Researched)
    add_nodes(builder, open=open, read=read, merge=merge, judge=judge, look_up=look_up, answer_gists=answer_gists)
    builder.add_edge(START, "open")
    builder.add_edge("open", "read")
    builder.add_edge("read", "merge")
    builder.add_conditional_edges("merge", is_asked, ["judge", END])
    builder.add_conditional_edges("judge", still_looking, ["look_up", "answer_gists"])
    builder.add_edge("look_up", "search")
    add_rounds(builder, **rounds)
    builder.add_edge("answer_gists", "cite")
    check_wiring(builder)
    return builder


graph = build().compile(name="escalate")

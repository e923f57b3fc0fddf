"""Gists alone, then a look-up, then research: each next step only if reflection finds that the last is not enough.

Most questions are answered by the gists or by a page or two; research pays for several calls before it can tell. Here
each step is paid for when the one before it was not enough, under one budget: ReadAgent's look-up is the first of GAM's
rounds, and `rounds` bounds them together.
"""

from typing import Any

from langgraph.graph import END, START
from typing_extensions import Unpack

from readgraph.graphs import read_agent
from readgraph.graphs.gam import Research, Rounds, SearchDecision, add_rounds
from readgraph.graphs.methods import Method
from readgraph.graphs.wiring import MethodGraph, Node, add_nodes, check_wiring, choosing, fit_context, with_channels
from readgraph.nodes.answering.answer import answer_from_notes_alone
from readgraph.nodes.building.merge import merge
from readgraph.nodes.opening import open_for_research
from readgraph.nodes.research.plan import plan_look_up
from readgraph.nodes.research.reflect import gists_suffice
from readgraph.state.channels import ResearchOutput, ResearchState
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Question

__all__ = ["build", "graph"]

METHOD = Method(
    name="escalate",
    line="Gists, then a look-up, then research, while needed.",
    note="gist",
    estimate="estimates.gam:estimate_escalate",
    memory_of="read-agent",
    order=26,
)


def choose_question_or_end(state: ResearchState) -> str:
    """Go on to the question, if there is one."""
    return "judge" if state["question_text"] else END


def choose_look_up_or_answer(state: SearchDecision) -> str:
    """Look pages up, or answer from the gists."""
    return "look_up" if state["continue_search"] else "answer_gists"


def build(
    *,
    open: Node = open_for_research,
    read: Node = read_agent.read,
    merge: Node = merge,
    judge: Node = gists_suffice,
    look_up: Node = plan_look_up,
    answer_gists: Node = answer_from_notes_alone,
    state: type[Any] = ResearchState,
    **rounds: Unpack[Rounds],
) -> Research:
    """Judge the gists; look up and research where they are not enough.

    Every argument is a node: one of ours, or a plain function or coroutine `(state, runtime) -> update`; but
    `state`, which may be a class derived from `ResearchState`.
    """
    builder = MethodGraph(
        with_channels(state, ResearchState),
        context_schema=ReaderContext,
        input_schema=Question,
        output_schema=ResearchOutput,
    )
    add_nodes(builder, open=open, read=read, merge=merge, judge=judge, look_up=look_up, answer_gists=answer_gists)
    builder.add_edge(START, "open")
    builder.add_edge("open", "read")
    builder.add_edge("read", "merge")
    builder.add_conditional_edges("merge", choosing(choose_question_or_end), ["judge", END])
    builder.add_conditional_edges("judge", choosing(choose_look_up_or_answer), ["look_up", "answer_gists"])
    builder.add_edge("look_up", "search")
    add_rounds(builder, **rounds)
    builder.add_edge("answer_gists", "cite")
    fit_context(builder)
    check_wiring(builder)
    return builder


graph = build().compile(name="escalate")

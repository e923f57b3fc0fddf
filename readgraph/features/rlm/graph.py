"""rlm: a model writes small programs that look at the text (recursive language models, Zhang et al., 2025).

The text is never shown. Programs search, cut and count it, ask a model about pieces, and say what the next one needs;
one of them finishes with the answer. So what is counted over the whole text is counted by code.
"""

from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.features.rlm import programs as programs_types
from readgraph.features.rlm.programs import ProgramsOpenUpdate, answer, open_for_programs, run, write_program
from readgraph.features.rlm.state import ProgramsOutput, ProgramsState
from readgraph.graphs.baselines import read_segments
from readgraph.graphs.wiring import add_nodes, add_path, add_question, begin_graph, choosing, complete_graph
from readgraph.nodes.answering.cite import cite
from readgraph.nodes.bounds import SearchProgress, within_loop_limit
from readgraph.nodes.building.build import ReadState, ReadWrites
from readgraph.nodes.contracts import AnswerWrites, CiteState, CiteWrites, LookUpState, LookUpWrites, Node
from readgraph.nodes.look_up import nearest_pages
from readgraph.nodes.opening import OpenState
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Finding, Question

LOOP = ("write_program", "run")


class ProgramsProgress(SearchProgress):
    """What decides what follows a program."""

    findings: list[Finding]
    pages_read: list[int]


def choose_after_run(state: ProgramsProgress) -> str:
    """The next program; else the answer, or a look-up where there is neither an answer nor a page that was read."""
    if state["continue_search"] and within_loop_limit(state, LOOP, lambda context: context.max_programs):
        return "write_program"
    return "answer" if state["findings"] or state["pages_read"] else "look_up"


@complete_graph
def build(
    *,
    open: Node[OpenState, ProgramsOpenUpdate] = open_for_programs,
    read: Node[ReadState, ReadWrites] = read_segments,
    write_program: Node[programs_types.WriteState, programs_types.WriteUpdate] = write_program,
    run: Node[programs_types.RunState, programs_types.RunUpdate] = run,
    look_up: Node[LookUpState, LookUpWrites] = nearest_pages,
    answer: Node[programs_types.ProgramAnswerState, AnswerWrites] = answer,
    cite: Node[CiteState, CiteWrites] = cite,
    state: type[Any] = ProgramsState,
) -> StateGraph[ProgramsState, ReaderContext, Question, ProgramsOutput]:
    """Write a program, run it, and so on, until one finishes; pages are cut only to say where quotes stand."""
    builder = begin_graph(state, ProgramsState, Question, ProgramsOutput)
    add_nodes(builder, open=open, read=read, write_program=write_program, run=run)
    add_nodes(builder, look_up=look_up, answer=answer, cite=cite)
    add_path(builder, START, "open", "read")
    add_question(builder, "read", "write_program")
    add_path(builder, "write_program", "run")
    builder.add_conditional_edges("run", choosing(choose_after_run), ["write_program", "look_up", "answer"])
    add_path(builder, "look_up", "answer", "cite", END)
    return builder


graph = build().compile(name="rlm")

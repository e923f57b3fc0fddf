"""The shape of the baselines that need no loop: open, read, look up, answer, cite."""

from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.graphs.wiring import MethodGraph, Node, add_nodes, check_wiring, choosing, fit_context, with_channels
from readgraph.nodes.answering.answer import answer
from readgraph.nodes.answering.citing import cite
from readgraph.nodes.contracts import AskedState
from readgraph.nodes.opening import open_document
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Answered, Question, ReadingState


def is_asked(state: AskedState) -> str:
    """Go on to the question, if there is one."""
    return "look_up" if state["question_text"] else END


def linear(
    *,
    read: Node,
    look_up: Node,
    open: Node = open_document,
    answer: Node = answer,
    cite: Node = cite,
    state: type[Any] = ReadingState,
) -> StateGraph[ReadingState, ReaderContext, Question, Answered]:
    """Wire the nodes in a line.

    Every argument is a node: one of readgraph's, or a plain function or coroutine `(state, runtime) -> update`; but
    `state`, which may be a class derived from `ReadingState`, with channels of your own. Raises `BadInput` where a node
    reads a key that no earlier node writes.
    """
    builder = MethodGraph(
        with_channels(state, ReadingState), context_schema=ReaderContext, input_schema=Question, output_schema=Answered
    )
    add_nodes(builder, open=open, read=read, look_up=look_up, answer=answer, cite=cite)
    builder.add_edge(START, "open")
    builder.add_edge("open", "read")
    builder.add_conditional_edges("read", choosing(is_asked), ["look_up", END])
    builder.add_edge("look_up", "answer")
    builder.add_edge("answer", "cite")
    builder.add_edge("cite", END)
    fit_context(builder)
    check_wiring(builder)
    return builder

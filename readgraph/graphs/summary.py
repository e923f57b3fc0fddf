"""A summary of a document, or of a part of it, at a wanted length: from the notes that there are, with citations."""

from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.graphs import read_agent
from readgraph.graphs.wiring import MethodGraph, Node, add_nodes, check_wiring, fit_context, with_channels
from readgraph.nodes.summary.checking import check
from readgraph.nodes.summary.choosing import choose
from readgraph.nodes.summary.citing import cite_summary
from readgraph.nodes.summary.notes_there import reading_where_needed
from readgraph.nodes.summary.opening import open_summary
from readgraph.nodes.summary.writing import write
from readgraph.state.context import ReaderContext
from readgraph.state.summary import Summarised, SummaryState, SummaryWanted

__all__ = ["build", "graph", "read"]

read = reading_where_needed(read_agent.read)


def build(
    *,
    open: Node = open_summary,
    read: Node = read,
    choose: Node = choose,
    write: Node = write,
    check: Node = check,
    cite: Node = cite_summary,
    state: type[Any] = SummaryState,
) -> StateGraph[SummaryState, ReaderContext, SummaryWanted, Summarised]:
    """Take or make the notes, choose those of the part, write sentence by sentence, check each, and cite.

    Every argument is a node, and `state` a class derived from `SummaryState`, as in `readgraph.graphs.read_agent`.
    Raises `BadInput` where a node reads a key that no earlier node writes.
    """
    builder = MethodGraph(
        with_channels(state, SummaryState),
        context_schema=ReaderContext,
        input_schema=SummaryWanted,
        output_schema=Summarised,
    )
    add_nodes(builder, open=open, read=read, choose=choose, write=write, check=check, cite=cite)
    for before, after in zip(
        (START, "open", "read", "choose", "write", "check", "cite"),
        ("open", "read", "choose", "write", "check", "cite", END),
        strict=True,
    ):
        builder.add_edge(before, after)
    fit_context(builder)
    check_wiring(builder)
    return builder


graph = build().compile(name="summary")

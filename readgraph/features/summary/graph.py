"""A summary of a document or a part of it, at a wanted length, from its notes.

Sentences are cited and checked.
"""

from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.features.summary import begin as begin_types
from readgraph.features.summary import write as write_types
from readgraph.features.summary.begin import choose, make_read_if_needed, open_summary
from readgraph.features.summary.state import Summarised, SummaryState, SummaryWanted
from readgraph.features.summary.write import check, cite_summary, write
from readgraph.graphs import read_agent
from readgraph.graphs.wiring import add_nodes, add_path, begin_graph, complete_graph
from readgraph.nodes.building.build import ReadState, ReadWrites
from readgraph.nodes.contracts import Node
from readgraph.state.context import ReaderContext

__all__ = ["build", "graph"]

read = make_read_if_needed(read_agent.read)


@complete_graph
def build(
    *,
    open: Node[begin_types.SummaryOpenState, begin_types.SummaryOpenUpdate] = open_summary,
    read: Node[ReadState, ReadWrites] = read,
    choose: Node[begin_types.ChooseState, begin_types.ChooseUpdate] = choose,
    write: Node[write_types.WriteState, write_types.WriteUpdate] = write,
    check: Node[write_types.CheckState, write_types.CheckUpdate] = check,
    cite: Node[write_types.CheckState, write_types.CiteSummaryUpdate] = cite_summary,
    state: type[Any] = SummaryState,
) -> StateGraph[SummaryState, ReaderContext, SummaryWanted, Summarised]:
    """Take or make the notes, choose those of the part, write sentence by sentence, check each, and cite."""
    builder = begin_graph(state, SummaryState, SummaryWanted, Summarised)
    add_nodes(builder, open=open, read=read, choose=choose, write=write, check=check, cite=cite)
    add_path(builder, START, "open", "read", "choose", "write", "check", "cite", END)
    return builder


graph = build().compile(name="summary")

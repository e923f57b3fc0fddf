"""Correcting a note, as a graph: for Studio, and for programs over LangGraph's server."""

from operator import add
from typing import Annotated

from langgraph.graph import END, START, StateGraph

from readgraph.graphs.wiring import add_nodes, add_path, begin_graph, complete_graph
from readgraph.nodes.building.correct import CorrectionInput, NoteCorrected, NoteToCorrect, correct_note, find_newest
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Step, Usage, add_usage


class CorrectionState(NoteToCorrect, NoteCorrected):
    """The input, what was found, what was done, and the record of the steps."""

    usage: Annotated[Usage, add_usage]
    steps: Annotated[list[Step], add]


@complete_graph
def build() -> StateGraph[CorrectionState, ReaderContext, CorrectionInput, CorrectionState]:
    """Find the memory, then correct or restore the note of a part (see `readgraph.library.corrections`)."""
    builder = begin_graph(CorrectionState, CorrectionState, CorrectionInput, CorrectionState)
    add_nodes(builder, find=find_newest, correct=correct_note)
    add_path(builder, START, "find", "correct", END)
    return builder


graph = build().compile(name="correct")

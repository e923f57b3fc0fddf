"""The plain agentic reader: a model that searches, opens pages, and answers, without a memory.

It is MemGPT's graph for a question (`readgraph.features.agents.mem_gpt`) with other nodes in it: there is no working
context, no recall storage, and no summary of what leaves the view.
"""

from collections.abc import Sequence
from typing import Any

from langchain_core.tools import BaseTool
from langgraph.graph import StateGraph
from typing_extensions import Unpack

from readgraph.features.agents import mem_gpt
from readgraph.features.agents.contracts import AgentTurnState, BeginUpdate
from readgraph.features.agents.evict import EvictUpdate, leave_view
from readgraph.features.agents.functions import Functions
from readgraph.features.agents.question import BeginState, act_in_reading_with, begin_with
from readgraph.features.agents.reader_functions import READER_FUNCTIONS
from readgraph.features.agents.state import AgentQuestionState, DocumentsQuestion
from readgraph.features.agents.think import plain_frame, think_with
from readgraph.graphs.wiring import complete_graph
from readgraph.nodes.contracts import Node
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Answered
from readgraph.state.settings import Embeddings

__all__ = ["build", "graph"]

begin = begin_with(notes=False, reached_by="")


@complete_graph
def build(
    *,
    tools: Sequence[BaseTool] = (),
    begin: Node[BeginState, BeginUpdate] = begin,
    think: Node[Any, Any] | None = None,
    evict: Node[AgentTurnState, EvictUpdate] = leave_view,
    act: Node[Any, Any] | None = None,
    **reading: Unpack[mem_gpt.ReadingNodes],
) -> StateGraph[AgentQuestionState, ReaderContext, DocumentsQuestion, Answered]:
    """Search, open, answer: one function after the other, until the reader answers. `tools`: your own functions."""
    functions = Functions([*READER_FUNCTIONS, *tools])
    think = think or think_with(functions, plain_frame, settings=(Embeddings,))
    act = act or act_in_reading_with(functions, settings=())
    return mem_gpt.build(begin=begin, think=think, evict=evict, act=act, **reading)


graph = build().compile(name="reader_agent")

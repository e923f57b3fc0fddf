"""The plain agentic reader: a model that searches the text, opens pages, and answers, with no memory of its own.

It is MemGPT's graph for a question (`readgraph.graphs.mem_gpt`) with other nodes in it: there is no working context, no
recall storage, and no summary of what leaves the view.
"""

from collections.abc import Sequence
from typing import Any

from langchain_core.tools import BaseTool
from langgraph.graph import StateGraph

from readgraph.graphs import mem_gpt
from readgraph.graphs.methods import Method
from readgraph.graphs.wiring import Node
from readgraph.nodes.agent.evict import leave_view
from readgraph.nodes.agent.functions import Functions
from readgraph.nodes.agent.question import act_in_reading_with, answer, begin_with
from readgraph.nodes.agent.reader_functions import READER_FUNCTIONS
from readgraph.nodes.agent.think import plain_frame, think_with
from readgraph.nodes.answering.cite import cite
from readgraph.nodes.look_up import nearest_pages
from readgraph.nodes.opening import open_document
from readgraph.state.agent import AgentQuestionState, DocumentsQuestion
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Answered
from readgraph.state.settings import Embeddings

__all__ = ["build", "graph"]

METHOD = Method(
    name="reader-agent",
    line="A plain agent: searches, opens parts, answers.",
    note="beginning",
    estimate="mem_gpt:estimate_reader_agent",
    memory_of="mem-gpt",
    order=5,
)

begin = begin_with(notes=False, reached_by="")


def build(
    *,
    tools: Sequence[BaseTool] = (),
    open: Node = open_document,
    read: Node = mem_gpt.read,
    begin: Node = begin,
    think: Node | None = None,
    evict: Node = leave_view,
    act: Node | None = None,
    look_up: Node = nearest_pages,
    answer: Node = answer,
    cite: Node = cite,
    state: type[Any] = AgentQuestionState,
) -> StateGraph[AgentQuestionState, ReaderContext, DocumentsQuestion, Answered]:
    """Search, open, answer: one function after the other, until the reader answers. `tools`: your own functions."""
    functions = Functions([*READER_FUNCTIONS, *tools])
    return mem_gpt.build(
        open=open,
        read=read,
        begin=begin,
        think=think or think_with(functions, plain_frame, settings=(Embeddings,)),
        evict=evict,
        act=act or act_in_reading_with(functions, settings=()),
        look_up=look_up,
        answer=answer,
        cite=cite,
        state=state,
    )


graph = build().compile(name="reader_agent")

"""MemGPT: an agent whose context is bounded and whose memory is not; and what such agents will use.

`build_chat` is an agent that lives on after each turn; `build` asks a new agent a question about documents. Estimates
count function calls until the agent answers, and what the searches before show in a step; MemGPT's, summaries too.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from langchain_core.tools import BaseTool
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from readgraph.features.agents import functions as memory_functions
from readgraph.features.agents.chain import choose_reading_step, choose_turn_step
from readgraph.features.agents.contracts import AgentTurnState, BeginUpdate
from readgraph.features.agents.evict import EvictUpdate, evict
from readgraph.features.agents.functions import MEMORY_FUNCTIONS, READING_FUNCTIONS, Functions
from readgraph.features.agents.question import AgentAnswerState, BeginState, act_in_reading_with, answer, begin
from readgraph.features.agents.receive import ReceiveState, ReceiveUpdate, file_pages, receive
from readgraph.features.agents.state import (
    AgentGraphState,
    AgentInput,
    AgentOutput,
    AgentQuestionState,
    DocumentsQuestion,
)
from readgraph.features.agents.think import act_with, chat_frame, question_frame, think_with
from readgraph.graphs.wiring import add_nodes, add_path, add_question, begin_graph, choosing, complete_graph
from readgraph.nodes.answering.cite import cite
from readgraph.nodes.building.build import ReadState, ReadWrites
from readgraph.nodes.contracts import AnswerWrites, CiteState, CiteWrites, LookUpState, LookUpWrites, Node
from readgraph.nodes.look_up import nearest_pages
from readgraph.nodes.opening import OpenState, OpenUpdate, open_document
from readgraph.nodes.step import node
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Answered
from readgraph.state.settings import PageSizes, Paragraphs, Rebuilding

__all__ = ["build", "build_chat", "graph"]

read = node(settings=(PageSizes, Paragraphs, Rebuilding))(file_pages)


@complete_graph
def build_chat(
    *,
    archival_search: BaseTool = memory_functions.archival_search,
    tools: Sequence[BaseTool] = (),
    dated: bool = True,
    receive: Node[ReceiveState, ReceiveUpdate] = receive,
    think: Node[Any, Any] | None = None,
    evict: Node[AgentTurnState, EvictUpdate] = evict,
    act: Node[Any, Any] | None = None,
    state: type[Any] = AgentGraphState,
) -> StateGraph[AgentGraphState, ReaderContext, AgentInput, AgentOutput]:
    """MemGPT (figure 1): each event starts a chain of function calls, until the agent yields.

    `tools`: your own functions; `archival_search`: another search. Without `dated` times, recorded replies are found.
    """
    functions = Functions([memory_functions.send_message, *MEMORY_FUNCTIONS, archival_search, *tools])
    builder = begin_graph(state, AgentGraphState, AgentInput, AgentOutput)
    think, act = think or think_with(functions, partial(chat_frame, dated=dated)), act or act_with(functions)
    add_nodes(builder, receive=receive, think=think, evict=evict, act=act)
    add_path(builder, START, "receive", "think")
    builder.add_conditional_edges("think", choosing(choose_turn_step), ["think", "evict", "act", END])
    add_path(builder, "evict", "think")
    builder.add_conditional_edges("act", choosing(choose_turn_step), ["think", END])
    return builder


class ReadingNodes(TypedDict, total=False):
    """The nodes that a `build` of another reader takes too, beside those in which readers differ."""

    open: Node[OpenState, OpenUpdate]
    read: Node[ReadState, ReadWrites]
    look_up: Node[LookUpState, LookUpWrites]
    answer: Node[AgentAnswerState, AnswerWrites]
    cite: Node[CiteState, CiteWrites]
    state: type[Any]


@complete_graph
def build(
    *,
    archival_search: BaseTool = memory_functions.archival_search,
    tools: Sequence[BaseTool] = (),
    open: Node[OpenState, OpenUpdate] = open_document,
    read: Node[ReadState, ReadWrites] = read,
    begin: Node[BeginState, BeginUpdate] = begin,
    think: Node[Any, Any] | None = None,
    evict: Node[AgentTurnState, EvictUpdate] = evict,
    act: Node[Any, Any] | None = None,
    look_up: Node[LookUpState, LookUpWrites] = nearest_pages,
    answer: Node[AgentAnswerState, AnswerWrites] = answer,
    cite: Node[CiteState, CiteWrites] = cite,
    state: type[Any] = AgentQuestionState,
) -> StateGraph[AgentQuestionState, ReaderContext, DocumentsQuestion, Answered]:
    """MemGPT for document analysis (section 3.2): the agent searches and opens pages until it can answer."""
    functions = Functions([*READING_FUNCTIONS, archival_search, *tools])
    builder = begin_graph(state, AgentQuestionState, DocumentsQuestion, Answered)
    think, act = think or think_with(functions, question_frame), act or act_in_reading_with(functions)
    add_nodes(builder, open=open, read=read, begin=begin, think=think, evict=evict, act=act)
    add_nodes(builder, look_up=look_up, answer=answer, cite=cite)
    add_path(builder, START, "open", "read")
    add_question(builder, "read", "begin")
    builder.add_conditional_edges("begin", choosing(choose_reading_step), ["think", "look_up", "answer"])
    builder.add_conditional_edges(
        "think", choosing(choose_reading_step), ["think", "evict", "act", "look_up", "answer"]
    )
    add_path(builder, "evict", "think")
    builder.add_conditional_edges("act", choosing(choose_reading_step), ["think", "look_up", "answer"])
    add_path(builder, "look_up", "answer", "cite", END)
    return builder


graph = build().compile(name="mem_gpt")
chat = build_chat().compile(name="mem_gpt_chat")

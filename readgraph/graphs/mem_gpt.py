"""MemGPT: an agent whose context is bounded and whose memory is not.

`build_chat` is an agent that lives on after each turn; `build` asks a new agent a question about documents.
"""

from collections.abc import Sequence
from typing import Annotated, Any

from langchain_core.tools import BaseTool
from langgraph.graph import END, START, StateGraph

from readgraph.graphs.wiring import MethodGraph, Node, add_nodes, check_wiring, choosing, fit_context, with_channels
from readgraph.nodes.agent import functions as memory_functions
from readgraph.nodes.agent.acting import act_with
from readgraph.nodes.agent.evicting import evict
from readgraph.nodes.agent.filing import file_pages
from readgraph.nodes.agent.function_calls import Functions
from readgraph.nodes.agent.functions import MEMORY_FUNCTIONS, READING_FUNCTIONS
from readgraph.nodes.agent.question import act_in_reading_with, answer, begin
from readgraph.nodes.agent.receiving import receive
from readgraph.nodes.agent.thinking import CHAIN, chat_frame, reading_frame, think_with
from readgraph.nodes.answering.citing import cite
from readgraph.nodes.bounds import DECISIVE, Gone, may_go_on
from readgraph.nodes.look_up.by_model import nearest_pages
from readgraph.nodes.opening import open_document
from readgraph.nodes.step import StepNode
from readgraph.state.channels.living import (
    AgentGraphState,
    AgentInput,
    AgentOutput,
    AgentQuestionState,
    DocumentsQuestion,
    TurnStep,
)
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Answered, Finding
from readgraph.state.settings import PageSizes, Paragraphs, Rebuilding

__all__ = ["build", "build_chat", "chat", "graph"]

read = StepNode(file_pages, settings=(PageSizes, Paragraphs, Rebuilding))

INSIDE = 2
"""Supersteps of the chain that may still run after the last permitted `think`."""


def is_asked(state: AgentQuestionState) -> str:
    """Go on to the question, if there is one."""
    return "begin" if state["question_text"] else END


class Chain(Gone):
    """What decides whether a chain of steps goes on."""

    next_step: Annotated[TurnStep, DECISIVE]


def goes_on(state: Chain) -> str:
    """The next node of the turn, or its end."""
    return state["next_step"] if _may_go_on(state) else END


class ReadingChain(Chain):
    """What is read before a reading goes on."""

    findings: list[Finding]
    owes_reply: bool
    pages_read: list[int]


def reading_goes_on(state: ReadingChain) -> str:
    """The next node of the reading; at its end the answer, or a look-up where the agent has no answer and no page."""
    if _may_go_on(state):
        return state["next_step"]
    answered = state["findings"] and not state["owes_reply"]
    return "answer" if answered or state["pages_read"] else "look_up"


def _may_go_on(state: Chain) -> bool:
    """Whether the chain goes on. A call made by the last permitted `think` may still be run (see `nodes.bounds`)."""
    return state["next_step"] != "yield" and may_go_on(state, CHAIN, lambda context: context.max_chain, spare=INSIDE)


def build_chat(
    *,
    archival_search: BaseTool = memory_functions.archival_search,
    tools: Sequence[BaseTool] = (),
    dated: bool = True,
    receive: Node = receive,
    think: Node | None = None,
    evict: Node = evict,
    act: Node | None = None,
    state: type[Any] = AgentGraphState,
) -> StateGraph[AgentGraphState, ReaderContext, AgentInput, AgentOutput]:
    """MemGPT (figure 1): each event starts a chain of function calls, until the agent yields.

    `tools` are your own functions; `archival_search` replaces the search of archival storage. `dated`: events show
    their time. Without times, the same history and message find their recorded replies.
    """
    functions = Functions([memory_functions.send_message, *MEMORY_FUNCTIONS, archival_search, *tools])
    builder = MethodGraph(
        with_channels(state, AgentGraphState),
        context_schema=ReaderContext,
        input_schema=AgentInput,
        output_schema=AgentOutput,
    )
    think, act = think or think_with(chat_frame(functions, dated=dated)), act or act_with(functions)
    add_nodes(builder, receive=receive, think=think, evict=evict, act=act)
    builder.add_edge(START, "receive")
    builder.add_edge("receive", "think")
    builder.add_conditional_edges("think", choosing(goes_on), ["think", "evict", "act", END])
    builder.add_edge("evict", "think")
    builder.add_conditional_edges("act", choosing(goes_on), ["think", END])
    fit_context(builder)
    check_wiring(builder)
    return builder


def build(
    *,
    archival_search: BaseTool = memory_functions.archival_search,
    tools: Sequence[BaseTool] = (),
    open: Node = open_document,
    read: Node = read,
    begin: Node = begin,
    think: Node | None = None,
    evict: Node = evict,
    act: Node | None = None,
    look_up: Node = nearest_pages,
    answer: Node = answer,
    cite: Node = cite,
    state: type[Any] = AgentQuestionState,
) -> StateGraph[AgentQuestionState, ReaderContext, DocumentsQuestion, Answered]:
    """MemGPT for document analysis (section 3.2): the agent searches and opens pages until it can answer."""
    functions = Functions([*READING_FUNCTIONS, archival_search, *tools])
    builder = MethodGraph(
        with_channels(state, AgentQuestionState),
        context_schema=ReaderContext,
        input_schema=DocumentsQuestion,
        output_schema=Answered,
    )
    think, act = think or think_with(reading_frame(functions)), act or act_in_reading_with(functions)
    add_nodes(builder, open=open, read=read, begin=begin, think=think, evict=evict, act=act)
    add_nodes(builder, look_up=look_up, answer=answer, cite=cite)
    builder.add_edge(START, "open")
    builder.add_edge("open", "read")
    builder.add_conditional_edges("read", choosing(is_asked), ["begin", END])
    builder.add_conditional_edges("begin", choosing(reading_goes_on), ["think", "look_up", "answer"])
    builder.add_conditional_edges("think", choosing(reading_goes_on), ["think", "evict", "act", "look_up", "answer"])
    builder.add_edge("evict", "think")
    builder.add_conditional_edges("act", choosing(reading_goes_on), ["think", "look_up", "answer"])
    builder.add_edge("look_up", "answer")
    builder.add_edge("answer", "cite")
    builder.add_edge("cite", END)
    fit_context(builder)
    check_wiring(builder)
    return builder


graph = build().compile(name="mem_gpt")
chat = build_chat().compile(name="mem_gpt_chat")

"""MemGPT: an agent whose context is bounded and whose memory is not.

`build_chat` is the agent that lives on; `build` puts a question about documents to a new one.
"""

from collections.abc import Sequence
from typing import Any

from langchain_core.tools import BaseTool
from langgraph.graph import END, START, StateGraph

from readgraph.graphs.wiring import add_nodes, check_wiring
from readgraph.nodes import memory_functions
from readgraph.nodes.acting import act_with
from readgraph.nodes.calling_functions import Functions
from readgraph.nodes.evicting import evict
from readgraph.nodes.filing import file_pages
from readgraph.nodes.framing import chat_frame, reading_frame
from readgraph.nodes.memory_functions import MEMORY_FUNCTIONS, READING_FUNCTIONS
from readgraph.nodes.opening import open_document
from readgraph.nodes.questioning_agent import act_in_reading_with, begin, cite_each, quote_nearest
from readgraph.nodes.receiving import receive
from readgraph.nodes.step import StepNode
from readgraph.nodes.thinking import think_with
from readgraph.state.context import ReaderContext
from readgraph.state.living import AskedLifeState, DocumentsQuestion, LifeInput, LifeOutput, LifeState
from readgraph.state.reading import Answered

read = StepNode(file_pages)


def is_asked(state: AskedLifeState) -> str:
    """Go on to the question, if there is one."""
    return "begin" if state["asked"] else END


def goes_on(state: LifeState) -> str:
    """What the turn goes on with."""
    return END if state["then"] == "yield" else state["then"]


def reading_goes_on(state: AskedLifeState) -> str:
    """What the reading goes on with; it ends with an answer, the agent's or what is nearest."""
    if state["then"] == "yield":
        return "quote" if state["owes_reply"] else "cite"
    return state["then"]


def build_chat(
    *,
    archival_search: BaseTool = memory_functions.archival_search,
    tools: Sequence[BaseTool] = (),
    dated: bool = True,
    receive: Any = receive,
    think: Any = None,
    evict: Any = evict,
    act: Any = None,
) -> StateGraph[LifeState, ReaderContext, LifeInput, LifeOutput]:
    """MemGPT (figure 1): each event sets off a chain of function calls, until the agent yields.

    `tools` are functions of your own; `archival_search` exchanges the search of archival storage. `dated`: events show
    their time; without, the same past and message find their recorded replies.
    """
    functions = Functions([memory_functions.send_message, *MEMORY_FUNCTIONS, archival_search, *tools])
    builder = StateGraph(LifeState, context_schema=ReaderContext, input_schema=LifeInput, output_schema=LifeOutput)
    think, act = think or think_with(chat_frame(functions, dated=dated)), act or act_with(functions)
    add_nodes(builder, receive=receive, think=think, evict=evict, act=act)
    builder.add_edge(START, "receive")
    builder.add_edge("receive", "think")
    builder.add_conditional_edges("think", goes_on, ["think", "evict", "act", END])
    builder.add_edge("evict", "think")
    builder.add_conditional_edges("act", goes_on, ["think", END])
    check_wiring(builder)
    return builder


def build(
    *,
    archival_search: BaseTool = memory_functions.archival_search,
    tools: Sequence[BaseTool] = (),
    open: Any = open_document,
    read: Any = read,
    begin: Any = begin,
    think: Any = None,
    evict: Any = evict,
    act: Any = None,
    quote: Any = quote_nearest,
    cite: Any = cite_each,
) -> StateGraph[AskedLifeState, ReaderContext, DocumentsQuestion, Answered]:
    """MemGPT for document analysis (section 3.2): the agent searches and opens pages until it can answer."""
    functions = Functions([*READING_FUNCTIONS, archival_search, *tools])
    builder = StateGraph(
        AskedLifeState, context_schema=ReaderContext, input_schema=DocumentsQuestion, output_schema=Answered
    )
    think, act = think or think_with(reading_frame(functions)), act or act_in_reading_with(functions)
    add_nodes(builder, open=open, read=read, begin=begin, think=think, evict=evict, act=act, quote=quote, cite=cite)
    builder.add_edge(START, "open")
    builder.add_edge("open", "read")
    builder.add_conditional_edges("read", is_asked, ["begin", END])
    builder.add_conditional_edges("begin", reading_goes_on, ["think", "quote"])
    builder.add_conditional_edges("think", reading_goes_on, ["think", "evict", "act", "quote"])
    builder.add_edge("evict", "think")
    builder.add_conditional_edges("act", reading_goes_on, ["think", "quote", "cite"])
    builder.add_edge("quote", "cite")
    builder.add_edge("cite", END)
    check_wiring(builder)
    return builder


graph = build().compile(name="mem_gpt")
chat = build_chat().compile(name="mem_gpt_chat")

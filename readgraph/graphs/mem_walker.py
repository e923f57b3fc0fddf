"""MemWalker: a tree of summaries over the text's segments, walked down to the leaf that answers, and back up."""

from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.graphs.wiring import add_nodes, check_wiring
from readgraph.nodes.answering_walk import answer
from readgraph.nodes.citing import cite
from readgraph.nodes.descending import descend
from readgraph.nodes.entering import enter
from readgraph.nodes.extractive import extract_note
from readgraph.nodes.growing import grow
from readgraph.nodes.opening import open_document
from readgraph.nodes.prompts import compress, summary
from readgraph.nodes.reading_leaf import read_leaf
from readgraph.nodes.reading_pages import read_pages
from readgraph.nodes.segmenting import segments
from readgraph.nodes.step import StepNode
from readgraph.nodes.summarising import summarise
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Question
from readgraph.state.records import Recipe
from readgraph.state.summary_tree import is_leaf
from readgraph.state.walk import Walked, WalkState


def recipe(context: ReaderContext) -> Recipe:
    """What a MemWalker memory is made with."""
    parameters = {
        "segment_words": context.segment_words,
        "paragraph_break": context.paragraph_break,
        "children": context.children,
        "node_words": context.node_words,
        "sample": context.sample,
    }
    prompts = {prompt.NAME: prompt.VERSION for prompt in (summary, compress)} if context.model else {}
    return Recipe("mem-walker", parameters, context.model, prompts)


read = StepNode(
    read_pages(segments, summarise, recipe), without_model=read_pages(segments, extract_note, recipe), builds=True
)


def is_asked(state: WalkState) -> str:
    """Go on to the question, if there is one."""
    return where_next(state) if state["asked"] else END


def where_next(state: WalkState) -> str:
    """Decide at the node where the walk stands, or answer."""
    if not state["looking"]:
        return "answer"
    return "read_leaf" if is_leaf(state["at"]) else "descend"


def build(
    *,
    open: Any = open_document,
    read: Any = read,
    grow: Any = grow,
    enter: Any = enter,
    descend: Any = descend,
    read_leaf: Any = read_leaf,
    answer: Any = answer,
    cite: Any = cite,
) -> StateGraph[WalkState, ReaderContext, Question, Walked]:
    """MemWalker (figure 1): grow the tree once, then walk it for each question.

    Every argument is a node: one of ours, or a plain function or coroutine `(state, runtime) -> update`. Raises
    `BadInput` where a node reads what no node before it writes.
    """
    builder = StateGraph(WalkState, context_schema=ReaderContext, input_schema=Question, output_schema=Walked)
    add_nodes(builder, open=open, read=read, grow=grow, enter=enter)
    add_nodes(builder, descend=descend, read_leaf=read_leaf, answer=answer, cite=cite)
    builder.add_edge(START, "open")
    builder.add_edge("open", "read")
    builder.add_edge("read", "grow")
    builder.add_edge("grow", "enter")
    builder.add_conditional_edges("enter", is_asked, ["descend", "read_leaf", END])
    builder.add_conditional_edges("descend", where_next, ["descend", "read_leaf", "answer"])
    builder.add_conditional_edges("read_leaf", where_next, ["descend", "read_leaf", "answer"])
    builder.add_edge("answer", "cite")
    builder.add_edge("cite", END)
    check_wiring(builder)
    return builder


graph = build().compile(name="mem_walker")

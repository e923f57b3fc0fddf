"""MemWalker: a tree of summaries over the text's segments; a walk goes down to a leaf that answers, or back up."""

from typing import Annotated, Any

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from readgraph.graphs.methods import Method
from readgraph.graphs.wiring import MethodGraph, Node, add_nodes, check_wiring, choosing, fit_context, with_channels
from readgraph.models.prompt import versions_of
from readgraph.nodes.answering.cite import cite
from readgraph.nodes.bounds import DECISIVE, SearchProgress, within_loop_limit
from readgraph.nodes.building.build import read_pages
from readgraph.nodes.building.paging import segments
from readgraph.nodes.building.summaries import COMPRESS, SUMMARY, grow, summarise
from readgraph.nodes.extractive import extract_note
from readgraph.nodes.opening import open_document
from readgraph.nodes.purpose import purpose_parameters, purpose_prompts, serves_purpose
from readgraph.nodes.walk.answer import answer
from readgraph.nodes.walk.leaf import read_leaf
from readgraph.nodes.walk.position import enter
from readgraph.nodes.walk.triage import descend
from readgraph.state.channels import WalkOutput, WalkState
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import recipe_parameters
from readgraph.state.reading import Question
from readgraph.state.records import Recipe
from readgraph.state.settings import Language, Model, Paragraphs, Purpose, Rebuilding, Tree
from readgraph.state.summary_tree import is_leaf

__all__ = ["build", "graph", "read_leaf", "recipe"]

METHOD = Method(
    name="mem-walker",
    line="A tree of summaries; walks it down and back up for each question.",
    note="summary",
    estimate="estimates.mem_walker:estimate_mem_walker",
    order=2,
)


READING = (Tree, Paragraphs, Purpose, Language, Rebuilding)
"""The settings by which a text is read."""


@serves_purpose
def recipe(context: ReaderContext) -> Recipe:
    """The recipe of a MemWalker memory."""
    parameters = recipe_parameters(context, (*READING, Model)) | purpose_parameters(context)
    prompts = versions_of(SUMMARY, COMPRESS) if context.model else {}
    return Recipe("mem-walker", parameters, context.model, prompts | purpose_prompts(context))


read = read_pages(segments, summarise, recipe, without_model=(segments, extract_note), settings=READING)


HOP = ("descend", "read_leaf")
"""The nodes of one hop of a walk."""


class WalkPlace(TypedDict):
    """Where a walk stands."""

    current_node: Annotated[str, DECISIVE]


class WalkProgress(SearchProgress, WalkPlace):
    """What decides whether the walk takes another hop."""


class WalkStart(WalkPlace):
    """What decides whether the walk begins."""

    question_text: str


def choose_question_or_end(state: WalkStart) -> str:
    """Go on to the question, if there is one."""
    return choose_walk_node(state) if state["question_text"] else END


def choose_hop_or_answer(state: WalkProgress) -> str:
    """Decide at the walk's current node, or answer."""
    looking = state["continue_search"] and within_loop_limit(
        state, HOP, lambda context: context.max_hops * context.walks
    )
    return choose_walk_node(state) if looking else "answer"


def choose_walk_node(state: WalkPlace) -> str:
    """Decide at the node where the walk stands."""
    return "read_leaf" if is_leaf(state["current_node"]) else "descend"


def build(
    *,
    open: Node = open_document,
    read: Node = read,
    grow: Node = grow,
    enter: Node = enter,
    descend: Node = descend,
    read_leaf: Node = read_leaf,
    answer: Node = answer,
    cite: Node = cite,
    state: type[Any] = WalkState,
) -> StateGraph[WalkState, ReaderContext, Question, WalkOutput]:
    """MemWalker (figure 1): grow the tree once, then walk it for each question.

    Every argument is a node: one of readgraph's, or a plain function or coroutine `(state, runtime) -> update`; but
    `state`, which may be a class derived from `WalkState`, with channels of your own. Raises `BadInput` where a node
    reads a key that no earlier node writes.
    """
    builder = MethodGraph(
        with_channels(state, WalkState), context_schema=ReaderContext, input_schema=Question, output_schema=WalkOutput
    )
    add_nodes(builder, open=open)
    builder.add_edge(START, "open")
    add_walk(builder, "answer", read=read, grow=grow, enter=enter, descend=descend, read_leaf=read_leaf)
    add_nodes(builder, answer=answer, cite=cite)
    builder.add_edge("answer", "cite")
    builder.add_edge("cite", END)
    fit_context(builder)
    check_wiring(builder)
    return builder


def add_walk(
    builder: StateGraph[Any, ReaderContext, Any, Any],
    then: str,
    *,
    read: Node = read,
    grow: Node = grow,
    enter: Node = enter,
    descend: Node = descend,
    read_leaf: Node = read_leaf,
) -> None:
    """From an open document to the end of a walk (section 3), which leads to the node `then`."""
    add_nodes(builder, read=read, grow=grow, enter=enter, descend=descend, read_leaf=read_leaf)
    builder.add_edge("open", "read")
    builder.add_edge("read", "grow")
    builder.add_edge("grow", "enter")
    builder.add_conditional_edges("enter", choosing(choose_question_or_end), ["descend", "read_leaf", END])
    for hop in HOP:
        builder.add_conditional_edges(
            hop, choosing(choose_hop_or_answer), {"descend": "descend", "read_leaf": "read_leaf", "answer": then}
        )


graph = build().compile(name="mem_walker")

"""MemWalker: a tree of summaries over the text's segments; a walk goes down to a leaf that answers, or back up."""

from collections.abc import Mapping
from typing import Annotated, Any

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict, Unpack

from readgraph.graphs.wiring import add_nodes, add_path, begin_graph, choosing, complete_graph
from readgraph.graphs.wiring.method_graph import Builder
from readgraph.nodes.answering.cite import cite
from readgraph.nodes.bounds import DECISIVE, SearchProgress, within_loop_limit
from readgraph.nodes.building import summaries
from readgraph.nodes.building.build import ReadState, ReadWrites, read_pages
from readgraph.nodes.building.paging import segments
from readgraph.nodes.building.recipes import BuiltState, recipe_of_notes
from readgraph.nodes.contracts import AnswerWrites, AskedState, CiteState, CiteWrites, Node
from readgraph.nodes.extractive.gists import extract_note
from readgraph.nodes.opening import OpenState, OpenUpdate, open_document
from readgraph.nodes.walk.position import LeafUpdate, WalkingState, WalkUpdate, enter
from readgraph.nodes.walk.steps import answer, descend, read_leaf
from readgraph.state.channels import WalkOutput, WalkState
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Question
from readgraph.state.settings import Language, Paragraphs, Purpose, Rebuilding, Tree
from readgraph.state.summary_tree import is_leaf

__all__ = ["build", "graph", "read_leaf"]

READING = (Tree, Paragraphs, Purpose, Language, Rebuilding)


recipe = recipe_of_notes("mem-walker", READING, summaries.SUMMARY, summaries.COMPRESS)
"""The recipe of a MemWalker memory."""

read = read_pages(segments, summaries.summarise, recipe, without_model=(segments, extract_note), settings=READING)


HOP = ("descend", "read_leaf")  # the nodes of one hop of a walk


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


def choose_walk_node(state: WalkPlace) -> str:
    """Decide at the node where the walk stands."""
    return "read_leaf" if is_leaf(state["current_node"]) else "descend"


class WalkNodes(TypedDict, total=False):
    """The nodes up to the end of a walk that can be swapped in a `build`; by default they are MemWalker's own."""

    read: Node[ReadState, ReadWrites]
    grow: Node[BuiltState, Mapping[str, object]]
    enter: Node[AskedState, WalkUpdate]
    descend: Node[WalkingState, WalkUpdate]
    read_leaf: Node[WalkingState, LeafUpdate]


@complete_graph
def build(
    *,
    open: Node[OpenState, OpenUpdate] = open_document,
    answer: Node[WalkingState, AnswerWrites] = answer,
    cite: Node[CiteState, CiteWrites] = cite,
    state: type[Any] = WalkState,
    **walk: Unpack[WalkNodes],
) -> StateGraph[WalkState, ReaderContext, Question, WalkOutput]:
    """MemWalker (figure 1): grow the tree once, then walk it for each question."""
    builder = begin_graph(state, WalkState, Question, WalkOutput)
    add_walk(builder, "answer", open=open, **walk)
    add_nodes(builder, answer=answer, cite=cite)
    add_path(builder, "answer", "cite", END)
    return builder


def add_walk(
    builder: Builder,
    then: str,
    *,
    open: Node[OpenState, OpenUpdate],
    read: Node[ReadState, ReadWrites] = read,
    grow: Node[BuiltState, Mapping[str, object]] = summaries.grow,
    enter: Node[AskedState, WalkUpdate] = enter,
    descend: Node[WalkingState, WalkUpdate] = descend,
    read_leaf: Node[WalkingState, LeafUpdate] = read_leaf,
) -> None:
    """From a document's opening to the end of a walk (section 3), which leads to the node `then`."""
    add_nodes(builder, open=open, read=read, grow=grow, enter=enter, descend=descend, read_leaf=read_leaf)
    add_path(builder, START, "open", "read", "grow", "enter")
    builder.add_conditional_edges("enter", choosing(choose_question_or_end), ["descend", "read_leaf", END])

    def choose_hop_or_answer(state: WalkProgress) -> str:
        looking = state["continue_search"] and within_loop_limit(
            state, HOP, lambda context: context.max_hops * context.walks
        )
        return choose_walk_node(state) if looking else then

    for hop in HOP:
        builder.add_conditional_edges(hop, choosing(choose_hop_or_answer), [*HOP, then])


graph = build().compile(name="mem_walker")

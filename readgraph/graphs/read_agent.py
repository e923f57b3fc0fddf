"""ReadAgent: page the text at natural pauses, keep a gist of each page, look pages up again, answer."""

from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.graphs.methods import Method
from readgraph.graphs.wiring import MethodGraph, Node, add_nodes, check_wiring, choosing, fit_context, with_channels
from readgraph.models.prompt import versions_of
from readgraph.nodes.answering.answer import answer
from readgraph.nodes.answering.cite import cite
from readgraph.nodes.bounds import SearchProgress, within_loop_limit
from readgraph.nodes.building.build import ReadState, ReadUpdate, read_pages
from readgraph.nodes.building.merge import merge
from readgraph.nodes.building.notes import GIST, gist_page
from readgraph.nodes.building.paging import PAUSE, pages_as_set
from readgraph.nodes.building.parts import in_stretches
from readgraph.nodes.contracts import AskedState
from readgraph.nodes.extractive import extract_note, pages_by_rule
from readgraph.nodes.look_up import look_up
from readgraph.nodes.opening import open_document
from readgraph.nodes.purpose import purpose_parameters, purpose_prompts, serves_purpose
from readgraph.nodes.step import MakeRecipe, StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import recipe_parameters
from readgraph.state.reading import Answered, Question, ReadingState
from readgraph.state.records import Recipe
from readgraph.state.settings import Gists, Language, Model, PageSizes, Paragraphs, Pausing, Purpose, Rebuilding

__all__ = ["build", "graph", "read", "reading", "recipe"]

METHOD = Method(
    name="read-agent",
    line="Gists of parts; looks parts up again for each question.",
    note="gist",
    estimate="estimates.read_agent:estimate_read_agent",
    order=1,
)


READING = (PageSizes, Paragraphs, Pausing, Gists, Purpose, Language, Rebuilding)
"""The settings by which a text is read."""


@serves_purpose
def recipe(context: ReaderContext) -> Recipe:
    """The recipe of a ReadAgent memory."""
    parameters = recipe_parameters(context, (*READING, Model)) | purpose_parameters(context)
    prompts = versions_of(PAUSE, GIST) if context.model else {}
    return Recipe("read-agent", parameters, context.model, prompts | purpose_prompts(context))


def reading(recipe: MakeRecipe) -> StepNode[ReadState, ReadUpdate]:
    """ReadAgent's reading with this recipe: the memory of a hybrid may be one of its own, with more parameters."""
    without_model = (pages_by_rule, extract_note)
    return read_pages(in_stretches(pages_as_set), gist_page, recipe, without_model=without_model, settings=READING)


read = reading(recipe)


def choose_question_or_end(state: AskedState) -> str:
    """Go on to the question, if there is one."""
    return "look_up" if state["question_text"] else END


def choose_look_up_or_answer(state: SearchProgress) -> str:
    """Look up another page, or answer."""
    looking = state["continue_search"] and within_loop_limit(state, ("look_up",), lambda context: context.max_pages)
    return "look_up" if looking else "answer"


def build(
    *,
    open: Node = open_document,
    read: Node = read,
    merge: Node = merge,
    look_up: Node = look_up,
    answer: Node = answer,
    cite: Node = cite,
    state: type[Any] = ReadingState,
) -> StateGraph[ReadingState, ReaderContext, Question, Answered]:
    """ReadAgent (figure 1): read once, then look pages up for each question and answer.

    Every argument is a node: one of readgraph's, or a plain function or coroutine `(state, runtime) -> update`; but
    `state`, which may be a class derived from `ReadingState`, with channels of your own. Raises `BadInput` where a node
    reads a key that no earlier node writes.
    """
    builder = MethodGraph(
        with_channels(state, ReadingState), context_schema=ReaderContext, input_schema=Question, output_schema=Answered
    )
    add_nodes(builder, open=open, read=read, merge=merge, look_up=look_up, answer=answer, cite=cite)
    builder.add_edge(START, "open")
    builder.add_edge("open", "read")
    builder.add_edge("read", "merge")
    builder.add_conditional_edges("merge", choosing(choose_question_or_end), ["look_up", END])
    builder.add_conditional_edges("look_up", choosing(choose_look_up_or_answer), ["look_up", "answer"])
    builder.add_edge("answer", "cite")
    builder.add_edge("cite", END)
    fit_context(builder)
    check_wiring(builder)
    return builder


graph = build().compile(name="read_agent")

"""ReadAgent: page the text at natural pauses, keep a gist of each page, look pages up again, answer."""

from collections.abc import Mapping
from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.graphs.wiring import add_nodes, add_path, add_question, add_search, begin_graph, complete_graph
from readgraph.nodes.answering.answer import answer
from readgraph.nodes.answering.cite import cite
from readgraph.nodes.building import paging
from readgraph.nodes.building.build import ReadState, ReadUpdate, ReadWrites, read_pages
from readgraph.nodes.building.merge import merge
from readgraph.nodes.building.notes import GIST, gist_page
from readgraph.nodes.building.parts import in_stretches
from readgraph.nodes.building.recipes import BuiltState, recipe_of_notes
from readgraph.nodes.contracts import AnswerState, AnswerWrites, CiteState, CiteWrites, LookUpState, LookUpWrites, Node
from readgraph.nodes.extractive import pages_by_rule
from readgraph.nodes.extractive.gists import extract_note
from readgraph.nodes.look_up import look_up
from readgraph.nodes.opening import OpenState, OpenUpdate, open_document
from readgraph.nodes.step import MakeRecipe, StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Answered, Question, ReadingState
from readgraph.state.settings import Gists, Language, PageSizes, Paragraphs, Pausing, Purpose, Rebuilding

__all__ = ["build", "graph", "read", "reading", "recipe"]

READING = (PageSizes, Paragraphs, Pausing, Gists, Purpose, Language, Rebuilding)


recipe = recipe_of_notes("read-agent", READING, paging.PAUSE, GIST)
"""The recipe of a ReadAgent memory."""


def reading(recipe: MakeRecipe) -> StepNode[ReadState, ReadUpdate]:
    """ReadAgent's reading with this recipe: the memory of a hybrid may be one of its own, with more parameters."""
    without_model = (pages_by_rule, extract_note)
    return read_pages(
        in_stretches(paging.pages_as_set), gist_page, recipe, without_model=without_model, settings=READING
    )


read = reading(recipe)
"""Cuts the text into pages at natural pauses, and writes a gist of each."""


@complete_graph
def build(
    *,
    open: Node[OpenState, OpenUpdate] = open_document,
    read: Node[ReadState, ReadWrites] = read,
    merge: Node[BuiltState, Mapping[str, object]] = merge,
    look_up: Node[LookUpState, LookUpWrites] = look_up,
    answer: Node[AnswerState, AnswerWrites] = answer,
    cite: Node[CiteState, CiteWrites] = cite,
    state: type[Any] = ReadingState,
) -> StateGraph[ReadingState, ReaderContext, Question, Answered]:
    """ReadAgent (figure 1): read once, then look pages up for each question and answer."""
    builder = begin_graph(state, ReadingState, Question, Answered)
    add_nodes(builder, open=open, read=read, merge=merge, look_up=look_up, answer=answer, cite=cite)
    add_path(builder, START, "open", "read", "merge")
    add_question(builder, "merge", "look_up")
    add_search(builder, "look_up", "look_up", loop=("look_up",), most=lambda context: context.max_pages)
    add_path(builder, "answer", "cite", END)
    return builder


graph = build().compile(name="read_agent")

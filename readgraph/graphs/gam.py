"""GAM: a memorizer keeps a light memory of a growing history; a researcher searches its pages for each question."""

from typing import Any

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict, Unpack

from readgraph.graphs.wiring import add_nodes, add_path, add_question, add_search, begin_graph, complete_graph
from readgraph.graphs.wiring.method_graph import Builder
from readgraph.nodes import opening as opening_types
from readgraph.nodes.answering.cite import cite
from readgraph.nodes.building.build import ReadState, ReadWrites, read_with
from readgraph.nodes.building.notes import MEMORIZE, extractive_parts, memorizer_parts, needs_two_calls
from readgraph.nodes.building.recipes import recipe_of_notes
from readgraph.nodes.contracts import CiteState, CiteWrites, Node
from readgraph.nodes.opening import make_find_memory, open_document, open_for_research
from readgraph.nodes.research import plan as plan_types
from readgraph.nodes.research import reflect as reflect_types
from readgraph.nodes.research.integrate import (
    FoundState,
    FoundUpdate,
    IntegrateState,
    IntegrateUpdate,
    answer_from_notes,
    integrate,
)
from readgraph.nodes.research.plan import plan, search
from readgraph.nodes.research.reflect import reflect
from readgraph.state.channels import ResearchOutput, ResearchState
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Answered, Question, ReadingState
from readgraph.state.settings import Language, Memorizing, Paragraphs, Purpose, ReadingModel, Rebuilding

__all__ = ["build", "build_memorize", "build_research", "graph"]

Research = StateGraph[ResearchState, ReaderContext, Question, ResearchOutput]

ROUND = ("plan", "search", "integrate", "reflect")  # the nodes of one round of research


class Rounds(TypedDict, total=False):
    """The nodes of the researcher that can be swapped in a `build`; by default they are GAM's own."""

    plan: Node[plan_types.PlanState, plan_types.PlanUpdate]
    search: Node[plan_types.SearchState, plan_types.SearchUpdate]
    integrate: Node[IntegrateState, IntegrateUpdate]
    reflect: Node[reflect_types.ReflectState, reflect_types.ReflectUpdate]
    answer: Node[FoundState, FoundUpdate]
    cite: Node[CiteState, CiteWrites]


MEMORIZING = (Language, Purpose, Memorizing, Paragraphs)


recipe = recipe_of_notes(
    "gam", MEMORIZING, MEMORIZE, more=lambda context: {"two_calls": needs_two_calls(context)} if context.model else {}
)
"""The recipe of a GAM memory."""

memorize = read_with(memorizer_parts, recipe, without_model=extractive_parts, settings=(*MEMORIZING, Rebuilding))
find_memory = make_find_memory(recipe, settings=(*MEMORIZING, ReadingModel))


@complete_graph
def build_memorize(
    *,
    open: Node[opening_types.OpenState, opening_types.OpenUpdate] = open_document,
    memorize: Node[ReadState, ReadWrites] = memorize,
    state: type[Any] = ReadingState,
) -> StateGraph[ReadingState, ReaderContext, Question, Answered]:
    """The offline stage (figure 1): make pages, memos and headers for what is new in a document or a history."""
    builder = begin_graph(state, ReadingState, Question, Answered)
    add_nodes(builder, open=open, memorize=memorize)
    add_path(builder, START, "open", "memorize", END)
    return builder


@complete_graph
def build_research(
    *,
    open: Node[opening_types.OpenState, opening_types.OpenUpdate] = open_for_research,
    find_memory: Node[opening_types.FindState, opening_types.FindUpdate] = find_memory,
    state: type[Any] = ResearchState,
    **rounds: Unpack[Rounds],
) -> Research:
    """The online stage (figure 1), over an existing memory."""
    builder = begin_graph(state, ResearchState, Question, ResearchOutput)
    add_nodes(builder, open=open, find_memory=find_memory)
    add_path(builder, START, "open", "find_memory")
    add_question(builder, "find_memory", "plan")
    add_rounds(builder, **rounds)
    return builder


@complete_graph
def build(
    *,
    open: Node[opening_types.OpenState, opening_types.OpenUpdate] = open_for_research,
    memorize: Node[ReadState, ReadWrites] = memorize,
    state: type[Any] = ResearchState,
    **rounds: Unpack[Rounds],
) -> Research:
    """GAM (figure 1): memorise what is new, then research each question."""
    builder = begin_graph(state, ResearchState, Question, ResearchOutput)
    add_nodes(builder, open=open, memorize=memorize)
    add_path(builder, START, "open", "memorize")
    add_question(builder, "memorize", "plan")
    add_rounds(builder, **rounds)
    return builder


def add_rounds(
    builder: Builder,
    *,
    plan: Node[plan_types.PlanState, plan_types.PlanUpdate] = plan,
    search: Node[plan_types.SearchState, plan_types.SearchUpdate] = search,
    integrate: Node[IntegrateState, IntegrateUpdate] = integrate,
    reflect: Node[reflect_types.ReflectState, reflect_types.ReflectUpdate] = reflect,
    answer: Node[FoundState, FoundUpdate] = answer_from_notes,
    cite: Node[CiteState, CiteWrites] = cite,
) -> None:
    """The researcher (section 2.2.2): plan, search, integrate and reflect, round by round, then answer."""
    add_nodes(builder, plan=plan, search=search, integrate=integrate, reflect=reflect, answer=answer, cite=cite)
    add_search(builder, "plan", "search")
    add_path(builder, "search", "integrate", "reflect")
    add_search(builder, "reflect", "plan", loop=ROUND, most=lambda context: context.rounds)
    add_path(builder, "answer", "cite", END)


memorize_graph = build_memorize().compile(name="gam_memorize")
research_graph = build_research().compile(name="gam_research")
graph = build().compile(name="gam")

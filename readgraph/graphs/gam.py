"""GAM: a memorizer keeps a light memory of a growing history; a researcher searches its pages for each question."""

from typing import Annotated, Any

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict, Unpack

from readgraph.graphs.methods import Method
from readgraph.graphs.wiring import MethodGraph, Node, add_nodes, check_wiring, choosing, fit_context, with_channels
from readgraph.models.prompt import versions_of
from readgraph.nodes.answering.cite import cite
from readgraph.nodes.bounds import DECISIVE, SearchProgress, within_loop_limit
from readgraph.nodes.building.build import read_with
from readgraph.nodes.building.notes import MEMORIZE, extractive_parts, memorizer_parts, needs_two_calls
from readgraph.nodes.opening import make_find_memory, open_document, open_for_research
from readgraph.nodes.purpose import purpose_parameters, purpose_prompts, serves_purpose
from readgraph.nodes.research.answer import answer_from_notes
from readgraph.nodes.research.integrate import integrate
from readgraph.nodes.research.plan import plan, search
from readgraph.nodes.research.reflect import reflect
from readgraph.state.channels import ResearchOutput, ResearchState
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import recipe_parameters
from readgraph.state.reading import Answered, Question, ReadingState
from readgraph.state.records import Recipe
from readgraph.state.settings import Language, Memorizing, Model, Paragraphs, Purpose, ReadingModel, Rebuilding

__all__ = ["build", "build_memorize", "build_research", "graph", "memorize", "recipe", "research"]

METHODS = (
    Method(
        name="gam",
        line="Memos of parts; researches the parts for each question, round by round.",
        note="memo",
        estimate="estimates.gam:estimate_gam",
        order=3,
    ),
    Method(
        name="gam-memorize",
        kind="part",
        served="Builds GAM's memory of a long document or a growing history: memos of its parts. Answers nothing.",
        compiled="memorize",
        order=3,
    ),
    Method(
        name="gam-research",
        kind="part",
        served="Answers a question from a memory that gam_memorize built, by rounds of research, with quotes.",
        compiled="research",
        order=3,
    ),
)

Research = StateGraph[ResearchState, ReaderContext, Question, ResearchOutput]

ROUND = ("plan", "search", "integrate", "reflect")
"""The nodes of one round of research."""


class Rounds(TypedDict, total=False):
    """The nodes of the researcher that can be swapped in a `build`; by default they are GAM's own."""

    plan: Node
    search: Node
    integrate: Node
    reflect: Node
    answer: Node
    cite: Node


MEMORIZING = (Language, Purpose, Memorizing, Paragraphs)
"""The settings by which a history is memorised."""


@serves_purpose
def recipe(context: ReaderContext) -> Recipe:
    """The recipe of a GAM memory."""
    parameters = recipe_parameters(context, (*MEMORIZING, Model)) | purpose_parameters(context)
    if context.model:
        parameters["two_calls"] = needs_two_calls(context)
    prompts = versions_of(MEMORIZE) if context.model else {}
    return Recipe("gam", parameters, context.model, prompts | purpose_prompts(context))


memorizer = read_with(memorizer_parts, recipe, without_model=extractive_parts, settings=(*MEMORIZING, Rebuilding))
find_memory = make_find_memory(recipe, settings=(*MEMORIZING, ReadingModel))


def choose_question_or_end(state: ResearchState) -> str:
    """Go on to the question, if there is one."""
    return "plan" if state["question_text"] else END


class SearchDecision(TypedDict):
    """What is asked before a search."""

    continue_search: Annotated[bool, DECISIVE]


def choose_search_or_answer(state: SearchDecision) -> str:
    """Search as planned, or answer if the plan has nothing to search for."""
    return "search" if state["continue_search"] else "answer"


def choose_round_or_answer(state: SearchProgress) -> str:
    """Plan another round, or answer."""
    looking = state["continue_search"] and within_loop_limit(state, ROUND, lambda context: context.rounds)
    return "plan" if looking else "answer"


def build_memorize(
    *, open: Node = open_document, memorize: Node = memorizer, state: type[Any] = ReadingState
) -> StateGraph[ReadingState, ReaderContext, Question, Answered]:
    """The offline stage (figure 1): make pages, memos and headers for what is new in a document or a history."""
    builder = MethodGraph(
        with_channels(state, ReadingState), context_schema=ReaderContext, input_schema=Question, output_schema=Answered
    )
    add_nodes(builder, open=open, memorize=memorize)
    builder.add_edge(START, "open")
    builder.add_edge("open", "memorize")
    builder.add_edge("memorize", END)
    fit_context(builder)
    check_wiring(builder)
    return builder


def build_research(
    *,
    open: Node = open_for_research,
    find_memory: Node = find_memory,
    state: type[Any] = ResearchState,
    **rounds: Unpack[Rounds],
) -> Research:
    """The online stage (figure 1), over an existing memory."""
    builder = _new_builder(state)
    add_nodes(builder, open=open, find_memory=find_memory)
    builder.add_edge(START, "open")
    builder.add_edge("open", "find_memory")
    builder.add_conditional_edges("find_memory", choosing(choose_question_or_end), ["plan", END])
    add_rounds(builder, **rounds)
    fit_context(builder)
    check_wiring(builder)
    return builder


def build(
    *,
    open: Node = open_for_research,
    memorize: Node = memorizer,
    state: type[Any] = ResearchState,
    **rounds: Unpack[Rounds],
) -> Research:
    """GAM (figure 1): memorise what is new, then research each question.

    Every argument is a node: one of readgraph's, or a plain function or coroutine `(state, runtime) -> update`; but
    `state`, which may be a class derived from `ResearchState`, with channels of your own.
    """
    builder = _new_builder(state)
    add_nodes(builder, open=open, memorize=memorize)
    builder.add_edge(START, "open")
    builder.add_edge("open", "memorize")
    builder.add_conditional_edges("memorize", choosing(choose_question_or_end), ["plan", END])
    add_rounds(builder, **rounds)
    fit_context(builder)
    check_wiring(builder)
    return builder


def add_rounds(
    builder: StateGraph[Any, ReaderContext, Any, Any],
    *,
    plan: Node = plan,
    search: Node = search,
    integrate: Node = integrate,
    reflect: Node = reflect,
    answer: Node = answer_from_notes,
    cite: Node = cite,
) -> None:
    """The researcher (section 2.2.2): plan, search, integrate and reflect, round by round, then answer."""
    add_nodes(builder, plan=plan, search=search, integrate=integrate, reflect=reflect, answer=answer, cite=cite)
    builder.add_conditional_edges("plan", choosing(choose_search_or_answer), ["search", "answer"])
    builder.add_edge("search", "integrate")
    builder.add_edge("integrate", "reflect")
    builder.add_conditional_edges("reflect", choosing(choose_round_or_answer), ["plan", "answer"])
    builder.add_edge("answer", "cite")
    builder.add_edge("cite", END)


def _new_builder(state: type[Any]) -> Research:
    return MethodGraph(
        with_channels(state, ResearchState),
        context_schema=ReaderContext,
        input_schema=Question,
        output_schema=ResearchOutput,
    )


memorize = build_memorize().compile(name="gam_memorize")
research = build_research().compile(name="gam_research")
graph = build().compile(name="gam")

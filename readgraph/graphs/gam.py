"""GAM: keep a memo of every page, research the pages for each question: plan, search, integrate, reflect, answer."""

from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.graphs.wiring import add_nodes
from readgraph.nodes.answering_from_notes import answer_from_notes
from readgraph.nodes.citing import cite
from readgraph.nodes.integrating import integrate
from readgraph.nodes.opening_research import open_for_research, recalling
from readgraph.nodes.planning import plan
from readgraph.nodes.reflecting import reflect
from readgraph.nodes.searching import search
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Question
from readgraph.state.records import Recipe
from readgraph.state.research import Researched, ResearchState


def recipe(context: ReaderContext) -> Recipe:
    """What a GAM memory is made with."""
    return Recipe("gam", {}, context.model)


recall = recalling(recipe)


def is_asked(state: ResearchState) -> str:
    """Go on to the question, if there is one."""
    return "plan" if state["asked"] else END


def has_plan(state: ResearchState) -> str:
    """Search as planned, or answer where there is nothing to search."""
    return "search" if state["looking"] else "answer"


def still_looking(state: ResearchState) -> str:
    """One more round, or answer."""
    return "plan" if state["looking"] else "answer"


def build_research(
    *,
    open: Any = open_for_research,
    recall: Any = recall,
    plan: Any = plan,
    search: Any = search,
    integrate: Any = integrate,
    reflect: Any = reflect,
    answer: Any = answer_from_notes,
    cite: Any = cite,
) -> StateGraph[ResearchState, ReaderContext, Question, Researched]:
    """The researcher (section 2.2.2) over a memory that is there: plan, search, integrate, reflect, round by round.

    Every argument is a node: one of ours, or a plain function or coroutine `(state, runtime) -> update`.
    """
    builder = StateGraph(ResearchState, context_schema=ReaderContext, input_schema=Question, output_schema=Researched)
    add_nodes(builder, open=open, recall=recall, plan=plan, search=search, integrate=integrate)
    add_nodes(builder, reflect=reflect, answer=answer, cite=cite)
    builder.add_edge(START, "open")
    builder.add_edge("open", "recall")
    builder.add_conditional_edges("recall", is_asked, ["plan", END])
    _add_rounds(builder)
    return builder


def _add_rounds(builder: StateGraph[ResearchState, ReaderContext, Question, Researched]) -> None:
    """The rounds of research and the answer."""
    builder.add_conditional_edges("plan", has_plan, ["search", "answer"])
    builder.add_edge("search", "integrate")
    builder.add_edge("integrate", "reflect")
    builder.add_conditional_edges("reflect", still_looking, ["plan", "answer"])
    builder.add_edge("answer", "cite")
    builder.add_edge("cite", END)


research = build_research().compile(name="research")

"""A survey: a question about the whole text is answered from records that every page gives.

What one page or a few can answer, the other methods look up. "List every person", "how often was it postponed", "what
changed between the two versions" need all pages. The model plans which records to take and takes them, page by page;
code joins, compares, counts, groups and sorts them.
"""

from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.graphs.wiring import MethodGraph, Node, add_nodes, check_wiring, choosing, fit_context, with_channels
from readgraph.nodes.answering.citing import cite
from readgraph.nodes.building.build import read_pages
from readgraph.nodes.building.even_pages import even_pages, no_note
from readgraph.nodes.contracts import AskedState
from readgraph.nodes.opening import open_document
from readgraph.nodes.step import StepNode
from readgraph.nodes.survey.answering import answer_from_table
from readgraph.nodes.survey.programme import plan, plan_table
from readgraph.nodes.survey.same_names import join_names
from readgraph.nodes.survey.table import combine_records
from readgraph.nodes.survey.taking import take
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Question
from readgraph.state.records import Recipe
from readgraph.state.settings import Paragraphs, Rebuilding, Surveying, Window
from readgraph.state.survey import SurveyAnswered, SurveyState

__all__ = ["build", "build_table", "graph", "read", "recipe"]

BESIDE_PAGE = 500
"""Words of a page's prompt that are not the page: instructions, the columns, the form of the reply."""


def page_words(context: ReaderContext) -> int:
    """Most words of a page: as the settings say, or as many as fit the window."""
    return min(context.survey_words, max(context.window_words - BESIDE_PAGE, context.window_words // 2))


def recipe(context: ReaderContext) -> Recipe:
    """The recipe of the pages, which need no model; records are kept in memories of their own."""
    return Recipe("survey", {"words": page_words(context), "paragraph_break": context.paragraph_break}, model="")


read = StepNode(
    read_pages(even_pages(page_words), no_note, recipe), settings=(Surveying, Window, Paragraphs, Rebuilding)
)


def is_asked(state: AskedState) -> str:
    """Go on to the question, if there is one."""
    return "plan" if state["question_text"] else END


def build(
    *,
    open: Node = open_document,
    read: Node = read,
    plan: Node = plan,
    take: Node = take,
    join_names: Node = join_names,
    combine: Node = combine_records,
    answer: Node = answer_from_table,
    cite: Node = cite,
    state: type[Any] = SurveyState,
) -> StateGraph[SurveyState, ReaderContext, Question, SurveyAnswered]:
    """Plan, take records from all pages, join names of one thing, combine, answer, cite.

    Every argument is a node: one of readgraph's, or a plain function or coroutine `(state, runtime) -> update`; but
    `state`, which may be a class derived from `SurveyState`, with channels of your own. Raises `BadInput` where a node
    reads a key that no earlier node writes.
    """
    builder = MethodGraph(
        with_channels(state, SurveyState),
        context_schema=ReaderContext,
        input_schema=Question,
        output_schema=SurveyAnswered,
    )
    add_nodes(builder, open=open, read=read, plan=plan, take=take, join_names=join_names)
    add_nodes(builder, combine=combine, answer=answer, cite=cite)
    builder.add_edge(START, "open")
    builder.add_edge("open", "read")
    builder.add_conditional_edges("read", choosing(is_asked), ["plan", END])
    builder.add_edge("plan", "take")
    builder.add_edge("take", "join_names")
    builder.add_edge("join_names", "combine")
    builder.add_edge("combine", "answer")
    builder.add_edge("answer", "cite")
    builder.add_edge("cite", END)
    fit_context(builder)
    check_wiring(builder)
    return builder


def build_table() -> StateGraph[SurveyState, ReaderContext, Question, SurveyAnswered]:
    """A survey whose answer is always its table, which needs no call."""
    return build(plan=plan_table)


graph = build().compile(name="survey")

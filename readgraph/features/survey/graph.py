"""A survey: a question about the whole text, answered from records of every page.

What one page or a few can answer, the other methods look up. "List every person", "how often was it postponed", "what
changed between the two versions" need all pages. The model plans which records to take and takes them, page by page;
code joins, compares, counts, groups and sorts them.
"""

from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.features.survey import answer as answer_types
from readgraph.features.survey import plan as planning
from readgraph.features.survey.answer import answer_from_table, join_names
from readgraph.features.survey.plan import SurveyPlanUpdate
from readgraph.features.survey.settings import Surveying
from readgraph.features.survey.state import SurveyAnswered, SurveyState
from readgraph.features.survey.table import CombineState, CombineUpdate, RecordsState, combine_records
from readgraph.features.survey.take import TakeState, TakeUpdate, take
from readgraph.graphs.wiring import add_nodes, add_path, add_question, begin_graph, complete_graph
from readgraph.nodes.answering.cite import cite
from readgraph.nodes.bounds import fit_page
from readgraph.nodes.building.build import ReadState, ReadWrites, cut_pages
from readgraph.nodes.building.paging import even_pages
from readgraph.nodes.building.recipes import recipe_of_pages
from readgraph.nodes.contracts import AskedPages, CiteState, CiteWrites, Node
from readgraph.nodes.opening import OpenState, OpenUpdate, open_document
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Question
from readgraph.state.settings import Paragraphs, Rebuilding, Window


def page_words(context: ReaderContext) -> int:
    """Most words of a page: as the settings say, or as many as fit the window."""
    return fit_page(context.survey_words, context)


recipe = recipe_of_pages("survey", page_words)
"""The recipe of the pages; records are kept in memories of their own."""

read = cut_pages(even_pages(page_words), recipe, settings=(Surveying, Window, Paragraphs, Rebuilding))


@complete_graph
def build(
    *,
    open: Node[OpenState, OpenUpdate] = open_document,
    read: Node[ReadState, ReadWrites] = read,
    plan: Node[AskedPages, SurveyPlanUpdate] = planning.plan,
    take: Node[TakeState, TakeUpdate] = take,
    join_names: Node[RecordsState, answer_types.SameUpdate] = join_names,
    combine: Node[CombineState, CombineUpdate] = combine_records,
    answer: Node[answer_types.TableState, answer_types.TableUpdate] = answer_from_table,
    cite: Node[CiteState, CiteWrites] = cite,
    state: type[Any] = SurveyState,
) -> StateGraph[SurveyState, ReaderContext, Question, SurveyAnswered]:
    """Plan, take records from all pages, join names of one thing, combine, answer, cite."""
    builder = begin_graph(state, SurveyState, Question, SurveyAnswered)
    add_nodes(builder, open=open, read=read, plan=plan, take=take, join_names=join_names)
    add_nodes(builder, combine=combine, answer=answer, cite=cite)
    add_path(builder, START, "open", "read")
    add_question(builder, "read", "plan")
    add_path(builder, "plan", "take", "join_names", "combine", "answer", "cite", END)
    return builder


def build_table() -> StateGraph[SurveyState, ReaderContext, Question, SurveyAnswered]:
    """A survey whose answer is always its table, which needs no call."""
    return build(plan=planning.plan_table)


graph = build().compile(name="survey")

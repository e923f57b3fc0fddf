"""A survey: a question about the whole text, answered from records of every page; and what it will use.

What one page or a few can answer, the other methods look up. "List every person", "how often was it postponed", "what
changed between the two versions" need all pages. The model plans which records to take and takes them, page by page;
code joins, compares, counts, groups and sorts them.
"""

from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.features.survey import answer as answer_types
from readgraph.features.survey import plan as planning
from readgraph.features.survey.answer import answer_from_table, join_names, survey_prose_prompt, survey_same_prompt
from readgraph.features.survey.plan import SurveyPlanUpdate
from readgraph.features.survey.records import survey_records_prompt
from readgraph.features.survey.settings import Surveying
from readgraph.features.survey.state import SurveyAnswered, SurveyState
from readgraph.features.survey.table import CombineState, CombineUpdate, RecordsState, combine_records
from readgraph.features.survey.take import RECORDS, TakeState, TakeUpdate, survey_verdict_prompt, take
from readgraph.graphs.estimates.arithmetic import ANSWER_LINE, TAG_WORDS, Estimate, EstimateCase, Range
from readgraph.graphs.wiring import add_nodes, add_path, add_question, begin_graph, complete_graph
from readgraph.nodes.answering.cite import cite
from readgraph.nodes.bounds import content_room, fit_page
from readgraph.nodes.building.build import ReadState, ReadWrites, cut_pages
from readgraph.nodes.building.paging import even_pages
from readgraph.nodes.building.recipes import recipe_of_pages
from readgraph.nodes.contracts import AskedPages, CiteState, CiteWrites, Node
from readgraph.nodes.opening import OpenState, OpenUpdate, open_document
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Question
from readgraph.state.settings import Paragraphs, Rebuilding, Window

__all__ = ["build", "build_table", "graph", "read", "recipe"]


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


COLUMNS, RECORDS_OF_PAGE = 2, 2  # expected columns of a record, and records that a page gives

VALUE_WORDS, QUOTE_WORDS = 3, 15  # expected words of a value, and of the quote that shows a record

PLAN_REPLY, PLANNED_COLUMN, NAMES_REPLY = 30, 10, 10
"""Expected words of a plan without its columns, of a column in it, and of which names are one."""

EITHER = Range(0, 0.5, 1)
"""Names are compared in about every second survey, and a second one is answered in sentences: the plan decides."""

COLUMN_WORDS = planning.MOST_NAME_WORDS + planning.MOST_MEANING_WORDS + 10
"""Most words of a column in the prompt of a page."""


async def estimate_survey(case: EstimateCase) -> Estimate:
    """A plan, the records of each page, and perhaps names that are one, and an answer in words.

    Reading makes no call. At least: the plan alone, where its records are kept; expected: one of the question's own.
    """
    if not case.asks:
        return Estimate()
    context, words = case.context, case.document.words
    pages = Range.of_pages(words, page_words(context))
    columns = len(planning.columns_named(context.fields)) or COLUMNS
    asked = case.question + TAG_WORDS
    plan = Range.frame(planning.survey_plan_prompt("", {"A": ""}).words) + asked + Range(0, 0, 60)
    planned = Estimate.of(1, plan, PLAN_REPLY + columns * PLANNED_COLUMN)
    # The plan may name no page, so that no records are taken.
    beside = Range(
        1,
        planning.MOST_RECORD_WORDS / 2 + columns * PLANNED_COLUMN,
        planning.MOST_RECORD_WORDS + planning.MOST_COLUMNS * COLUMN_WORDS,
    )
    reply = 1 + RECORDS_OF_PAGE * (1 + QUOTE_WORDS + columns * (1 + VALUE_WORDS))
    take = Range.frame(survey_records_prompt("", "", []).words) + beside
    taking = Estimate.of(pages, take, reply).with_text(words, pages).perhaps_none()
    # Names that may be one are shown with a quote; sentences are about the rows of the table.
    records, room, window = RECORDS_OF_PAGE * pages.expected, content_room(context), context.window_words
    quoted = Range(0, min(records * (1 + VALUE_WORDS + QUOTE_WORDS), room), window)
    joining = Estimate.of(EITHER, Range.frame(survey_same_prompt({}, "").words) + quoted, NAMES_REPLY)
    rows = Range(0, min(records * (1 + columns * (1 + VALUE_WORDS)), room), window)
    prose = Range.frame(survey_prose_prompt("", "", {"A": ""}, 0, 0).words) + asked + rows + ANSWER_LINE
    answering = Estimate.of(EITHER, prose, case.answer_words(quotes=False))
    return planned + taking + await _verdicts(case) + joining + answering


async def _verdicts(case: EstimateCase) -> Estimate:
    """What it may take to ask which pages the notes of another reading keep."""
    store, context = case.store, case.context
    words = [
        sum(note.words + TAG_WORDS for note in await store.notes(memory.id, range(memory.pages)))
        for memory in await store.memories(case.document.id)
        if memory.recipe.model and memory.recipe.method != RECORDS
    ]
    if not (most := max(words, default=0)):
        return Estimate()
    groups = 1 + 2 * most // content_room(context)  # a group may be little more than half full
    prompt = Range.frame(survey_verdict_prompt("", "").words) + Range(0, most / groups, context.window_words)
    return Estimate.of(Range(0, 0.1, groups), prompt, NAMES_REPLY)

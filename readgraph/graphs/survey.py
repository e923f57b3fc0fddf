"""A survey: a question about the whole text, answered from records of every page; and what it will use.

What one page or a few can answer, the other methods look up. "List every person", "how often was it postponed", "what
changed between the two versions" need all pages. The model plans which records to take and takes them, page by page;
code joins, compares, counts, groups and sorts them.
"""

from collections.abc import Sequence
from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.graphs.estimates.arithmetic import (
    ONCE,
    TAG_WORDS,
    Estimate,
    Range,
    add_text_words,
    answer_words,
    estimate_calls,
    even_page_count,
    exactly,
    frame_words,
)
from readgraph.graphs.methods import Method
from readgraph.graphs.wiring import MethodGraph, Node, add_nodes, check_wiring, choosing, fit_context, with_channels
from readgraph.library.page_store import PageStore
from readgraph.nodes.answering.cite import cite
from readgraph.nodes.bounds import content_room
from readgraph.nodes.building.build import cut_pages
from readgraph.nodes.building.paging import even_pages
from readgraph.nodes.contracts import AskedState
from readgraph.nodes.opening import open_document
from readgraph.nodes.prompts import MOST_ANSWER_LINE_WORDS
from readgraph.nodes.survey.answer import answer_from_table, join_names, survey_prose_prompt, survey_same_prompt
from readgraph.nodes.survey.plan import (
    MOST_COLUMNS,
    MOST_MEANING_WORDS,
    MOST_NAME_WORDS,
    MOST_RECORD_WORDS,
    columns_named,
    plan,
    plan_table,
    survey_plan_prompt,
)
from readgraph.nodes.survey.records import survey_records_prompt, survey_verdict_prompt
from readgraph.nodes.survey.table import combine_records
from readgraph.nodes.survey.take import RECORDS, take
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Question
from readgraph.state.records import Document, Memory, Recipe
from readgraph.state.settings import Paragraphs, Rebuilding, Surveying, Window
from readgraph.state.survey import SurveyAnswered, SurveyState

__all__ = ["build", "build_table", "graph", "read", "recipe"]

METHOD = Method(
    name="survey",
    line="Goes through all parts for records; counts, lists, compares them.",
    estimate="survey:estimate_survey",
    order=6,
)

BESIDE_PAGE = 500
"""Words of a page's prompt that are not the page: instructions, the columns, the form of the reply."""


def page_words(context: ReaderContext) -> int:
    """Most words of a page: as the settings say, or as many as fit the window."""
    return min(context.survey_words, max(context.window_words - BESIDE_PAGE, context.window_words // 2))


def recipe(context: ReaderContext) -> Recipe:
    """The recipe of the pages, which need no model; records are kept in memories of their own."""
    return Recipe("survey", {"words": page_words(context), "paragraph_break": context.paragraph_break}, model="")


READING = (Surveying, Window, Paragraphs, Rebuilding)
read = cut_pages(even_pages(page_words), recipe, settings=READING)


def choose_question_or_end(state: AskedState) -> str:
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
    builder.add_conditional_edges("read", choosing(choose_question_or_end), ["plan", END])
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


COLUMNS, RECORDS_OF_PAGE = 2, 2
"""Expected columns of a record, and records that a page gives."""

VALUE_WORDS, QUOTE_WORDS = 3, 15
"""Expected words of a value, and of the quote that shows a record."""

PLAN_REPLY, PLANNED_COLUMN, NAMES_REPLY = 30, 10, 10
"""Expected words of a plan without its columns, of a column in it, and of which names are one."""

EITHER = 0.5
"""Names are compared in about every second survey, and a second one is answered in sentences: the plan decides."""

COLUMN_WORDS = MOST_NAME_WORDS + MOST_MEANING_WORDS + 10
"""Most words of a column in the prompt of a page."""


async def estimate_survey(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What a survey will use: a plan, the records of each page, and perhaps names that are one, and an answer in words.

    Reading makes no call, since what is taken from the pages depends on the question. `question_words` is the length of
    the question; None: reading only. Expected is a plan of this question's own, over all pages, of which each gives
    `RECORDS_OF_PAGE` records. At least: the plan alone, where it is one whose records
    are kept.
    """
    if question_words is None or not context.model:
        return Estimate()
    pages = even_page_count(document.words, page_words(context))
    columns = len(columns_named(context.fields)) or COLUMNS
    asked = exactly(question_words + TAG_WORDS)
    plan = frame_words(survey_plan_prompt("", {"A": ""}).words) + asked + Range(0, 0, 60)
    planning = estimate_calls(ONCE, plan, PLAN_REPLY + columns * PLANNED_COLUMN)
    answering = _estimate_table_answer(asked, RECORDS_OF_PAGE * pages.expected, columns, context)
    known = await store.memories(document.id)
    return (
        planning
        + _estimate_record_taking(document, pages, columns)
        + await _verdicts(store, known, context)
        + answering
    )


def _estimate_record_taking(document: Document, pages: Range, columns: int) -> Estimate:
    """The records of the pages that the plan names: perhaps of none."""
    beside = Range(1, MOST_RECORD_WORDS / 2 + columns * PLANNED_COLUMN, MOST_RECORD_WORDS + MOST_COLUMNS * COLUMN_WORDS)
    reply = 1 + RECORDS_OF_PAGE * (1 + QUOTE_WORDS + columns * (1 + VALUE_WORDS))
    prompt = frame_words(survey_records_prompt("", "", []).words) + beside
    return add_text_words(document.words, pages, estimate_calls(pages, prompt, reply)).perhaps_none()


def _estimate_table_answer(asked: Range, records: float, columns: int, context: ReaderContext) -> Estimate:
    """What follows the records: names that may be one, each with its quote; sentences about the rows of the table."""
    window, room = context.window_words, content_room(context)
    shown = min(records * (1 + VALUE_WORDS + QUOTE_WORDS), room)
    names = estimate_calls(
        Range(0, EITHER, 1), frame_words(survey_same_prompt({}, "").words) + Range(0, shown, window), NAMES_REPLY
    )
    rows = min(records * (1 + columns * (1 + VALUE_WORDS)), room)
    prose = frame_words(survey_prose_prompt("", "", {"A": ""}, 0, 0).words) + asked + Range(0, rows, window)
    prose = prose + Range(0, 0, MOST_ANSWER_LINE_WORDS)
    return names + estimate_calls(Range(0, EITHER, 1), prose, answer_words(context, quotes=False))


async def _verdicts(store: PageStore, known: Sequence[Memory], context: ReaderContext) -> Estimate:
    """What it may take to ask which pages the notes of another reading keep."""
    words = [
        sum(note.words + TAG_WORDS for note in await store.notes(memory.id, range(memory.pages)))
        for memory in known
        if memory.recipe.model and memory.recipe.method != RECORDS
    ]
    if not (most := max(words, default=0)):
        return Estimate()
    groups = 1 + 2 * most // content_room(context)  # a group may be little more than half full
    prompt = frame_words(survey_verdict_prompt("", "").words) + Range(0, most / groups, context.window_words)
    return estimate_calls(Range(0, 0.1, groups), prompt, NAMES_REPLY)

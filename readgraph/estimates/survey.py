"""What a survey will use."""

from collections.abc import Sequence

from readgraph.estimates.arithmetic import Estimate, Range, asks, exactly, fixed
from readgraph.estimates.shared import ONCE, TAG_WORDS, answer_words, pages_of, sending
from readgraph.graphs.survey import page_words
from readgraph.nodes.bounds import content_room
from readgraph.nodes.prompts.style import MOST_ANSWER_LINE_WORDS
from readgraph.nodes.prompts.survey.pages import survey_records_prompt, survey_verdict_prompt
from readgraph.nodes.prompts.survey.plan import MOST_COLUMNS, survey_plan_prompt
from readgraph.nodes.prompts.survey.table import survey_prose_prompt, survey_same_prompt
from readgraph.nodes.survey.programme import MOST_MEANING_WORDS, MOST_NAME_WORDS, MOST_RECORD_WORDS, columns_named
from readgraph.nodes.survey.selecting import RECORDS
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document, Memory

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
    pages = pages_of(document.words, page_words(context))
    columns = len(columns_named(context.fields)) or COLUMNS
    asked = exactly(question_words + TAG_WORDS)
    plan = fixed(survey_plan_prompt("", {"A": ""}).words) + asked + Range(0, 0, 60)
    planning = asks(ONCE, plan, PLAN_REPLY + columns * PLANNED_COLUMN)
    answering = _answering(asked, RECORDS_OF_PAGE * pages.expected, columns, context)
    known = await store.memories(document.id)
    return planning + _taking(document, pages, columns) + await _verdicts(store, known, context) + answering


def _taking(document: Document, pages: Range, columns: int) -> Estimate:
    """The records of the pages that the plan names: perhaps of none."""
    beside = Range(1, MOST_RECORD_WORDS / 2 + columns * PLANNED_COLUMN, MOST_RECORD_WORDS + MOST_COLUMNS * COLUMN_WORDS)
    reply = 1 + RECORDS_OF_PAGE * (1 + QUOTE_WORDS + columns * (1 + VALUE_WORDS))
    prompt = fixed(survey_records_prompt("", "", []).words) + beside
    return sending(document.words, pages, asks(pages, prompt, reply)).perhaps_none()


def _answering(asked: Range, records: float, columns: int, context: ReaderContext) -> Estimate:
    """What follows the records: names that may be one, each with its quote; sentences about the rows of the table."""
    window, room = context.window_words, content_room(context)
    shown = min(records * (1 + VALUE_WORDS + QUOTE_WORDS), room)
    names = asks(Range(0, EITHER, 1), fixed(survey_same_prompt({}, "").words) + Range(0, shown, window), NAMES_REPLY)
    rows = min(records * (1 + columns * (1 + VALUE_WORDS)), room)
    prose = fixed(survey_prose_prompt("", "", {"A": ""}, 0, 0).words) + asked + Range(0, rows, window)
    prose = prose + Range(0, 0, MOST_ANSWER_LINE_WORDS)
    return names + asks(Range(0, EITHER, 1), prose, answer_words(context, quotes=False))


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
    prompt = fixed(survey_verdict_prompt("", "").words) + Range(0, most / groups, context.window_words)
    return asks(Range(0, 0.1, groups), prompt, NAMES_REPLY)

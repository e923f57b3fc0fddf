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
from readgraph.nodes.survey.programme import MOST_MEANING_WORDS, MOST_NAME_WORDS, MOST_RECORD_WORDS
from readgraph.nodes.survey.selecting import RECORDS
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document, Memory

PLAN_REPLY, PAGE_REPLY, NAMES_REPLY = 60, 60, 10
"""Expected words of a plan, of the records of a page, and of which names are one."""

COLUMN_WORDS = MOST_NAME_WORDS + MOST_MEANING_WORDS + 10
"""Most words of a column in the prompt of a page."""


async def estimate_survey(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What a survey will use: a plan, the records of each page, and perhaps names that are one, and an answer in words.

    Reading makes no call, since what is taken from the pages depends on the question. `question_words` is the length of
    the question; None: reading only. A survey whose records are kept makes none of the pages' calls.
    """
    if question_words is None or not context.model:
        return Estimate()
    pages = pages_of(document.words, page_words(context))
    asked = exactly(question_words + TAG_WORDS)
    plan = asks(ONCE, fixed(survey_plan_prompt("", {"A": ""}).words) + asked + Range(0, 0, 60), PLAN_REPLY)
    beside = Range(1, MOST_RECORD_WORDS / 2 + 30, MOST_RECORD_WORDS + MOST_COLUMNS * COLUMN_WORDS)
    taken = sending(
        document.words, pages, asks(pages, fixed(survey_records_prompt("", "", []).words) + beside, PAGE_REPLY)
    )
    known = await store.memories(document.id)
    if any(memory.recipe.method == RECORDS for memory in known):
        taken = taken.perhaps_none()
    window = context.window_words
    names = asks(Range(0, 0.5, 1), fixed(survey_same_prompt({}, "").words) + Range(0, 200, window), NAMES_REPLY)
    prose = fixed(survey_prose_prompt("", "", {"A": ""}, 0, 0).words) + asked + Range(0, 200, window)
    prose = prose + Range(0, 0, MOST_ANSWER_LINE_WORDS)
    answer = asks(Range(0, 0.3, 1), prose, answer_words(context))
    return plan + await _verdicts(store, known, context) + taken + names + answer


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

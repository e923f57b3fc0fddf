"""What GAM will use: a memo and header for each page, then rounds of research."""

import math
from dataclasses import replace

from readgraph.graphs.estimates.arithmetic import (
    NONE,
    TAG_WORDS,
    Estimate,
    Range,
    Unread,
    answer_words,
    estimate_answer,
    estimate_calls,
    exactly,
    frame_words,
    unread,
)
from readgraph.graphs.estimates.read_agent import estimate_gist_reading, estimate_look_up
from readgraph.graphs.gam import recipe
from readgraph.library.page_store import PageStore
from readgraph.nodes.answering.ask import answer_from_notes_prompt
from readgraph.nodes.building.notes import memorize_prompt, needs_two_calls
from readgraph.nodes.building.paging import FEWEST_SHARE
from readgraph.nodes.prompts import MOST_ANSWER_LINE_WORDS
from readgraph.nodes.purpose import purpose_of
from readgraph.nodes.research.integrate import EVIDENCE_SHARE, LONGEST_NOTES, integrate_prompt
from readgraph.nodes.research.plan import MEMORY_SHARE, QUERY_WORDS, plan_prompt
from readgraph.nodes.research.reflect import MOST_REQUESTS, REQUEST_WORDS, reflect_prompt
from readgraph.state.context import ReaderContext
from readgraph.state.records import Document

MEMO_WORDS, HEADER_WORDS, NOTES_WORDS = 80, 25, 120
PLAN_REPLY, VERDICT_REPLY, REQUEST, REASONS = 60, 4, 12, 30
"""Expected words of a plan, of a verdict that notes are enough, of a request for more, and of reasons before either."""

EXPECTED_ROUNDS, EXPECTED_VERDICTS = 1.5, 1.3
"""Rounds of research, and verdicts on their notes: the last of the allowed rounds has none."""

NOT_ENOUGH = 1 / 3
"""How often a verdict says that something is missing."""

DISTINCT = 1.4
"""Different pages that the tools of a round find together, by how many each may find."""

GISTS_ENOUGH = 1 - NOT_ENOUGH
"""How often gists alone are enough to answer: the same verdict is asked for."""

PLACE_WORDS = 60
WORDING = 60
"""Words of a prompt's optional parts."""


async def estimate_gam(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What GAM will use: memorising what is new, and research for a question of `question_words` (None: none)."""
    builder = replace(context, model=context.reading_model or context.model)
    left = await unread(store, document, recipe(builder), context)
    new = _new_pages(left, document, context) + exactly(left.pages)
    memorizing = _estimate_memorizing(new, left.notes, builder) if builder.model else Estimate()
    if question_words is None or not context.model:
        return memorizing
    pages = new + exactly(left.notes)
    page_words = document.words / max(pages.expected, 1)
    return memorizing + estimate_research(pages, page_words, context, question_words)


def _new_pages(left: Unread, document: Document, context: ReaderContext) -> Range:
    """Pages still to be made: each session is cut evenly, and no page is smaller than its share of the page size."""
    if not left.words:
        return NONE
    size, borders = context.session_page_words, document.sessions + max(len(document.parts), 1)
    most = left.words / max(1, round(FEWEST_SHARE * size)) + 2 * borders
    return Range(math.ceil(left.words / (size + 1)), max(left.words / size, document.sessions or 1, 1), math.ceil(most))


def _estimate_memorizing(new: Range, notes: float, context: ReaderContext) -> Estimate:
    """Memorising each new page, with memory in the prompt: recent memos, and older ones that are related to it."""
    memory = min(context.memory_words, MEMO_WORDS * (notes + new.expected) / 2)
    shown = Range(0, memory + context.session_page_words, 3 * context.memory_words + context.session_page_words + 1)
    known = memorize_prompt("", "", "", purpose_of(context)).words
    prompt = frame_words(known) + Range(-WORDING, 5, PLACE_WORDS + WORDING) + shown
    calls = 2 if needs_two_calls(context) else 1
    return estimate_calls(new * exactly(calls), prompt, (MEMO_WORDS + HEADER_WORDS) / calls)


def estimate_research(
    pages: Range, page_words: float, context: ReaderContext, question_words: int, *, begun: bool = False
) -> Estimate:
    """At most `rounds` rounds of plan, notes and verdict (no verdict in the last round), and then an answer.

    `page_words`: the expected length of a page. `begun`: the first round's notes are there already.
    """
    assert pages.high is not None
    most, expected = (max(context.rounds - 1, 0), EXPECTED_ROUNDS - 1) if begun else (context.rounds, EXPECTED_ROUNDS)
    rounds = Range(0, min(1 + (expected - 1) * _more_to_find(pages, context), expected, most), most)
    shown = min(3 * context.pages_per_tool, pages.high)
    question = exactly(question_words) + Range(-WORDING, 0, WORDING)
    # In the worst case a memo is a tag and two words, so that tags take as many words as memos.
    memos = Range(0, pages.expected * (MEMO_WORDS + HEADER_WORDS), 2 * MEMORY_SHARE * context.window_words)
    memory = NONE if context.without_memory else memos
    notes = Range(0, NOTES_WORDS / 2, LONGEST_NOTES)
    earlier_rounds = MOST_REQUESTS * REQUEST_WORDS + context.rounds * (
        2 * context.pages_per_tool * QUERY_WORDS + 2 * shown
    )
    noted, found = _expect_finds(pages, rounds, context)
    in_view = min(found * (page_words + TAG_WORDS), EVIDENCE_SHARE * context.window_words)
    evidence = Range(0, in_view, EVIDENCE_SHARE * context.window_words + 2 * TAG_WORDS * shown)
    seen, reasoning = memory + notes + question + Range(0, 20, earlier_rounds), context.reasoning
    plan = frame_words(plan_prompt("", "", {}, context.tools, 5, reasoning=reasoning).words)
    planning = estimate_calls(rounds, plan + seen, PLAN_REPLY + _reasons(context))
    integrate = frame_words(integrate_prompt("", "", "", {}, reasoning=reasoning).words)
    noting = estimate_calls(noted, integrate + evidence + notes + question, NOTES_WORDS + _reasons(context))
    judging = estimate_reflection(context, question_words, asked=_more_to_find(pages, context))
    if context.context_only:
        return planning + noting + judging
    instead = memory if context.rounds == 0 else memory * Range(1, 0, 1)  # memos stand in for notes
    prompt = frame_words(answer_from_notes_prompt("", "", "", {}).words) + notes + question + instead
    prompt += Range(0, 0, MOST_ANSWER_LINE_WORDS)
    alone = context.evidence == "integration"
    said = answer_words(context, quotes=not alone)
    return planning + noting + judging + estimate_calls(Range(0, 1, 1), prompt + (NONE if alone else evidence), said)


def _more_to_find(pages: Range, context: ReaderContext) -> float:
    """How likely the first round leaves pages unread; where none is left, no verdict is asked and no round follows."""
    each = context.pages_per_tool
    return min(1.0, max(0.0, (pages.expected - each) / max((DISTINCT - 1) * each, 1)))


def _expect_finds(pages: Range, rounds: Range, context: ReaderContext) -> tuple[Range, float]:
    """How often new pages are found, and how many of them at a time: what was read before is not read again."""
    each = max(1.0, DISTINCT * context.pages_per_tool)
    often = min(rounds.expected, max(1.0, pages.expected / each))
    return Range(0, often, rounds.high), min(each, pages.expected / max(often, 1))


def estimate_reflection(context: ReaderContext, question_words: int, *, asked: float = 1.0) -> Estimate:
    """A verdict on the notes of each round but the last; `asked`: how likely there is any."""
    most = max(context.rounds - 1, 0)
    verdicts = Range(0, asked * min(EXPECTED_VERDICTS, most), most)
    if context.separate_requests:
        verdicts = verdicts * Range(1, 1.5, 2)
    question = exactly(question_words) + Range(-WORDING, 0, WORDING)
    shown = Range(0, NOTES_WORDS / 2, LONGEST_NOTES) + question
    return estimate_calls(verdicts, _verdict(context) + shown, _verdict_words(context))


def _verdict(context: ReaderContext) -> Range:
    """Words of the question whether notes are enough, without the notes."""
    return frame_words(reflect_prompt("", "", {}, reasoning=context.reasoning).words)


def _verdict_words(context: ReaderContext) -> float:
    """Expected words of a verdict: enough, or what is missing."""
    return VERDICT_REPLY + NOT_ENOUGH * REQUEST + _reasons(context)


def _reasons(context: ReaderContext) -> int:
    """Words of the reasons before a decision."""
    return REASONS if context.reasoning else 0


async def estimate_gist_research(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What research over gists will use: ReadAgent's reading, then GAM's rounds.

    Covers what is not read yet, and research for a question of `question_words` (None: reading only).
    """
    reading, seen = await estimate_gist_reading(store, document, context, merges=False)
    if question_words is None or not context.model:
        return reading
    return reading + estimate_research(
        seen.pages, document.words / max(seen.pages.expected, 1), context, question_words
    )


async def estimate_escalate(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What escalating will use: ReadAgent's reading, a verdict on the gists, possibly a look-up and GAM's rounds.

    Covers what is not read yet, and a question of `question_words` (None: reading only).
    """
    reading, seen = await estimate_gist_reading(store, document, context)
    if question_words is None or not context.model:
        return reading
    gists = seen.gists + exactly(question_words)
    verdicts = Range(0, 1, 2 if context.separate_requests else 1)
    judging = estimate_calls(verdicts, _verdict(context) + gists, _verdict_words(context))
    look_ups = estimate_look_up(gists, context, "parallel")  # always all pages at once, whatever the setting `strategy`
    rounds = replace(context, rounds=max(context.rounds, 1))  # the pages of a look-up are always read
    research = estimate_research(seen.pages, document.words / max(seen.pages.expected, 1), rounds, question_words)
    further = (look_ups + research).times(Range(1, 1 - GISTS_ENOUGH, 1))
    return reading + judging + further + estimate_answer(gists, context, times=Range(0, GISTS_ENOUGH, 1))

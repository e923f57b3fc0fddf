"""What ReadAgent will use: pauses, gists, merges, a look-up, an answer."""

import math
from dataclasses import dataclass, replace

from readgraph.graphs.estimates.arithmetic import (
    NONE,
    TAG_WORDS,
    Estimate,
    Range,
    Unread,
    estimate_answer,
    estimate_calls,
    exactly,
    frame_words,
    unread,
)
from readgraph.graphs.read_agent import recipe
from readgraph.library.page_store import PageStore
from readgraph.nodes.building.merge import MOST_ROUNDS, largest_page
from readgraph.nodes.building.notes import gist_prompt
from readgraph.nodes.building.paging import FEWEST_SHARE, even_page_words, merge_prompt, pause_prompt
from readgraph.nodes.gist_levels import gists_allowed, older_gist_words
from readgraph.nodes.look_up import look_up_next_prompt, look_up_pages_prompt
from readgraph.nodes.purpose import purpose_of
from readgraph.state.context import ReaderContext
from readgraph.state.records import FEWEST_NOTE_WORDS, Document
from readgraph.state.settings import Strategy
from readgraph.state.summary_tree import FAN

GIST_SHARE = 0.2
"""Expected words of a gist, as a share of its page's."""

PAUSE_REPLY, LOOK_UP_REPLY, MERGE_REPLY = 15, 20, 15
"""Expected words of replies."""

EXPECTED_PAGES = 2
"""Pages that are looked up for a question, whatever is allowed: prompts ask for as few as will do."""


async def estimate_read_agent(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What ReadAgent will use to read what is not read yet, and to answer a question of `question_words`, if any."""
    reading, seen = await estimate_gist_reading(store, document, context)
    if question_words is None or not context.model:
        return reading
    gists, opened = seen.gists + exactly(question_words), seen.reread_words(context.max_pages, EXPECTED_PAGES)
    before = opened * Range(0, 0.5 if context.strategy == "sequential" else 0, 1)
    return (
        reading + estimate_look_up(gists + before, context, context.strategy) + estimate_answer(gists + opened, context)
    )


@dataclass(frozen=True)
class VisibleMemory:
    """What a question can see of a memory: the words of its gists, the number of its pages, and all their words."""

    gists: Range
    pages: Range
    words: int

    def reread_words(self, most: int, expected: int | None = None) -> Range:
        """The words of the pages that are read again, at most `most` of them, and probably `expected` or that many."""
        number = min(most, self.pages.expected, most if expected is None else expected)
        return Range(0, number * self.words / max(self.pages.expected, 1), self.words)


async def estimate_gist_reading(
    store: PageStore, document: Document, context: ReaderContext, *, merges: bool = True
) -> tuple[Estimate, VisibleMemory]:
    """What reading the rest will use, and what a question will see of the memory.

    `merges`: whether pages are merged if their gists don't fit the window.
    """
    reader = replace(context, model=context.reading_model or context.model)
    left = await unread(store, document, recipe(reader), context)
    pages = _new_pages(left, document, context)
    reading = _estimate_gisting(left, pages, document, reader) if reader.model else Estimate()
    if reader.model and merges:
        reading += _estimate_merging(left, pages + exactly(left.pages), document, reader)
    return reading, _visible_memory(left, pages, document)


def _new_pages(left: Unread, document: Document, context: ReaderContext) -> Range:
    """Pages still to be made. Only the last page of a text, of a stretch, or before a kept page may be too small."""
    if not left.words:
        return NONE
    ends = max(len(document.parts), 1) * context.stretches + 1
    # A word that is cut by the end of a page counts for both pages.
    mean = (context.min_page_words + context.max_page_words) / 2
    least = round(FEWEST_SHARE * even_page_words(context)) if context.paging == "even" else context.min_page_words
    most = left.words / max(least - 1, 1) + ends
    fewest = math.ceil(left.words / (context.max_page_words + 1))
    return Range(fewest, max(left.words / mean, 1), math.ceil(most))


def _estimate_gisting(left: Unread, pages: Range, document: Document, context: ReaderContext) -> Estimate:
    labels = TAG_WORDS * context.max_page_words
    shown = context.max_page_words * (2 if context.show_previous_page else 1)
    next_paragraph = document.words if context.show_next_paragraph else 0
    expected = shown + labels / 40
    pause = frame_words(pause_prompt(["", ""]).words) + Range(0, expected, shown + labels + next_paragraph)
    gist = frame_words(gist_prompt("", context.gist_words, purpose_of(context)).words)
    page_words = (context.min_page_words + context.max_page_words) / 2
    of_page = Range(0, page_words, context.max_page_words + 1)
    gists = pages + exactly(left.pages)
    chosen = NONE if context.paging == "even" else Range(0, pages.expected, pages.high)
    pausing = estimate_calls(chosen, pause, PAUSE_REPLY)
    gisting = estimate_calls(gists, gist + of_page, context.gist_words or GIST_SHARE * page_words)
    return pausing + gisting


def _estimate_merging(left: Unread, gists: Range, document: Document, context: ReaderContext) -> Estimate:
    """Rounds of merging and gists of gists, if the gists may not fit the window."""
    allowed = gists_allowed(context)
    pages = gists + exactly(left.notes)
    assert pages.high is not None
    tags = TAG_WORDS * left.notes
    most = document.words + (FEWEST_NOTE_WORDS + TAG_WORDS) * pages.high
    if (left.complete and left.note_words + tags <= allowed) or most <= allowed:
        return Estimate()
    expected = left.note_words + GIST_SHARE * (left.words + left.paged_words)
    rounds = Range(0, max(0.0, math.ceil(math.log2(max(expected / allowed, 1)))), MOST_ROUNDS)
    pair = 2 * document.words / max(pages.expected, 1)
    largest = largest_page(context)
    joined = Range(0, min(pair, largest), largest)
    merging = estimate_calls(
        rounds * pages * Range(0, 0.5, 0.5), frame_words(merge_prompt("", "").words) + joined, MERGE_REPLY
    )
    merged = Range(0, pair, max(largest, context.max_page_words) + 1)
    gist = frame_words(gist_prompt("", context.gist_words, purpose_of(context)).words)
    gisting = estimate_calls(rounds * pages, gist + merged, GIST_SHARE * pair)
    if document.sessions:
        merging = gisting = Estimate()
    most = older_gist_words(context)
    groups = pages * Range(0, 1 / (FAN - 1) if expected > allowed else 0, 1 / (FAN - 1))
    return merging + gisting + estimate_calls(groups, gist + Range(0, FAN * most, context.window_words), most)


def _visible_memory(left: Unread, pages: Range, document: Document) -> VisibleMemory:
    number = pages + exactly(left.pages + left.notes)
    assert number.high is not None
    gists = left.note_words + GIST_SHARE * (left.words + left.paged_words)
    # No gist is longer than its page, except those of very short pages.
    most = document.words + (FEWEST_NOTE_WORDS + TAG_WORDS) * number.high
    return VisibleMemory(Range(0, gists, most), number, document.words)


def estimate_look_up(shown: Range, context: ReaderContext, strategy: Strategy) -> Estimate:
    """Look-ups for a question; `shown`: the words of the memory and of the question."""
    if strategy == "parallel":
        times = Range(0, min(context.max_pages, 1), min(context.max_pages, 1))
        prompt = look_up_pages_prompt("", "", {}, context.max_pages)
    else:
        times = Range(0, min(context.max_pages, EXPECTED_PAGES + 1), context.max_pages)
        prompt = look_up_next_prompt("", "", {}, [*range(context.max_pages)])
    return estimate_calls(times, frame_words(prompt.words) + shown, LOOK_UP_REPLY)


async def estimate_gists_only(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What ReadAgent without look-up will use: its reading, and an answer.

    Covers what is not read yet, and a question of `question_words` (None: reading only).
    """
    reading, seen = await estimate_gist_reading(store, document, context)
    if question_words is None or not context.model:
        return reading
    return reading + estimate_answer(seen.gists + exactly(question_words), context)


async def estimate_retrieved_pages(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What ReadAgent with retrieval will use: its reading, and an answer.

    Covers what is not read yet, and a question of `question_words` (None: reading only).
    """
    reading, seen = await estimate_gist_reading(store, document, context)
    if question_words is None or not context.model:
        return reading
    gists = seen.gists if context.show_gists else NONE
    return reading + estimate_answer(gists + seen.reread_words(context.max_pages) + exactly(question_words), context)

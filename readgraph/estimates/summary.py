"""What a summary will use: the reading where notes are missing, the writing, the checking."""

import math
from dataclasses import replace

from readgraph.estimates.arithmetic import NONE, Estimate, Range, asks, exactly, fixed, may_be_recorded
from readgraph.estimates.read_agent import foreseen_reading
from readgraph.estimates.shared import TAG_WORDS
from readgraph.graphs.read_agent import recipe
from readgraph.nodes.answering.verdicts import MOST_SENTENCES
from readgraph.nodes.bounds import content_room
from readgraph.nodes.prompts.answering.checking import check_summary_prompt
from readgraph.nodes.prompts.style import MOST_NOTE_LINE_WORDS
from readgraph.nodes.prompts.summary import write_summary_prompt
from readgraph.nodes.purpose import with_question
from readgraph.nodes.summary.choosing import CONDENSED
from readgraph.nodes.summary.notes_there import memory_there
from readgraph.nodes.summary.writing import MOST_AT_ONCE, MOST_ROUNDS
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document

SENTENCE_WORDS = 20
"""Expected words of a sentence."""

VERDICT_WORDS = 15
"""Expected words of what is said of a sentence, with a quote."""


async def estimate_summary(
    store: PageStore, document: Document, context: ReaderContext, about: str = "", *, part: str | None = None
) -> Estimate:
    """What a summary will use, without a call; of a part, what one of all the text would use is the upper bound."""
    context = with_question(context, about) if about else context
    reader = replace(context, model=context.reading_model or context.model)
    there = None if context.rebuild else await memory_there(store, document, reader, recipe(reader))
    if there:
        sizes = await store.note_sizes([there])
        reading, notes = Estimate(), exactly(sizes[there.id][1] + TAG_WORDS * there.pages)
    else:
        reading, seen = await foreseen_reading(store, document, context, merges=False)
        notes = seen.gists
    estimate = reading + _summing_up(document, notes, context, about, part)
    if await may_be_recorded(store):
        estimate = estimate.perhaps_none()
    return estimate.within(context.max_calls)


async def estimate_summary_row(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """The same for a row of an evaluation, which always has ReadAgent's memory; without a question, of that alone."""
    reading, seen = await foreseen_reading(store, document, context, merges=False)
    if question_words is None:
        return reading
    return reading + _summing_up(document, seen.gists, context, "word " * question_words, None)


def _summing_up(document: Document, notes: Range, context: ReaderContext, about: str, part: str | None) -> Estimate:
    """Writing and checking, where notes of so many words are there."""
    if not context.model:
        return Estimate()
    enough = notes.expected >= CONDENSED * context.summary_words
    expected = notes.expected if enough else float(document.words)
    most = max(notes.high or 0, (1 + TAG_WORDS) * document.words)
    shown = Range(0, min(expected, most), most)
    return _writing(shown, context, about, part) + _checking(document, context)


def _writing(shown: Range, context: ReaderContext, about: str, part: str | None) -> Estimate:
    room, words = content_room(context, about), context.summary_words
    pieces = math.ceil(words / min(MOST_AT_ONCE, room // 2))
    assert shown.high is not None
    groups = NONE
    if shown.high > room:
        expected = math.ceil(shown.expected / room) if shown.expected > room * pieces else 0
        groups = Range(0, expected, MOST_ROUNDS * (3 * math.ceil(shown.high / room) + 2 * pieces))
    instructions = fixed(write_summary_prompt("", 1, words, about).words) + Range(0, 0, MOST_NOTE_LINE_WORDS)
    calls = groups + Range(1, 1 if part else pieces, pieces)
    each = shown.expected / max(calls.expected, 1)
    prompt = Range(0, instructions.expected + min(each, room), context.window_words)
    return asks(calls, prompt, min(words, MOST_AT_ONCE) / max(1, calls.expected / pieces))


def _checking(document: Document, context: ReaderContext) -> Estimate:
    if not context.check_sentences:
        return Estimate()
    sentences = math.ceil(context.summary_words / SENTENCE_WORDS)
    calls = Range(0, math.ceil(sentences / MOST_SENTENCES), context.summary_words)
    pages = MOST_SENTENCES * (context.min_page_words + context.max_page_words) / 2
    most = (1 + TAG_WORDS) * document.words + 2 * context.summary_words
    prompt = fixed(check_summary_prompt("", []).words) + Range(0, min(pages, document.words), most)
    return asks(calls, prompt.at_most(context.window_words), MOST_SENTENCES * (SENTENCE_WORDS + VERDICT_WORDS))

"""What the baselines will use; on web pages one call, which names the action."""

from dataclasses import replace

from readgraph.graphs.baselines import chunk_words, running_summary_recipe, segment_words
from readgraph.graphs.estimates.arithmetic import (
    TAG_WORDS,
    Estimate,
    Range,
    add_text_words,
    answer_words,
    estimate_answer,
    estimate_calls,
    even_page_count,
    exactly,
    frame_words,
    unread,
)
from readgraph.graphs.web_agent import ACT_REPLY, estimate_web_step
from readgraph.library.page_store import PageStore
from readgraph.nodes.answering.answer import LONGEST_FINDING
from readgraph.nodes.answering.ask import weigh_prompt
from readgraph.nodes.building.paging import words_kept
from readgraph.nodes.building.summaries import SUMMARY_WORDS, piece_words, running_summary_prompt
from readgraph.nodes.prompts import MOST_ANSWER_LINE_WORDS, MOST_NOTE_LINE_WORDS
from readgraph.nodes.web_actions import web_act_prompt
from readgraph.state.context import ReaderContext
from readgraph.state.records import Document

SUMMARY_SHARE = 2 / 3
"""Expected words of a running summary, as a share of the most that it may have."""

DIFFER = 0.5
"""How likely several chunks give answers, and not all the same one: of a short answer that is as likely as not."""


async def estimate_full_text(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What the full text will use: an answer from each chunk and, with several chunks, one weighing of the answers.

    Reading makes no call. A question makes one call per chunk and possibly one more. `question_words` is the length of
    the question; None: reading only.
    """
    if question_words is None or not context.model:
        return Estimate()
    chunks = even_page_count(document.words, chunk_words(context))
    answers = estimate_answer(exactly(question_words + TAG_WORDS), context, times=chunks)
    sent = add_text_words(document.words, chunks, answers)
    if document.words / max(chunks.low, 1) + answers.input_words.expected / chunks.expected > chunk_words(context):
        sent = replace(sent, input_words=sent.input_words.perhaps_none())  # chunks that fill the window are cut
    return sent + _estimate_chunk_weighing(chunks, context, question_words)


def _estimate_chunk_weighing(chunks: Range, context: ReaderContext, question_words: int) -> Estimate:
    assert chunks.high is not None
    several = Range(0, min(chunks.expected - 1, DIFFER), min(chunks.high - 1, 1))
    findings = chunks * Range(0, min(answer_words(context), LONGEST_FINDING), LONGEST_FINDING + TAG_WORDS)
    prompt = frame_words(weigh_prompt("", "", {"A": "", "B": ""}).words) + findings + exactly(question_words)
    return estimate_calls(several, prompt + Range(0, 0, MOST_ANSWER_LINE_WORDS), answer_words(context))


async def estimate_truncated(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What a truncated text will use: one answer.

    Reading makes no call, a question one. `question_words` is the length of the question; None: reading only.
    """
    if question_words is None or not context.model:
        return Estimate()
    shown = min(words_kept(context), document.words)
    return estimate_answer(Range(shown - 1, shown, shown + 1) + exactly(TAG_WORDS + question_words), context)


async def estimate_retrieval(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What retrieval will use: one answer from the retrieved segments.

    Reading and retrieval make no call, a question one. `question_words` is the length of the question; None: reading
    only.
    """
    if question_words is None or not context.model:
        return Estimate()
    most = context.max_pages * (segment_words(context) + TAG_WORDS)
    retrieved = Range(0, min(most, document.words, context.window_words), most)
    return estimate_answer(retrieved + exactly(question_words), context)


async def estimate_recurrent(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What recurrence will use: a summary of each piece, one after the other, and an answer from the last one.

    Covers what is not read yet, and a question of `question_words` (None: reading only).
    """
    reader = replace(context, model=context.reading_model or context.model)
    left = await unread(store, document, running_summary_recipe(reader), context)
    reading = _estimate_recurrent_reading(document, reader) if reader.model and not left.complete else Estimate()
    if question_words is None or not context.model:
        return reading
    summary = Range(0, SUMMARY_SHARE * SUMMARY_WORDS, SUMMARY_WORDS)
    return reading + estimate_answer(summary + exactly(TAG_WORDS + question_words), context)


def _estimate_recurrent_reading(document: Document, context: ReaderContext) -> Estimate:
    pieces = even_page_count(document.words, piece_words(context))
    first, later = (running_summary_prompt(summary, "", SUMMARY_WORDS).words for summary in ("", "…"))
    carried = (1 - 1 / max(pieces.expected, 1)) * SUMMARY_SHARE * SUMMARY_WORDS  # none with the first piece
    prompt = Range(first, later + carried, later + SUMMARY_WORDS + MOST_NOTE_LINE_WORDS)
    return add_text_words(document.words, pieces, estimate_calls(pieces, prompt, SUMMARY_SHARE * SUMMARY_WORDS))


async def estimate_web_gists(
    store: PageStore, document: Document, context: ReaderContext, instruction_words: int | None
) -> Estimate:
    """The web agent's estimate, without its look-up."""
    return await estimate_web_step(store, document, replace(context, max_pages=0), instruction_words)


async def estimate_web_act(
    store: PageStore, document: Document, context: ReaderContext, instruction_words: int | None
) -> Estimate:
    """One call with the instruction and what was chosen of the page: at most all of it, as far as it fits."""
    if instruction_words is None or not context.model:
        return Estimate()
    most = min(document.words, context.window_words)
    shown = Range(0, most, most) + exactly(instruction_words) + frame_words(web_act_prompt("", "").words)
    return estimate_calls(exactly(1), shown, ACT_REPLY)

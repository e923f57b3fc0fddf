"""What recurrence will use: a summary of each piece, one after the other, and an answer from the last."""

from dataclasses import replace

from readgraph.graphs.baselines.recurrent import recipe
from readgraph.graphs.estimates.shared import TAG_WORDS, answering, pages_of, sending
from readgraph.nodes.estimating import Estimate, Range, asks, exactly, unread
from readgraph.nodes.prompts.running_summary import running_summary_prompt
from readgraph.nodes.running_summary import SUMMARY_WORDS, piece_words
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document


async def estimate(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """Reading what is not read yet, and a question of so many words (none: no question)."""
    reader = replace(context, model=context.reading_model or context.model)
    left = await unread(store, document, recipe(reader), renew=context.rebuild)
    reading = _reading(document, reader) if reader.model and not left.complete else Estimate()
    if question_words is None or not context.model:
        return reading
    return reading + answering(Range(0, SUMMARY_WORDS, SUMMARY_WORDS) + exactly(TAG_WORDS + question_words))


def _reading(document: Document, context: ReaderContext) -> Estimate:
    pieces = pages_of(document.words, piece_words(context))
    first, later = (running_summary_prompt(summary, "", SUMMARY_WORDS).words for summary in ("", "…"))
    prompt = Range(first, later + SUMMARY_WORDS, later + SUMMARY_WORDS)
    return sending(document.words, pieces, asks(pieces, prompt, SUMMARY_WORDS))

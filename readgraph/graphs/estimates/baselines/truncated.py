"""What a truncated text will use: one answer."""

from readgraph.graphs.estimates.shared import TAG_WORDS, answering
from readgraph.nodes.estimating import Estimate, Range, exactly
from readgraph.nodes.plain_pages import words_kept
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document


async def estimate(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """Reading takes no call; a question of so many words takes one."""
    if question_words is None or not context.model:
        return Estimate()
    kept = min(words_kept(context), document.words)
    return answering(Range(kept - 1, kept, kept + 1) + exactly(TAG_WORDS + question_words))

"""What retrieval will use: one answer from the segments that were found."""

from readgraph.graphs.baselines.bm25 import segment_words
from readgraph.graphs.estimates.shared import TAG_WORDS, answering
from readgraph.nodes.estimating import Estimate, Range, exactly
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document


async def estimate(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """Reading and retrieval take no call; a question of so many words takes one."""
    if question_words is None or not context.model:
        return Estimate()
    most = context.max_pages * (segment_words(context) + TAG_WORDS)
    found = Range(0, min(most, document.words, context.window_words), most)
    return answering(found + exactly(question_words))

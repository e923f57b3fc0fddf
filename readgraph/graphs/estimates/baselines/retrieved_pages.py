"""What ReadAgent with retrieval will use: its reading, and an answer."""

from readgraph.graphs.estimates.read_agent import foreseen_reading
from readgraph.graphs.estimates.shared import answering
from readgraph.nodes.estimating import Estimate, exactly
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document


async def estimate(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """Reading what is not read yet, and a question of so many words (none: no question)."""
    reading, seen = await foreseen_reading(store, document, context)
    if question_words is None or not context.model:
        return reading
    return reading + answering(seen.gists + seen.opened + exactly(question_words))

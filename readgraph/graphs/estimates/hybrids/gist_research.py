"""What research over gists will use: ReadAgent's reading, then GAM's rounds."""

from readgraph.graphs.estimates.gam import researching
from readgraph.graphs.estimates.read_agent import foreseen_reading
from readgraph.nodes.estimating import Estimate
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document


async def estimate(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """Reading what is not read yet, and research for a question of so many words (none: no question)."""
    reading, seen = await foreseen_reading(store, document, context, merges=False)
    if question_words is None or not context.model:
        return reading
    return reading + researching(seen.pages, context.max_page_words, context, question_words)

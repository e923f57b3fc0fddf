"""What a guided walk will use: MemWalker's reading, and a walk that begins at a leaf."""

from readgraph.graphs.estimates.mem_walker import foreseen_reading, walking, weighing
from readgraph.nodes.estimating import Estimate
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document


async def estimate(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """Reading what is not read yet, and a walk for a question of so many words (none: no question)."""
    reading, segments = await foreseen_reading(store, document, context)
    if question_words is None or not context.model:
        return reading
    walk = walking(segments, context, question_words, from_leaf=True)
    return reading + walk + weighing(context, question_words)

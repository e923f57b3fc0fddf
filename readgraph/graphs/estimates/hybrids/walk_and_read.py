"""What a walk with ReadAgent's answer will use: MemWalker's reading and walk, then an answer over all summaries."""

from readgraph.graphs.estimates.mem_walker import foreseen_reading, notes_of, segment, walking
from readgraph.graphs.estimates.shared import answering
from readgraph.nodes.estimating import Estimate, Range, exactly
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document


async def estimate(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """Reading what is not read yet, and a walk and an answer to a question of so many words (none: no question)."""
    reading, segments = await foreseen_reading(store, document, context)
    if question_words is None or not context.model:
        return reading
    leaves = Range(0, context.walks, context.max_hops * context.walks) * segment(context)
    shown = notes_of(segments, context) + leaves + exactly(question_words)
    return reading + walking(segments, context, question_words) + answering(shown)

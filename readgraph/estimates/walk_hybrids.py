"""What the hybrids of a walk and reflection will use: MemWalker's reading and walk, GAM's rounds over its findings."""

from dataclasses import replace

from readgraph.estimates.arithmetic import Estimate, Range
from readgraph.estimates.gam import reflecting, researching
from readgraph.estimates.mem_walker import foreseen_reading, walking, weighing
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document

EXPECTED_AGAIN = 0.3
"""Further walks that are expected after the first."""


async def estimate_walk_and_research(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """MemWalker's reading and walk, then GAM's rounds, of which the walk is the first.

    Reading what is not read yet, and a question of this many words (none: no question).
    """
    reading, segments = await foreseen_reading(store, document, context)
    if question_words is None or not context.model:
        return reading
    research = researching(segments, context.segment_words, context, question_words, begun=True)
    return reading + walking(segments, context, question_words) + research


async def estimate_reflective_walk(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """MemWalker's reading and walk, a verdict on it, perhaps further walks; findings may be weighed.

    Reading what is not read yet, and a question of this many words (none: no question).
    """
    reading, segments = await foreseen_reading(store, document, context)
    if question_words is None or not context.model:
        return reading
    most = max(context.rounds - 1, 0)
    again = walking(segments, replace(context, walks=1), question_words, from_leaf=True)
    walks = walking(segments, context, question_words) + again.times(Range(0, min(EXPECTED_AGAIN, most), most))
    return reading + walks + reflecting(context, question_words) + weighing(context, question_words, further_walks=most)

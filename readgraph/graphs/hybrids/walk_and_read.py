"""MemWalker finds leaves, ReadAgent answers: from the summaries of all segments, with the walk's leaves in full.

A leaf that answers in MemWalker's walk sees only the path to it; here the answer sees the rest of the text in short.
"""

from functools import partial

from readgraph.graphs import mem_walker
from readgraph.graphs.estimates.arithmetic import Estimate, EstimateCase, Range
from readgraph.nodes.walk.steps import answer_over_leaves

__all__ = ["build", "graph"]

build = partial(mem_walker.build, answer=answer_over_leaves)
"""MemWalker's graph with this `answer` node."""

graph = build().compile(name="walk_and_read")


async def estimate_walk_and_read(case: EstimateCase) -> Estimate:
    """MemWalker's reading and walk, then an answer over all summaries."""
    reading, segments = await mem_walker.estimate_tree_reading(case)
    if not case.asks:
        return reading
    context = case.context
    leaves = Range(0, context.walks, context.max_hops * context.walks) * mem_walker.segment(context)
    shown = mem_walker.notes_of(segments, context) + leaves + case.question
    return reading + mem_walker.estimate_walk(segments, case) + case.answer(shown)

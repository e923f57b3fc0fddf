"""MemWalker finds leaves, ReadAgent answers: from the summaries of all segments, with the walk's leaves in full.

A leaf that answers in MemWalker's walk sees only the path to it; here the answer sees the rest of the text in short.
"""

from functools import partial

from readgraph.graphs import mem_walker
from readgraph.nodes.walk.steps import answer_over_leaves

build = partial(mem_walker.build, answer=answer_over_leaves)
"""MemWalker's graph with this `answer` node."""

graph = build().compile(name="walk_and_read")

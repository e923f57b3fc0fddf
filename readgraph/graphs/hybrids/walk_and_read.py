"""MemWalker finds leaves, ReadAgent answers: from the summaries of all segments, with the walk's leaves in full.

A leaf that answers in MemWalker's walk sees the path to it and no other part of the text. Here the walk chooses what is
read, and the answer sees the rest of the text too, in short.
"""

from functools import partial

from readgraph.graphs import mem_walker
from readgraph.graphs.methods import Method
from readgraph.nodes.walk.answer import answer_over_leaves

__all__ = ["build", "graph"]

METHOD = Method(
    name="walk-and-read",
    line="MemWalker's walk; answers from all summaries.",
    note="summary",
    estimate="estimates.mem_walker:estimate_walk_and_read",
    memory_of="mem-walker",
    order=23,
)

build = partial(mem_walker.build, answer=answer_over_leaves)
"""MemWalker's graph with this `answer` node; every argument is a node, as there."""

graph = build().compile(name="walk_and_read")

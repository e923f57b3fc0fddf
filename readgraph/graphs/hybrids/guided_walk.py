"""MemWalker's walk, which begins at the leaf that search ranks first and goes back up if that does not answer.

A walk from the root pays for a decision at each level before it reads anything, and a wrong turn near the root costs
most. If a question shares words with the right leaf, search finds it directly; the tree is for all other questions.
"""

from functools import partial

from readgraph.graphs import mem_walker
from readgraph.graphs.methods import Method
from readgraph.nodes.walk.position import enter_at_leaf

__all__ = ["build", "graph"]

METHOD = Method(
    name="guided-walk",
    line="MemWalker's walk, begun where search points.",
    note="summary",
    estimate="estimates.mem_walker:estimate_guided_walk",
    memory_of="mem-walker",
    order=21,
)

build = partial(mem_walker.build, enter=enter_at_leaf)
"""MemWalker's graph with this `enter` node; every argument is a node, as there."""

graph = build().compile(name="guided_walk")

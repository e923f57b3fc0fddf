"""MemWalker's walk, begun at the leaf that search ranks first; where that doesn't answer, back up from there.

A walk from the root pays for a decision at each level before it reads anything, and one wrong turn near the root costs
most. Where a question shares words with its place, search is there at once; the tree is for the questions that don't.
"""

from functools import partial

from readgraph.graphs import mem_walker
from readgraph.nodes.walk.entering import enter_at_leaf

build = partial(mem_walker.build, enter=enter_at_leaf)
"""MemWalker's graph with this beginning in it; every argument is a node, as there."""

graph = build().compile(name="guided_walk")

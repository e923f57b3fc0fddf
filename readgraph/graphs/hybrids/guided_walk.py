"""MemWalker's walk, which begins at the leaf that search ranks first and goes back up if that does not answer.

A walk from the root pays for each level before it reads anything. Search finds a leaf that shares words directly.
"""

from functools import partial

from readgraph.graphs import mem_walker
from readgraph.nodes.walk.position import enter_at_leaf

build = partial(mem_walker.build, enter=enter_at_leaf)
"""MemWalker's graph with this `enter` node."""

graph = build().compile(name="guided_walk")

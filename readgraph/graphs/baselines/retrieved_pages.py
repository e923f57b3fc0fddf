"""ReadAgent whose look-up is retrieval: BM25 over its pages, gists beside them (the hybrid of ReadAgent's table 4)."""

from functools import partial

from readgraph.graphs import read_agent
from readgraph.nodes.look_up.retrieval import retrieve

build = partial(read_agent.build, look_up=retrieve)
"""ReadAgent's graph with this look-up in it; every argument is a node, as there."""

graph = build().compile(name="retrieved_pages")

"""ReadAgent whose look-up is retrieval over its pages, with gists beside them (ReadAgent's table 4) or without.

Without gists it is the retrieval of ReadAgent's tables 1 to 3, which reuses ReadAgent's pages (section 4.2).
"""

from functools import partial

from readgraph.graphs import read_agent
from readgraph.nodes.answering.answer import answer_from_retrieved
from readgraph.nodes.look_up.retrieval import retrieve_parts

__all__ = ["build", "graph"]

build = partial(read_agent.build, look_up=retrieve_parts, answer=answer_from_retrieved)
"""ReadAgent's graph with these two nodes in it; every argument is a node, as there."""

graph = build().compile(name="retrieved_pages")

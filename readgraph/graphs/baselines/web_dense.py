"""The web agent without gists: the parts of the page that are nearest by their embeddings (ReadAgent, table 10)."""

from functools import partial

from readgraph.graphs import web_agent
from readgraph.nodes.look_up.retrieval import retrieve_by_vectors

__all__ = ["build", "graph"]

build = partial(web_agent.build, read=web_agent.cut_parts, look_up=retrieve_by_vectors)
"""The web agent's graph with these nodes in it; every argument is a node, as there."""

graph = build().compile(name="web_dense")

"""The web agent without gists and look-up: the page itself, as much as fits (raw HTML in ReadAgent's table 10)."""

from functools import partial

from readgraph.graphs import web_agent
from readgraph.nodes.look_up.leading import leading_pages

__all__ = ["build", "graph"]

build = partial(web_agent.build, read=web_agent.cut_parts, look_up=leading_pages)
"""The web agent's graph with these nodes in it; every argument is a node, as there."""

graph = build().compile(name="web_page")

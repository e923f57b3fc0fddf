"""The web agent without look-up: the gists alone name the action (GistMem in ReadAgent's table 10)."""

from functools import partial

from readgraph.graphs import web_agent
from readgraph.nodes.look_up.fixed import no_page

__all__ = ["build", "graph"]

build = partial(web_agent.build, look_up=no_page)
"""The web agent's graph with this look-up in it; every argument is a node, as there."""

graph = build().compile(name="web_gists_only")

"""ReadAgent without look-up: answer from the gists alone (ReadAgent's GistMem rows, tables 1 to 3)."""

from functools import partial

from readgraph.graphs import read_agent
from readgraph.nodes.answering.answer import answer_from_notes_alone
from readgraph.nodes.look_up.fixed import no_page

__all__ = ["build", "graph"]

build = partial(read_agent.build, look_up=no_page, answer=answer_from_notes_alone)
"""ReadAgent's graph with these two nodes in it; every argument is a node, as there."""

graph = build().compile(name="gists_only")

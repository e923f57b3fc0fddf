"""ReadAgent without look-up: answer from the gists alone (ReadAgent's GistMem rows, tables 1 to 3)."""

from functools import partial

from readgraph.graphs import read_agent
from readgraph.nodes import answering
from readgraph.nodes.extractive import answer_from_notes
from readgraph.nodes.fixed_look_ups import no_page
from readgraph.nodes.step import StepNode

answer = StepNode(answering.answer.work, without_model=answer_from_notes)

build = partial(read_agent.build, look_up=no_page, answer=answer)
"""ReadAgent's graph with these two nodes in it; every argument is a node, as there."""

graph = build().compile(name="gists_only")

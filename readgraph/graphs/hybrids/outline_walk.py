"""MemWalker's walk over the document's own table of contents: its tree has the sections of the outline as nodes.

A balanced tree groups neighbours, whatever they are about. Authors have grouped their text already, and given each
group a name: a walk that reads headings beside summaries decides as a reader does with a table of contents.
"""

from dataclasses import replace
from functools import partial

from readgraph.graphs import mem_walker
from readgraph.nodes.building.by_outline import read_by_outline
from readgraph.nodes.building.outline import SECTIONS
from readgraph.nodes.building.summaries import summarise
from readgraph.nodes.extractive import extract_note
from readgraph.nodes.purpose import serves_purpose
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.records import Recipe
from readgraph.state.settings import Language, Paragraphs, Purpose, Rebuilding, Tree

__all__ = ["build", "graph"]


@serves_purpose
def recipe(context: ReaderContext) -> Recipe:
    """The recipe of such a memory: MemWalker's, under a name of its own, with the version of how sections are cut."""
    walkers = mem_walker.recipe(context)
    return replace(walkers, method="outline-walk", parameters={**walkers.parameters, "sections": SECTIONS})


read = StepNode(
    read_by_outline(summarise, recipe),
    without_model=read_by_outline(extract_note, recipe),
    builds=True,
    settings=(Tree, Paragraphs, Purpose, Language, Rebuilding),
)

build = partial(mem_walker.build, read=read)
"""MemWalker's graph with this `read` node; every argument is a node, as there."""

graph = build().compile(name="outline_walk")

"""MemWalker's walk over the document's own table of contents: its tree has the sections of the outline as nodes.

Authors have grouped their text, and named each group: a walk that reads headings beside summaries decides as a reader
does with a table of contents.
"""

from functools import partial

from readgraph.graphs import mem_walker
from readgraph.nodes.building.outline import SECTIONS, read_by_outline
from readgraph.nodes.building.recipes import recipe_of_notes
from readgraph.nodes.building.summaries import COMPRESS, SUMMARY, summarise
from readgraph.nodes.extractive.gists import extract_note

__all__ = ["build", "graph"]

recipe = recipe_of_notes(
    "outline-walk", mem_walker.READING, SUMMARY, COMPRESS, more=lambda context: {"sections": SECTIONS}
)
"""The recipe of such a memory: MemWalker's, with the version of how sections are cut."""

read = read_by_outline(summarise, recipe, without_model=extract_note, settings=mem_walker.READING)

build = partial(mem_walker.build, read=read)
"""MemWalker's graph with this `read` node."""

graph = build().compile(name="outline_walk")

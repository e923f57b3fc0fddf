"""A wiki of documents: a page of each, and of each person, place, thing and topic.

Without a model the pages consist of the documents' own sentences. With one, it notes what each page tells of, and
writes a page where there are several sentences; each sentence keeps what it rests on.
"""

from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.features.wiki import subjects as subjects_types
from readgraph.features.wiki.state import WikiMade, WikiState
from readgraph.features.wiki.subjects import gather_subjects, note_pages, page_words
from readgraph.features.wiki.write import (
    CompareState,
    CompareUpdate,
    WriteState,
    WriteUpdate,
    compare_sentences_of_pages,
    write_pages,
)
from readgraph.graphs.wiring import add_nodes, add_path, begin_graph, complete_graph
from readgraph.nodes.building.build import ReadState, ReadWrites, cut_pages
from readgraph.nodes.building.paging import even_pages
from readgraph.nodes.building.recipes import recipe_of_pages
from readgraph.nodes.contracts import Node
from readgraph.nodes.opening import OpenState, OpenUpdate, open_document
from readgraph.state.context import ReaderContext
from readgraph.state.reading import TextGiven
from readgraph.state.settings import Paragraphs, Rebuilding, Window

recipe_of_cut = recipe_of_pages("wiki-pages", page_words)
read = cut_pages(even_pages(page_words), recipe_of_cut, settings=(Window, Paragraphs, Rebuilding))


@complete_graph
def build(
    *,
    open: Node[OpenState, OpenUpdate] = open_document,
    read: Node[ReadState, ReadWrites] = read,
    note: Node[subjects_types.NoteState, subjects_types.NoteUpdate] = note_pages,
    gather: Node[subjects_types.GatherState, subjects_types.GatherUpdate] = gather_subjects,
    write: Node[WriteState, WriteUpdate] = write_pages,
    compare: Node[CompareState, CompareUpdate] = compare_sentences_of_pages,
    state: type[Any] = WikiState,
) -> StateGraph[WikiState, ReaderContext, TextGiven, WikiMade]:
    """Cut pages, note what each tells of, gather what is told of each subject, write the wiki's pages, compare."""
    builder = begin_graph(state, WikiState, TextGiven, WikiMade)
    add_nodes(builder, open=open, read=read, note=note, gather=gather, write=write, compare=compare)
    add_path(builder, START, "open", "read", "note", "gather", "write", "compare", END)
    return builder


graph = build().compile(name="wiki")

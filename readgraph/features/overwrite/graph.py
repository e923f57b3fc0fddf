"""overwrite-memory: notes on the question, written anew at each page (MemAgent, Yu et al., 2025).

Notes have a fixed size, so any length can be read at linear cost. What was overwritten can be searched from any later
page, after "Look Back to Reason Forward" (Shi et al., 2025).
"""

from typing import Any

from langgraph.graph import END, START, StateGraph

from readgraph.features.overwrite import question_notes
from readgraph.features.overwrite.note_taking import (
    MOST_TURNS,
    LastNotesState,
    NotesOpenUpdate,
    NotesState,
    NotesUpdate,
    answer,
    open_for_notes,
    write_notes,
)
from readgraph.features.overwrite.settings import NoteTaking
from readgraph.features.overwrite.state import NoteTakingOutput, NoteTakingState
from readgraph.graphs.wiring import add_nodes, add_path, add_question, add_search, begin_graph, complete_graph
from readgraph.nodes.answering.cite import cite
from readgraph.nodes.building.build import ReadState, ReadWrites, cut_pages
from readgraph.nodes.building.paging import even_pages
from readgraph.nodes.building.recipes import recipe_of_pages
from readgraph.nodes.contracts import AnswerWrites, CiteState, CiteWrites, Node
from readgraph.nodes.opening import OpenState
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Question
from readgraph.state.settings import Paragraphs, Rebuilding, Window

recipe = recipe_of_pages("overwrite-memory", question_notes.chunk_words)

read = cut_pages(
    even_pages(question_notes.chunk_words),
    recipe,
    cuts_text=False,
    settings=(NoteTaking, Window, Paragraphs, Rebuilding),
)


@complete_graph
def build(
    *,
    open: Node[OpenState, NotesOpenUpdate] = open_for_notes,
    read: Node[ReadState, ReadWrites] = read,
    write_notes: Node[NotesState, NotesUpdate] = write_notes,
    answer: Node[LastNotesState, AnswerWrites] = answer,
    cite: Node[CiteState, CiteWrites] = cite,
    state: type[Any] = NoteTakingState,
) -> StateGraph[NoteTakingState, ReaderContext, Question, NoteTakingOutput]:
    """The paper's workflow: the pages one after the other, with the notes between them, then the answer."""
    builder = begin_graph(state, NoteTakingState, Question, NoteTakingOutput)
    add_nodes(builder, open=open, read=read, write_notes=write_notes, answer=answer, cite=cite)
    add_path(builder, START, "open", "read")
    add_question(builder, "read", "write_notes")
    add_search(builder, "write_notes", "write_notes", loop=("write_notes",), most=lambda context: MOST_TURNS)
    add_path(builder, "answer", "cite", END)
    return builder


graph = build().compile(name="overwrite_memory")

"""Begin a question to take notes on."""

from readgraph.features.overwrite.state import FreshNotes
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.nodes.opening import OpenState, OpenUpdate, open_document
from readgraph.nodes.step import node
from readgraph.state.channels import empty_channels


class NotesOpenUpdate(OpenUpdate, FreshNotes):
    """What opening writes where notes are taken on a question."""


@node(starts_question=True)
async def open_for_notes(state: OpenState, runtime: ReaderRuntime) -> NotesOpenUpdate:
    """Open a question to take notes on, and reset the notes of earlier questions."""
    return {**await open_document(state, runtime), **empty_channels(FreshNotes)}

"""The settings of overwritten notes."""

from typing import Annotated

from annotated_types import Ge

from readgraph.state.declaring import Help, Settings


class NoteTaking(Settings, panel="overwrite-memory", reads=True):
    """In what pieces `overwrite-memory` reads, and how much it may note."""

    chunk_words: Annotated[
        int, Ge(50), Help("A part has at most this many words, fewer in a small window; 3,750 are about 5,000 tokens.")
    ] = 3750
    note_words: Annotated[
        int, Ge(20), Help("Notes have at most this many words, and a fifth of the window; 768 are about 1,024 tokens.")
    ] = 768


class LookingBack(Settings, panel="overwrite-memory"):
    """Whether what was overwritten can come back."""

    look_back: Annotated[bool, Help("Let the model search what it noted on earlier parts and has left out since.")] = (
        True
    )


class NoteGates(Settings, panel="overwrite-memory"):
    """When notes are written, and how much of them is at stake with each part."""

    update_gate: Annotated[
        bool, Help("Let the model say that a part has nothing on the question: then the notes stay as they are.")
    ] = False
    exit_gate: Annotated[
        bool, Help("Let the model say that it has the whole answer: then no further part is read.")
    ] = False
    heads: Annotated[
        int,
        Ge(1),
        Help("Keep the notes in this many blocks, and with each part write only the one that was used least recently."),
    ] = 1

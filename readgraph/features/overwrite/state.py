"""What a reading that takes notes holds of a question."""

from typing import Annotated

from typing_extensions import TypedDict

from readgraph.state.channels import Empty
from readgraph.state.reading import Answered, ReadingState


class NoteTakingOutput(Answered):
    """Output of a reading that takes notes: the last notes, a fact in each line, with the numbers of its pages."""

    notes: str


class NoteTakingState(ReadingState, NoteTakingOutput):
    """All channels of a reading that takes notes.

    `next_page` is the page that is read next; `earlier` holds lines of earlier notes that are shown with it. The
    earlier notes themselves are in the store, under `reading` (see `earlier_notes.py`). `blocks` are the notes in their
    blocks, `block_order` these blocks' indexes, the one that was used least recently first.
    """

    blocks: list[str]
    block_order: list[int]
    earlier: str
    next_page: int
    reading: str


class FreshNotes(TypedDict):
    """The channels of note-taking that belong to one question."""

    notes: Annotated[str, Empty]
    blocks: list[str]
    block_order: list[int]
    earlier: str
    next_page: int
    reading: str

"""The state of a reading that keeps nothing but its notes (MemAgent): bounded, however long the text is."""

from typing import Annotated

from typing_extensions import TypedDict

from readgraph.state.channels.fresh_reading import Empty
from readgraph.state.reading import Answered, ReadingState


class Noted(Answered):
    """Output of a reading that takes notes: the last notes, a fact in each line, with the numbers of its pages."""

    notes: str


class NoteTakingState(ReadingState, Noted):
    """All channels of a reading that takes notes.

    `next_page` is the page that is read next; `earlier` holds lines of earlier notes that are shown with it. The
    earlier notes themselves are in the store, under `reading` (see `readgraph.state.kept.earlier_notes`).
    """

    earlier: str
    next_page: int
    reading: str


class FreshNotes(TypedDict):
    """The channels of note-taking that belong to one question."""

    notes: Annotated[str, Empty]
    earlier: str
    next_page: int
    reading: str


def fresh_notes() -> FreshNotes:
    """The channels of note-taking at the start of a question."""
    return {"notes": "", "earlier": "", "next_page": 0, "reading": ""}

"""The parts that build a memory, which a hybrid can replace."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable

from langgraph.runtime import Runtime

from readgraph.state.context import ReaderContext
from readgraph.state.errors import ReadgraphError
from readgraph.state.records import Document, Note, Page


class NotesSoFar:
    """Notes that exist and notes that are being written; for the tasks of one event loop."""

    def __init__(self, notes: Iterable[Note] = ()) -> None:
        self._known = {note.page: note for note in notes}
        self._without_gap: list[Note] = []
        self._stopped_by: ReadgraphError | None = None
        self._reached = dict[int, asyncio.Event]()
        self._close_up()

    def __contains__(self, page: int) -> bool:
        """Whether this page has its note."""
        return page in self._known

    def add(self, note: Note) -> None:
        """A note was written."""
        self._known[note.page] = note
        self._close_up()

    def stop(self, problem: ReadgraphError) -> None:
        """No more notes come: tasks that wait get this error."""
        self._stopped_by = problem
        for reached in self._reached.values():
            reached.set()

    async def before(self, page: int) -> list[Note]:
        """The notes of all pages before this one, in order, as soon as all of them are written."""
        while len(self._without_gap) < page:
            if self._stopped_by:
                raise self._stopped_by
            await self._reached.setdefault(page, asyncio.Event()).wait()
        return self._without_gap[:page]

    def _close_up(self) -> None:
        while len(self._without_gap) in self._known:
            self._without_gap.append(self._known[len(self._without_gap)])
            if reached := self._reached.pop(len(self._without_gap), None):
                reached.set()


Paginate = Callable[[str, Page | None, Runtime[ReaderContext]], AsyncGenerator[Page, None]]
"""Cuts the text after the last existing page into pages; the last one ends the text."""

WriteNote = Callable[[str, Page, Runtime[ReaderContext]], Awaitable[Note]]
"""Writes the note of a page from the page's text."""

MakeParts = Callable[[Document, NotesSoFar, Runtime[ReaderContext]], Awaitable[tuple[Paginate, WriteNote]]]
"""Makes the parts of a build when it begins: they may use the document, and wait for notes of other pages."""

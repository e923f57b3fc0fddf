"""Messages that left the window become a history: sessions, pages and notes, by GAM's memorizer (section 2.2.1)."""

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AnyMessage

from readgraph.graphs import gam
from readgraph.middleware.transcript import transcript
from readgraph.models.prompt import fenced
from readgraph.state.context import ReaderContext
from readgraph.state.histories import SessionText, append_sessions
from readgraph.state.page_store import PageStore
from readgraph.state.records import Memory, Note
from readgraph.state.words import counted
from readgraph.tools.functions import apart
from readgraph.tools.running import run_method

AT_ONCE = 20
"""Notes that are fetched at a time."""


@dataclass(frozen=True)
class History:
    """The history of one conversation, by its name in the library, and how much of its notes is shown."""

    pages: PageStore
    name: str
    context: ReaderContext
    notes_words: int

    async def remember(self, messages: Sequence[AnyMessage], title: str) -> str:
        """Append messages as a session, memorise them, and return the notes that stand for all that left so far.

        The same session again, after a killed step, is not appended again.
        """
        session = SessionText(await transcript(self.pages, messages), title)
        document = (await append_sessions(self.pages, self.name, [session])).document
        run = run_method(self.pages, gam.build_memorize(), "gam", document, {}, self.context)
        output = await apart(run)
        return await self._shown(await self.pages.memory(document.id, output["memory"]))

    async def _shown(self, memory: Memory) -> str:
        """The newest notes that fit, in their order."""
        shown, words = list[Note](), 0
        for last in range(memory.pages, 0, -AT_ONCE):
            notes = await self.pages.notes(memory.id, range(max(0, last - AT_ONCE), last))
            for note in reversed(notes):
                words += note.words
                if words > self.notes_words and shown:
                    return _told(shown[::-1], memory.pages)
                shown.append(note)
        return _told(shown[::-1], memory.pages)


def _told(notes: Sequence[Note], pages: int) -> str:
    older = pages - len(notes)
    which = f" Notes on the first {counted(older, 'page')} are not shown." if older else ""
    body = "\n".join(f"{note.page}: {note.text}" for note in notes)
    return f"Earlier messages are remembered, in {counted(pages, 'page')}.{which}\n{fenced('notes', body)}"

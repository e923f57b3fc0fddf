"""What the model sees of a memory of memos: as many as fit, the recent memos first, then relevant ones."""

from dataclasses import dataclass

from langgraph.runtime import Runtime

from readgraph.library.page_store import PageStore, page_store
from readgraph.models.metering import record_corrections
from readgraph.nodes.memory import format_pages
from readgraph.nodes.search import Tools
from readgraph.state.context import ReaderContext
from readgraph.state.records import Memory, Note
from readgraph.state.words import count_words

RECENT_SHARE = 0.5
"""If not all memos fit, the most recent ones get this share of the words, and older ones the rest."""

AT_ONCE = 200
MOST_OLDER = 500

MEMORY_SHARE = 0.5
"""The memory takes at most this share of the model's window."""


@dataclass(frozen=True)
class MemosInView:
    """Memos in page order, and how many the memory has."""

    notes: list[Note]
    of: int

    @property
    def text(self) -> str:
        """Each memo after its page's tag and header."""
        record_corrections(self.notes)
        return format_pages({note.page: f"{note.header}\n{note.text}" for note in self.notes})

    @property
    def words(self) -> int:
        """Words of the memos, without tags."""
        return sum(map(_words, self.notes))


async def memos_in_view(runtime: Runtime[ReaderContext], memory: Memory, tools: Tools, question: str) -> MemosInView:
    """The memos that fit: all of them, else the most recent ones, then those of the pages that best match the question.

    Only memos that may be shown are fetched, however long the memory is.
    """
    store, most_words = page_store(runtime), int(runtime.context.window_words * MEMORY_SHARE)
    recent, older = await _most_recent(store, memory, most_words), list[Note]()
    if sum(map(_words, recent)) > most_words:
        recent = _fit_notes(recent, int(most_words * RECENT_SHARE))
        first = recent[-1].page if recent else memory.pages
        room = most_words - sum(map(_words, recent))
        nearest = [page for tool in list(tools.values())[:1] for page, _ in await tool.find(question, MOST_OLDER)]
        older = _fit_notes(
            await store.notes(memory.id, [page for page in nearest if page < first]), room, leave_out=True
        )
    return MemosInView(sorted([*older, *recent], key=lambda note: note.page), memory.pages)


async def _most_recent(store: PageStore, memory: Memory, most_words: int) -> list[Note]:
    """The last memos, going back until they have more words than fit."""
    found, words, end = list[Note](), 0, memory.pages
    while end > 0 and words <= most_words:
        start = max(0, end - AT_ONCE)
        batch = await store.notes(memory.id, range(start, end))
        found += reversed(batch)
        words += sum(map(_words, batch))
        end = start
    return found


def _fit_notes(notes: list[Note], room: int, *, leave_out: bool = False) -> list[Note]:
    """The notes in this order, as long as they fit; `leave_out`: those that don't fit are skipped."""
    kept = list[Note]()
    for note in notes:
        if _words(note) <= room:
            kept.append(note)
            room -= _words(note)
        elif not leave_out:
            break
    return kept


def _words(note: Note) -> int:
    return note.words + count_words(note.header)

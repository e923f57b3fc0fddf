"""How much of a document its memory does not hold: what was appended since, or a budget left over."""

from collections.abc import Sequence

from readgraph.state.channels.research import NotMemorised
from readgraph.state.histories import sessions_of
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document, Memory
from readgraph.state.words import count_words, counted


async def not_memorised(store: PageStore, document: Document, memory: Memory) -> NotMemorised:
    """What has no page in the memory, or a page without a note. A session counts that lacks any of its pages."""
    if memory.complete and memory.read_to == document.characters:
        return NotMemorised(sessions=0, words=0)
    pages = await store.pages(memory.id, range(memory.pages))
    noted = {note.page for note in await store.notes(memory.id, range(memory.pages))}
    missing = [(page.start, page.end) for page in pages if page.number not in noted]
    missing.append((memory.read_to, document.characters))
    return await sizes_of(store, document, missing)


async def sizes_of(store: PageStore, document: Document, missing: Sequence[tuple[int, int]]) -> NotMemorised:
    """How much of a document stands in these spans."""
    words = sum(map(count_words, await store.spans(document, missing)))
    sessions = [
        session
        for session in await sessions_of(store, document)
        if any(session.start < end and start < session.end for start, end in missing)
    ]
    return NotMemorised(sessions=len(sessions), words=words)


def told_missing(missing: NotMemorised | None) -> str:
    """What is not memorised: "2 sessions (480 words) are not memorised"; "" where nothing is missing."""
    if not missing or not missing["words"]:
        return ""
    sessions, words = missing["sessions"], counted(missing["words"], "word")
    what = f"{counted(sessions, 'session')} ({words})" if sessions else words
    return f"{what} {'is' if (sessions or missing['words']) == 1 else 'are'} not memorised"

"""A file that was changed: the text before and after the change keeps its pages and notes."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace

from langgraph.runtime import Runtime

from readgraph.nodes.building.interfaces import Paginate, WriteNote
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document, Memory, Note, Page


@dataclass(frozen=True)
class Kept:
    """Pages of the earlier version at their places in the new text, and their notes by the page's start."""

    head: list[Page] = field(default_factory=list)
    tail: list[Page] = field(default_factory=list)
    notes: dict[int, Note] = field(default_factory=dict)


async def kept_of_earlier(store: PageStore, document: Document, text: str, memory: Memory) -> Kept:
    """Unchanged pages and notes from the same recipe's memory of the file's newest earlier version; usually none."""
    earlier = await store.other_versions(document)
    if not earlier:
        return Kept()
    known = [known for known in await store.memories(earlier[0].id) if known.recipe == memory.recipe]
    if not known:
        return Kept()
    old, pages = await store.text(earlier[0]), await store.pages(known[0].id, range(known[0].pages))
    notes = {note.page: note for note in await store.notes(known[0].id, range(known[0].pages))}
    same_before = _common(old, text)
    same_after = _common(old[same_before:][::-1], text[same_before:][::-1])
    # The end of the last page before the change was chosen with the old text in view, so it is cut again.
    head = [page for page in pages if page.end <= same_before][:-1]
    tail = [page for page in pages[len(head) :] if page.start >= len(old) - same_after]
    shift = len(text) - len(old)
    moved = [replace(page, start=page.start + shift, end=page.end + shift) for page in tail]
    numbers = {page.start: page.number for page in [*head, *moved]}
    return Kept(head, moved, {start: notes[number] for start, number in numbers.items() if number in notes})


def around_change(paginate: Paginate, kept: Kept) -> Paginate:
    """The kept pages, and new pages between them (the last of which may be small)."""

    async def paged(text: str, last: Page | None, runtime: Runtime[ReaderContext]) -> AsyncGenerator[Page, None]:
        changed_to = kept.tail[0].start if kept.tail else len(text)
        for page in kept.head[last.number + 1 if last else 0 :]:
            last = page
            yield page
        async for page in paginate(text[:changed_to], last, runtime):
            last = page
            yield page
        for page in kept.tail:
            if last is None or page.start >= last.end:
                last = replace(page, number=last.number + 1 if last else 0)
                yield last

    return paged


def around_kept(write_note: WriteNote, kept: Kept) -> WriteNote:
    """The page's kept note if it has one, else a new note."""

    async def noted(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
        if page.start in kept.notes:
            return replace(kept.notes[page.start], page=page.number)
        return await write_note(text, page, runtime)

    return noted


def _common(one: str, other: str) -> int:
    """Length of the common beginning, by bisection: comparing slices is faster than comparing characters."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low

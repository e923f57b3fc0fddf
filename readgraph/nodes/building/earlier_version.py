"""A file that was changed: what stands before and after the change keeps its pages and notes."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace

from langgraph.runtime import Runtime

from readgraph.nodes.building.interfaces import Paginate, WriteNote
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document, Memory, Note, Page


@dataclass(frozen=True)
class Kept:
    """Pages of the earlier version where they stand in the text now, and their notes by the page's start."""

    head: list[Page] = field(default_factory=list)
    tail: list[Page] = field(default_factory=list)
    notes: dict[int, Note] = field(default_factory=dict)


async def kept_of_earlier(store: PageStore, document: Document, text: str, memory: Memory) -> Kept:
    """What the same recipe's memory of the file's newest earlier version has kept; mostly nothing."""
    earlier = [other for other in await store.documents() if other.source == document.source and other != document]
    if not document.source or not earlier:
        return Kept()
    known = [known for known in await store.memories(earlier[0].id) if known.recipe == memory.recipe]
    if not known:
        return Kept()
    old, pages = await store.text(earlier[0]), await store.pages(known[0].id, range(known[0].pages))
    notes = {note.page: note for note in await store.notes(known[0].id, range(known[0].pages))}
    same_before = _common(old, text)
    same_after = _common(old[same_before:][::-1], text[same_before:][::-1])
    # The last page before the change ended with the change in view: it is cut anew.
    head = [page for page in pages if page.end <= same_before][:-1]
    tail = [page for page in pages[len(head) :] if page.start >= len(old) - same_after]
    shift = len(text) - len(old)
    moved = [replace(page, start=page.start + shift, end=page.end + shift) for page in tail]
    numbers = {page.start: page.number for page in [*head, *moved]}
    return Kept(head, moved, {start: notes[number] for start, number in numbers.items() if number in notes})


def around_change(paginate: Paginate, kept: Kept) -> Paginate:
    """Pages as they were kept, and between them pages cut anew (the last of which may be small)."""

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
    """The kept note of a page that has one, else a new one."""

    async def noted(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
        if page.start in kept.notes:
            return replace(kept.notes[page.start], page=page.number)
        return await write_note(text, page, runtime)

    return noted


def _common(one: str, other: str) -> int:
    """Length of the common beginning, by halving: slices are compared faster than characters."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low

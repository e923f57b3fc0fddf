"""The tools that search a memory's pages, headers and memos; their indexes are derived from the page store."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from langgraph.runtime import Runtime

from readgraph.state.build_lock import building
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore, page_store
from readgraph.state.records import Document, Memory
from readgraph.state.search.beside import index_key, indexes_beside
from readgraph.state.search.entries import Entry, Extent
from readgraph.state.search.keyword_index import KeywordIndex

AT_ONCE = 200
"""Pages that are indexed at once."""


class SearchTool(Protocol):
    """Searches the pages of one memory."""

    async def find(self, query: str, most: int) -> list[int]:
        """The numbers of at most so many pages, the best first."""


Tools = Mapping[str, SearchTool]

OpenTools = Callable[[Runtime[ReaderContext], Document, Memory], Awaitable[Tools]]
"""Opens the search tools of a memory, by their names; pages can be opened by number without one."""


async def memory_tools(runtime: Runtime[ReaderContext], document: Document, memory: Memory) -> Tools:
    """Keyword search, and vector search where the context names an embedding model; both know all pages."""
    store = page_store(runtime)
    indexes = await indexes_beside(store.store)
    keyword = KeywordTool(indexes.keyword, index_key(memory))
    await bring_up_to_date(store, document, memory, keyword)
    return {"keyword": keyword}


class Index(Protocol):
    """What keeps entries of a memory."""

    async def extent(self) -> Extent:
        """How far it has come."""

    async def missing(self, pages: int) -> list[int]:
        """Those of the first so many pages that it doesn't hold."""

    async def add(self, entries: list[Entry]) -> None:
        """Take entries in."""

    async def clear(self) -> None:
        """Drop everything."""


@dataclass(frozen=True)
class KeywordTool:
    """The pages of a memory by their words."""

    index: KeywordIndex
    memory: str

    async def find(self, query: str, most: int) -> list[int]:
        """Pages that share words with the query."""
        return [hit.page for hit in await self.index.search(self.memory, query, most)]

    async def extent(self) -> Extent:
        """How far the index has come."""
        return await self.index.extent(self.memory)

    async def missing(self, pages: int) -> list[int]:
        """Those of the first so many pages that are not indexed."""
        return await self.index.missing(self.memory, pages)

    async def add(self, entries: list[Entry]) -> None:
        """Index entries."""
        await self.index.add(self.memory, entries)

    async def clear(self) -> None:
        """Drop the memory's index."""
        await self.index.forget(self.memory)


async def bring_up_to_date(store: PageStore, document: Document, memory: Memory, index: Index) -> None:
    """Index the pages that are missing, as soon as they have their memo; an index that knows more pages is made anew.

    One at a time: who comes second finds the work done.
    """
    if _is_whole(await index.extent(), memory):
        return
    async with building(store.store, f"{memory.id}-search"):
        extent = await index.extent()
        if extent.last >= memory.pages:
            await index.clear()
        missing = await index.missing(memory.pages)
        for first in range(0, len(missing), AT_ONCE):
            await index.add(await _entries(store, document, memory, missing[first : first + AT_ONCE]))


def _is_whole(extent: Extent, memory: Memory) -> bool:
    return (extent.count, extent.last) == (memory.pages, memory.pages - 1)


async def _entries(store: PageStore, document: Document, memory: Memory, numbers: list[int]) -> list[Entry]:
    notes = {note.page: note for note in await store.notes(memory.id, numbers)}
    pages = await store.pages(memory.id, notes)
    texts = await store.spans(document, [(page.start, page.end) for page in pages])
    return [
        Entry(page.number, text, notes[page.number].header, notes[page.number].text)
        for page, text in zip(pages, texts, strict=True)
    ]

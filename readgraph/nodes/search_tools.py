"""The tools that search a memory's pages, headers and memos; their indexes are derived from the page store."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from weakref import proxy

from langgraph.runtime import Runtime

from readgraph.nodes.metering import current_meter
from readgraph.state.build_lock import building
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore, page_store
from readgraph.state.records import Document, Memory
from readgraph.state.search.beside import index_key, indexes_beside
from readgraph.state.search.embedding import Embedder
from readgraph.state.search.entries import Entry, Extent
from readgraph.state.search.kept_vectors import KeptVectors
from readgraph.state.search.keyword_index import KeywordIndex
from readgraph.state.search.vector_index import VectorIndex
from readgraph.state.search.vectors import Matrix

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
    store, context = page_store(runtime), runtime.context
    indexes, key = await indexes_beside(store.store), index_key(memory)
    tools: dict[str, IndexTool] = {"keyword": KeywordTool(indexes.keyword, key)}
    if context.embeddings and "vector" in context.tools:
        embedder = await shared_embedder(store, context)
        tools["vector"] = VectorTool(await indexes.vectors(embedder.identity), embedder, key)
    for tool in tools.values():
        await bring_up_to_date(store, document, memory, tool)
    return tools


async def shared_embedder(store: PageStore, context: ReaderContext) -> Embedder:
    """The context's embedding model, one for all who use the store; what it was paid for is kept there."""
    kept = PaidVectors(PageStore(proxy(store.store)))  # kept beside the store, it must not keep the store
    embedder = Embedder(context.embeddings, kept, concurrency=context.concurrency)
    embedders = (await indexes_beside(store.store)).embedders
    return embedders.setdefault((embedder.identity, context.concurrency), embedder)


class IndexTool(SearchTool, Protocol):
    """A search tool with an index that is filled from the page store."""

    async def extent(self) -> Extent:
        """How far the index has come."""

    async def missing(self, pages: int) -> list[int]:
        """Those of the first so many pages that it doesn't hold."""

    async def add(self, entries: list[Entry]) -> None:
        """Take entries in."""

    async def clear(self) -> None:
        """Drop all entries of the memory."""


@dataclass(frozen=True)
class KeywordTool:
    """The pages of a memory by their words."""

    index: KeywordIndex
    memory: str

    async def find(self, query: str, most: int) -> list[int]:
        """Pages that share words with the query."""
        return await self.index.pages(self.memory, query, most)

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


@dataclass(frozen=True)
class VectorTool:
    """The pages of a memory by what they mean."""

    index: VectorIndex
    embedder: Embedder
    memory: str

    async def find(self, query: str, most: int) -> list[int]:
        """Pages whose text, header or memo is near the query."""
        return [hit.page for hit in await self.index.search(self.memory, await self.embedder.query(query), most)]

    async def extent(self) -> Extent:
        """How far the index has come."""
        return await self.index.extent(self.memory)

    async def missing(self, pages: int) -> list[int]:
        """Those of the first so many pages that have no vectors."""
        return await self.index.missing(self.memory, pages)

    async def add(self, entries: list[Entry]) -> None:
        """Embed entries and index them."""
        places, vectors = await self.embedder.entries(entries)
        if places:
            await self.index.add(self.memory, places, vectors)

    async def clear(self) -> None:
        """Drop the memory's vectors."""
        await self.index.forget(self.memory)


@dataclass(frozen=True)
class PaidVectors:
    """Embeddings that were paid for, kept for the document that the running step reads."""

    pages: PageStore

    async def get(self, keys: Sequence[str]) -> list[Matrix | None]:
        """The vectors of these keys, in this order; nothing for those that aren't kept."""
        return await self._kept.get(keys)

    async def put(self, vectors: Mapping[str, Matrix]) -> None:
        """Keep vectors."""
        await self._kept.put(vectors)

    @property
    def _kept(self) -> KeptVectors:
        return KeptVectors(self.pages, current_meter().document)


async def bring_up_to_date(store: PageStore, document: Document, memory: Memory, index: IndexTool) -> None:
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

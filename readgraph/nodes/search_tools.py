"""The tools that search a memory: provisional."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from langgraph.runtime import Runtime

from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore, page_store
from readgraph.state.records import Document, Memory
from readgraph.state.search.okapi import rank


class SearchTool(Protocol):
    """Searches the pages of one memory."""

    async def find(self, query: str, most: int) -> list[int]:
        """The numbers of at most so many pages, the best first."""


Tools = Mapping[str, SearchTool]

OpenTools = Callable[[Runtime[ReaderContext], Document, Memory], Awaitable[Tools]]
"""Gives the search tools of a memory by their names."""


@dataclass
class Ranked:
    store: PageStore
    document: Document
    memory: Memory

    async def find(self, query: str, most: int) -> list[int]:
        pages = await self.store.pages(self.memory.id, range(self.memory.pages))
        notes = {n.page: n for n in await self.store.notes(self.memory.id, range(self.memory.pages))}
        texts = await self.store.spans(self.document, [(page.start, page.end) for page in pages])
        texts = [f"{t}\n{notes[i].header}\n{notes[i].text}" if i in notes else t for i, t in enumerate(texts)]
        return [page for page, _ in rank(query, texts)[:most]]


async def memory_tools(runtime: Runtime[ReaderContext], document: Document, memory: Memory) -> Tools:
    return {"keyword": Ranked(page_store(runtime), document, memory)}

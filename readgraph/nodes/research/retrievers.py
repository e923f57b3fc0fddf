"""Any LangChain retriever as a search tool, for a corpus that is too large for one machine."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.documents import Document as Retrieved
from langchain_core.retrievers import BaseRetriever
from langgraph.runtime import Runtime

from readgraph.nodes.answering.citing import find_quote
from readgraph.nodes.research.planning import planning
from readgraph.nodes.research.searching import searching_with
from readgraph.nodes.search_tools import OpenTools, SearchTool, Tools, memory_tools
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.page_store import PageStore, page_store
from readgraph.state.records import Document, Memory


def with_retrievers(*, keyword: BaseRetriever | None = None, vector: BaseRetriever | None = None) -> Mapping[str, Any]:
    """The nodes `plan` and `search` with retrievers that stand in for tools: `build(**with_retrievers(vector=…))`.

    A retrieved text belongs to the page that its metadata names, {"page": 3}, else to the page on which it begins; a
    text that is on no page is skipped.
    """
    given = {"keyword": keyword, "vector": vector}
    for name, retriever in given.items():
        if not isinstance(retriever, BaseRetriever | None):
            raise BadInput(f"The retriever for '{name}' is none: {type(retriever).__name__}.")
    open_tools = _standing_in({name: retriever for name, retriever in given.items() if retriever})
    return {"plan": planning(open_tools), "search": searching_with(open_tools)}


def _standing_in(retrievers: Mapping[str, BaseRetriever]) -> OpenTools:
    async def open_tools(runtime: Runtime[ReaderContext], document: Document, memory: Memory) -> Tools:
        store, own = page_store(runtime), dict[str, SearchTool]()
        if "keyword" not in retrievers or "vector" not in retrievers:
            own = {**await memory_tools(runtime, document, memory)}
        return own | {name: RetrieverTool(retriever, store, document, memory) for name, retriever in retrievers.items()}

    return open_tools


@dataclass
class RetrieverTool:
    """A retriever over the pages of one memory."""

    retriever: BaseRetriever
    store: PageStore
    document: Document
    memory: Memory

    async def find(self, query: str, most: int) -> list[int]:
        """The pages of what the retriever finds, in its order."""
        found = await self.retriever.ainvoke(query)
        pages = [self._named(one) for one in found]
        if None in pages:
            located = await self._located(found)
            pages = [named if named is not None else at for named, at in zip(pages, located, strict=True)]
        return list(dict.fromkeys(page for page in pages if page is not None))[:most]

    def _named(self, found: Retrieved) -> int | None:
        page = found.metadata.get("page")
        return page if isinstance(page, int) and 0 <= page < self.memory.pages else None

    async def _located(self, found: list[Retrieved]) -> list[int | None]:
        """The page on which each text begins."""
        text = await self.store.text(self.document)
        starts = [page.start for page in await self.store.pages(self.memory.id, range(self.memory.pages))]
        spans = [find_quote(one.page_content.strip(), text, 0, len(text)) for one in found]
        return [bisect_right(starts, span[0]) - 1 if span else None for span in spans]

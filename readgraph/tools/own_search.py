"""Any LangChain retriever in the place of a method's search, such as one for a corpus that is too large."""

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from langchain_core.documents import Document as Retrieved
from langchain_core.retrievers import BaseRetriever

from readgraph.nodes.answering.quotes import find_quote
from readgraph.nodes.search_tools import standing_in
from readgraph.state.errors import BadInput
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document, Memory
from readgraph.state.search.fusing import by_place


@contextmanager
def searched_by(*, keyword: BaseRetriever | None = None, vector: BaseRetriever | None = None) -> Iterator[None]:
    """In this block the methods search pages with these retrievers: `keyword` for words, `vector` for embeddings.

    A retrieved text belongs to the page that its metadata names, {"page": 3}, else to the page on which it begins; a
    text that is on no page is skipped. No embedding model need be named for `vector`. Raises `BadInput` for what is no
    retriever.
    """
    given = {"keyword": keyword, "vector": vector}
    for name, retriever in given.items():
        if not isinstance(retriever, BaseRetriever | None):
            raise BadInput(f"The retriever for '{name}' is none: {type(retriever).__name__}.")
    with standing_in({name: partial(RetrieverTool, retriever) for name, retriever in given.items() if retriever}):
        yield


@dataclass
class RetrieverTool:
    """A retriever over the pages of one memory."""

    retriever: BaseRetriever
    store: PageStore
    document: Document
    memory: Memory

    async def find(self, query: str, most: int) -> list[tuple[int, float]]:
        """The pages of what the retriever finds, in its order: of its scores, if it has any, nothing is known."""
        found = await self.retriever.ainvoke(query)
        pages = [self._named(one) for one in found]
        if None in pages:
            located = await self._located(found)
            pages = [named if named is not None else at for named, at in zip(pages, located, strict=True)]
        return by_place(list(dict.fromkeys(page for page in pages if page is not None))[:most])

    def _named(self, found: Retrieved) -> int | None:
        page = found.metadata.get("page")
        return page if isinstance(page, int) and 0 <= page < self.memory.pages else None

    async def _located(self, found: list[Retrieved]) -> list[int | None]:
        """The page on which each text begins."""
        text = await self.store.text(self.document)
        starts = [page.start for page in await self.store.pages(self.memory.id, range(self.memory.pages))]
        spans = [find_quote(one.page_content.strip(), text, 0, len(text)) for one in found]
        return [bisect_right(starts, span[0]) - 1 if span else None for span in spans]

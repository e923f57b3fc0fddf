"""Any retriever of LangChain as the search of a method."""

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from langchain_core.retrievers import BaseRetriever

from readgraph.library.page_store import PageStore
from readgraph.library.search.hits import score_by_place
from readgraph.nodes.answering.citations import find_quote
from readgraph.nodes.search import use_stand_ins
from readgraph.state.errors import BadInput
from readgraph.state.records import Document, Memory


@contextmanager
def searched_by(*, keyword: BaseRetriever | None = None, vector: BaseRetriever | None = None) -> Iterator[None]:
    """In this block the methods search pages with these retrievers: `keyword` for words, `vector` for embeddings.

    A retrieved text belongs to the page that its metadata names, {"page": 3}, else to the page on which it begins; a
    text that is on no page is skipped.

    Args:
        keyword: Searches by words.
        vector: Searches by meaning; no embedding model need be named for it.

    Raises:
        BadInput: For what is no retriever.
    """
    given = {"keyword": keyword, "vector": vector}
    for name, retriever in given.items():
        if not isinstance(retriever, BaseRetriever | None):
            raise BadInput(f"The retriever for '{name}' is none: {type(retriever).__name__}.")
    with use_stand_ins({name: partial(RetrieverTool, retriever) for name, retriever in given.items() if retriever}):
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
        documents = await self.retriever.ainvoke(query)
        pages = [one.metadata.get("page") for one in documents]
        pages = [page if isinstance(page, int) and 0 <= page < self.memory.pages else None for page in pages]
        if None in pages:  # the page on which a text begins
            text = await self.store.text(self.document)
            starts = [page.start for page in await self.store.pages(self.memory.id, range(self.memory.pages))]
            for place, one in enumerate(documents):
                span = find_quote(one.page_content.strip(), text, 0, len(text)) if pages[place] is None else None
                pages[place] = bisect_right(starts, span[0]) - 1 if span else pages[place]
        return score_by_place(list(dict.fromkeys(page for page in pages if page is not None))[:most])

"""A library as a LangChain retriever, of passages or of the pages that a method reads."""

from collections.abc import Sequence
from typing import Annotated, Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document as Retrieved
from langchain_core.retrievers import BaseRetriever
from langgraph.store.base import BaseStore
from pydantic import ConfigDict, Field, SkipValidation, field_validator

from readgraph.api.documents import find_named
from readgraph.api.finding import check_search, passages
from readgraph.api.functions import ask, pages_of
from readgraph.api.results import Answer
from readgraph.doors.langchain.searching import searched_by
from readgraph.graphs.methods import method_named
from readgraph.library.library import Library
from readgraph.library.page_store import PageStore
from readgraph.library.search.passages import PassageHit
from readgraph.state.context import ReaderContext
from readgraph.state.loops import in_background
from readgraph.state.records import Document


class LibraryRetriever(BaseRetriever):
    """Retrieves from the documents of a library: at most `k` documents, the best first.

    Without a method they are the passages that share most words with the query, of all documents or of those named;
    nothing need have been read. With a method they are the pages that it reads for the question, those that its answer
    quotes first: it reads the document where it has not been read, and may find fewer than `k`. Each has as metadata:
    the document's id and title, page, place in the source, character span `[start, end)`, and `score` or method, note
    and `quoted`. `keyword` and `vector` are retrievers that a method searches with (see `searched_by`).
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    library: Annotated[Library | BaseStore, SkipValidation]
    method: str | None = None
    documents: Annotated[tuple[str | Document, ...], SkipValidation] = ()
    collection: str | None = None
    context: Annotated[ReaderContext | None, SkipValidation] = None
    keyword: BaseRetriever | None = None
    vector: BaseRetriever | None = None
    k: int = Field(default=5, ge=1)

    @field_validator("method")
    @classmethod
    def _check_method(cls, method: str | None) -> str | None:
        return method if method is None else method_named(method).name

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Retrieved]:
        return in_background(self._retrieve_documents, query, k or self.k)

    async def _aget_relevant_documents(self, query: str, *, run_manager: Any, k: int | None = None) -> list[Retrieved]:
        return await self._retrieve_documents(query, k or self.k)

    async def _retrieve_documents(self, query: str, most: int) -> list[Retrieved]:
        pages = pages_of(self.library, self.context)
        if self.method is None:
            check_search(query, self.documents, self.collection)
            named = await find_named(pages, self.documents)
            return [await _passage(pages, one) for one in await passages(pages, query, named, self.collection, most)]
        with searched_by(keyword=self.keyword, vector=self.vector):
            answer = await ask(
                self.library,
                query,
                documents=self.documents,
                collection=self.collection,
                method=self.method,
                context=self.context,
            )
        return await _pages_read(pages, answer, most)


def as_retriever(
    library: Library | BaseStore,
    method: str | None = None,
    *,
    documents: Sequence[str | Document] = (),
    collection: str | None = None,
    context: ReaderContext | None = None,
    keyword: BaseRetriever | None = None,
    vector: BaseRetriever | None = None,
    k: int = 5,
) -> LibraryRetriever:
    """A retriever over a library (see `LibraryRetriever`); raises `BadInput` for an unknown method.

    Args:
        library: The library, or a plain LangGraph store.
        method: The method's name; by default passages are found by their words.
        documents: Ids, titles or files; by default all.
        collection: Only this collection.
        context: The settings of the run; by default those of `ReaderContext()`, without a model.
        keyword: Searches by words in the place of the method's own search (see `searched_by`).
        vector: The same for the search by embeddings.
        k: Most documents that are returned.
    """
    return LibraryRetriever(
        library=library,
        method=method,
        documents=(documents,) if isinstance(documents, str | Document) else tuple(documents),
        collection=collection,
        context=context,
        keyword=keyword,
        vector=vector,
        k=k,
    )


async def _passage(pages: PageStore, passage: PassageHit) -> Retrieved:
    document, span = passage.document, (passage.start, passage.end)
    (text,) = await pages.spans(document, [span])
    (place,) = await pages.place_names(document, [passage.start])
    about = {"document": document.id, "title": document.title, "place": place, "source": document.source}
    where = {"start": passage.start, "end": passage.end, "score": passage.score}
    return Retrieved(id=f"{document.id}-{passage.start}", page_content=text, metadata={**about, **where})


async def _pages_read(pages: PageStore, answer: Answer, most: int) -> list[Retrieved]:
    quoted = [cited.page for cited in answer.citations]
    numbers = list(dict.fromkeys([*quoted, *answer.pages_read]))[:most]
    document = await pages.document(answer.document)
    read = await pages.pages(answer.memory, numbers)
    texts = await pages.spans(document, [(page.start, page.end) for page in read])
    places = await pages.place_names(document, [page.start for page in read])
    notes = {note.page: note.text for note in await pages.notes(answer.memory, numbers)}
    about = {"document": document.id, "title": document.title, "source": document.source, "method": answer.method}
    return [
        Retrieved(
            id=f"{answer.memory}-{page.number}",
            page_content=text,
            metadata={
                **about,
                "page": page.number,
                "place": place,
                "start": page.start,
                "end": page.end,
                "note": notes.get(page.number),
                "quoted": page.number in quoted,
            },
        )
        for page, text, place in zip(read, texts, places, strict=True)
    ]

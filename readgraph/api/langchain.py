"""A library for LangChain: tools, retrievers and documents, and any retriever as a method's search."""

import re
from bisect import bisect_right
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from typing import Annotated, Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document as Given
from langchain_core.documents import Document as Retrieved
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import StructuredTool, ToolException
from langgraph.store.base import BaseStore
from pydantic import BaseModel, ConfigDict, Field, SkipValidation, field_validator

from readgraph.api.answer_text import NEAREST, quote_in_words, stands_for_answer
from readgraph.api.documents import find_named
from readgraph.api.finding import check_search, passages
from readgraph.api.functions import ask, pages_of, research
from readgraph.api.results import Answer
from readgraph.graphs.methods import method_named
from readgraph.library.library import Library
from readgraph.library.page_store import PageStore
from readgraph.library.search.hits import score_by_place
from readgraph.library.search.passages import PassageHit
from readgraph.nodes.answering.citations import find_quote
from readgraph.nodes.search import use_stand_ins
from readgraph.sources.places import Place as SourcePlace
from readgraph.sources.places import SourcePage, order_places
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.loops import in_background
from readgraph.state.loops import until_left as until_left
from readgraph.state.records import Document, Memory, digest

LONGEST_PART = 30  # characters of a part of a tool's name, of which providers take 64


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
        found = await self.retriever.ainvoke(query)
        pages = [one.metadata.get("page") for one in found]
        pages = [page if isinstance(page, int) and 0 <= page < self.memory.pages else None for page in pages]
        if None in pages:  # the page on which a text begins
            text = await self.store.text(self.document)
            starts = [page.start for page in await self.store.pages(self.memory.id, range(self.memory.pages))]
            for place, one in enumerate(found):
                span = find_quote(one.page_content.strip(), text, 0, len(text)) if pages[place] is None else None
                pages[place] = bisect_right(starts, span[0]) - 1 if span else pages[place]
        return score_by_place(list(dict.fromkeys(page for page in pages if page is not None))[:most])


ASKS = (
    "Answers a question about documents that are too long to read here. Give one question in full words, with full "
    "names. The answer comes back with quotes from the documents, and where they stand."
)

LOOKS_UP = (
    "Looks up what is remembered. Give one question in full words, with full names; what is found on it comes back, "
    "with the numbers of the pages that it stands on."
)

NOT_THERE = "The documents don't hold the answer."


class QuestionArguments(BaseModel):
    """The tool's argument."""

    question: str = Field(description="What you want to know, to be understood alone.")


def as_tool(
    library: Library | BaseStore,
    method: str | None = None,
    *,
    documents: Sequence[str | Document] = (),
    collection: str | None = None,
    context: ReaderContext | None = None,
    keyword: BaseRetriever | None = None,
    vector: BaseRetriever | None = None,
    name: str | None = None,
    description: str = ASKS,
) -> StructuredTool:
    """A LangChain tool that answers a question by a reading method, as `ask` does.

    The agent gets the answer and its quotes as text; the `Answer` as plain JSON is the tool message's `artifact`. A
    document is read at its first question. Questions that can't be answered, such as one that shares no word with
    any document, are told to the agent in words; other errors are raised.

    Args:
        library: The library, or a plain LangGraph store.
        method: The method's name, as for `ask`.
        documents: Ids, titles or files; by default each question picks its own.
        collection: Without documents: they are picked from this collection.
        context: The settings of the run; by default those of `ReaderContext()`, without a model.
        keyword: Searches by words in the place of the method's own search (see `searched_by`).
        vector: The same for the search by embeddings.
        name: The tool's name. By default it says what is asked, and how: `ask_documents`, `ask_the_book_by_gam`.
        description: What the agent is told of the tool.

    Raises:
        BadInput: For an unknown method.
    """
    if method is not None:
        method_named(method)

    async def answer(question: str) -> tuple[str, dict[str, Any]]:
        with searched_by(keyword=keyword, vector=vector):
            found = await ask(
                library, question, documents=documents, collection=collection, method=method, context=context
            )
        dumped = found.model_dump()
        lines = [NEAREST if stands_for_answer(dumped) else found.answer or NOT_THERE]
        places = [cited.place or f"page {cited.page}" for cited in found.citations]
        quotes = map(quote_in_words, dumped["citations"])
        lines += [f"- {quote} ({place})" for quote, place in zip(quotes, places, strict=True)]
        lines += found.notices
        return "\n".join(lines), dumped

    named = [documents] if isinstance(documents, str | Document) else documents
    said = [each.title if isinstance(each, Document) else each for each in named] or [*filter(None, [collection])]
    asks = "_by_".join([_name_part(said) if said else "documents", *([_name_part([method])] if method else [])])
    return _tool(answer, name or f"ask_{asks}", description, response_format="content_and_artifact")


def research_tool(
    library: Library | BaseStore,
    document: str,
    context: ReaderContext | None = None,
    *,
    name: str | None = None,
    description: str = LOOKS_UP,
) -> StructuredTool:
    """A LangChain tool that researches the GAM memory of a document or history (section 2.2.2), and answers nothing.

    It returns {"context", "sources", "status"}: the text of the context, in the form set by `context.evidence`; the
    numbers of the pages that support it; and `researched`, `no_answer` if nothing was found, or `budget`. The memory
    may grow between calls; where there is none, the agent is told so. Where sessions were appended since, it also has
    "not_memorised": how many, and how many words.

    Args:
        library: The library, or a plain LangGraph store.
        document: Its id, title or file, or the name of a history.
        context: The settings of the run; by default those of `ReaderContext()`, without a model.
        name: The tool's name; by default `search_memory_of_` and the document's.
        description: What the agent is told of the tool.
    """

    async def look_up(question: str) -> dict[str, Any]:
        found = await research(library, question, document=document, context=context)
        missing = {"not_memorised"} if found.not_memorised["words"] else set[str]()
        return found.model_dump(include={"context", "sources", "status", *missing})

    return _tool(look_up, name or f"search_memory_of_{_name_part([document])}", description)


def _name_part(said: Sequence[str]) -> str:
    """What a tool's name says of these, in the letters that all providers take; a digest tells apart what it lacks."""
    plain = " ".join(" ".join(said).casefold().split())
    part = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:LONGEST_PART].strip("_")
    return part if part.replace("_", " ") == plain.replace("-", " ") else f"{part}_{digest(plain)[:4]}".strip("_")


def _tool(
    work: Callable[[str], Awaitable[Any]], name: str, description: str, response_format: Any = "content"
) -> StructuredTool:
    """A tool of a coroutine; what is wrong with the question is told to the agent."""

    async def call_tool(question: str) -> Any:
        try:
            return await work(question)
        except BadInput as problem:
            raise ToolException(str(problem)) from problem

    def call_and_wait(question: str) -> Any:
        return in_background(call_tool, question)

    return StructuredTool.from_function(
        call_and_wait,
        call_tool,
        name=name,
        description=description,
        args_schema=QuestionArguments,
        response_format=response_format,
        handle_tool_error=True,
    )


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


BETWEEN = "\n\n"


async def add_documents(library: Library | BaseStore, documents: Iterable[Given], *, title: str = "") -> list[Document]:
    """Store LangChain documents; those of one `source` in their metadata are one text, in the given order.

    A document without a source is a text by itself. Places come from the metadata `page` (from 0, as loaders count)
    and `page_label`. Where a splitter left `start_index`, what a chunk repeats of the one before it is left out.

    Args:
        library: The library, or a plain LangGraph store.
        documents: LangChain's documents.
        title: The title; by default that of the metadata, or the file's name.

    Returns:
        The stored documents, one for each source.

    Raises:
        BadInput: Where there is no text.
    """
    pages, stored = pages_of(library), list[Document]()
    by_source: dict[object, list[Given]] = {}
    for number, document in enumerate(documents):
        if not isinstance(document, Given):
            raise BadInput(f"A {type(document).__name__} is no LangChain document: give those of a loader or splitter.")
        if document.page_content.strip():
            by_source.setdefault(document.metadata.get("source") or number, []).append(document)
    if not by_source:
        raise BadInput("There is nothing to add: the documents have no text.")
    for named_source, of_source in by_source.items():
        source = named_source if isinstance(named_source, str) else ""
        text, places = _join_source(of_source)
        named = title or str(of_source[0].metadata.get("title") or PurePath(source).name)
        labels = [(place.start, place.label) for place in places]
        stored.append(await pages.add_document(text, title=named, source=source, places=labels))
    return stored


def _join_source(documents: Sequence[Given]) -> tuple[str, Sequence[SourcePlace]]:
    """The text of one source, and its pages as places."""
    text, places, end = "", list[SourcePlace](), 0
    page: object = None
    for document in documents:
        start, at = document.metadata.get("start_index"), document.metadata.get("page")
        new = document.page_content
        if isinstance(start, int) and at == page and start < end and text.endswith(new[: end - start]):
            new = new[end - start :]
        elif text:
            text += BETWEEN
        if isinstance(at, int) and at != page:
            printed = document.metadata.get("page_label")
            label = "" if printed in (None, "", str(at + 1)) else str(printed)
            places.append(SourcePlace(len(text), SourcePage(at + 1, label).label))
        text, page = text + new, at
        end = start + len(document.page_content) if isinstance(start, int) else 0
    return text, order_places(places)

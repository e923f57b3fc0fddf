"""Several documents asked as one."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.store.memory import InMemoryStore

from readgraph.graphs.read_agent import build
from readgraph.library.collections import add_collection
from readgraph.library.opening import Library
from readgraph.library.page_store import PageStore
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import Document
from tests.doubles.model_server import ModelServer

ON_SERVER_TOO = True
CONTEXT = ReaderContext(model="openai:double")


@pytest.fixture
async def halves(library: Library, story: str) -> list[Document]:
    return await halves_of(story, library)


async def halves_of(story: str, library: Library) -> list[Document]:
    middle = story.index("\n\n", len(story) // 2) + 2
    texts = {"first": story[:middle], "second": story[middle:]}
    return [
        await library.pages.add_document(text, title=title, places=[(0, "line 1")]) for title, text in texts.items()
    ]


async def ask(library: Library, document: str, context: ReaderContext = CONTEXT) -> dict[str, Any]:
    compiled = build().compile(store=library.store)
    return dict(await compiled.ainvoke({"document": document, "question": "Who?"}, context=context))


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=2, max_size=5, unique=True), st.data())
async def test_spans_of_a_collection_are_those_of_its_texts(texts: list[str], data: st.DataObject) -> None:
    pages = PageStore(InMemoryStore())
    documents = [await pages.add_document(text) for text in texts]
    collection = await add_collection(pages, documents)
    whole = "".join([await pages.text(document) for document in documents])
    assert await pages.text(collection) == whole
    assert collection.characters == len(whole)
    assert [collection.part_at(part.start) for part in collection.parts] == [*collection.parts]
    offsets = st.integers(0, len(whole))
    spans = [(min(pair), max(pair)) for pair in data.draw(st.lists(st.tuples(offsets, offsets)))]
    assert await pages.spans(collection, spans) == [whole[start:end] for start, end in spans]


async def test_no_page_crosses_from_one_document_into_the_next(
    server: ModelServer, library: Library, halves: list[Document], story: str
) -> None:
    collection = await add_collection(library.pages, halves)
    found = await ask(library, collection.id)
    memory = await library.pages.memory(collection.id, found["memory"])
    pages = await library.pages.pages(memory.id, range(memory.pages))
    assert memory.complete
    assert all(one.end == other.start for one, other in pairwise(pages))
    assert halves[0].characters in {page.start for page in pages}
    assert await library.pages.text(collection) == story


async def test_what_was_read_alone_is_not_paid_again(
    server: ModelServer, library: Library, halves: list[Document]
) -> None:
    for document in halves:
        await ask(library, document.id)
    before = server.calls
    found = await ask(library, (await add_collection(library.pages, halves)).id)
    assert server.calls - before == found["usage"]["calls"] == 2, "only the look-up and the answer"


async def test_a_reading_stopped_by_its_budget_goes_on_in_the_right_document(
    server: ModelServer, library: Library, halves: list[Document]
) -> None:
    collection = await add_collection(library.pages, halves)
    for most in (8, 16, None):
        found = await ask(library, collection.id, replace(CONTEXT, max_calls=most, concurrency=2))
    whole = await library.pages.memory(collection.id, found["memory"])
    pages = await library.pages.pages(whole.id, range(whole.pages))
    assert whole.complete
    assert [page.number for page in pages] == [*range(whole.pages)]
    assert len(server.requests) == len({request.key for request in server.requests}), "nothing was asked twice"


@pytest.mark.slow
async def test_merging_keeps_documents_apart(server: ModelServer, library: Library, whole_story: str) -> None:
    halves = await halves_of(whole_story, library)
    collection = await add_collection(library.pages, halves)
    short_pages = replace(CONTEXT, min_page_words=100, max_page_words=200, window_words=3000)
    found = await ask(library, collection.id, short_pages)
    memory = await library.pages.memory(collection.id, found["memory"])
    pages = await library.pages.pages(memory.id, range(memory.pages))
    assert "merged" in memory.recipe.parameters
    assert halves[0].characters in {page.start for page in pages}


async def test_citations_name_the_document(server: ModelServer, library: Library, halves: list[Document]) -> None:
    collection = await add_collection(library.pages, halves)
    found = await ask(library, collection.id)
    text = await library.pages.text(collection)
    for citation in found["citations"]:
        part = collection.part_at(citation["start"])
        title = (await library.pages.document(part.document)).title
        assert citation["place"] == f"{title}, line 1"
        assert text[citation["start"] : citation["end"]] == citation["quote"]
    assert found["citations"]


async def test_one_document_is_itself_and_a_collection_holds_no_other(library: Library, halves: list[Document]) -> None:
    assert await add_collection(library.pages, [halves[0], halves[0]]) == halves[0]
    collection = await add_collection(library.pages, halves)
    assert await add_collection(library.pages, halves) == collection
    with pytest.raises(BadInput, match="another collection or a history"):
        await add_collection(library.pages, [collection, halves[0]])


async def test_forgetting_a_document_forgets_its_collections(
    server: ModelServer, library: Library, halves: list[Document]
) -> None:
    collection = await add_collection(library.pages, halves)
    await ask(library, collection.id)
    await forget_document(library, halves[0])
    assert await library.pages.documents() == [halves[1]]
    assert [key async for key, _ in library.pages.replies(collection.id)] == []

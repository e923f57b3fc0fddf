"""The tools that search a memory: what they find, how their indexes follow the page store, what stands in for them."""

import asyncio
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from readgraph.api import searched_by
from readgraph.graphs.gam import build_research, recipe
from readgraph.library.collections import add_collection
from readgraph.library.document_languages import document_languages
from readgraph.library.histories import SessionText, append_sessions
from readgraph.library.opening import Library, open_library
from readgraph.library.page_store import PageStore
from readgraph.library.search.hits import Extent, IndexEntry, pages_of
from readgraph.library.search.indexes import index_key, indexes_of
from readgraph.library.search.passages import search_documents
from readgraph.library.search.postings import SHORT
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.nodes.search import Tools, bring_up_to_date, memory_tools
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import Memory, Note, Page
from tests.doubles.model_faults import vector
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import asked_for
from tests.doubles.researcher import QUESTION, remembered_pages, researcher, trail_pages
from tests.library.test_forgetting import rows_with

CONTEXT = ReaderContext(model="openai:double", rounds=1, pages_per_tool=3)
EMBEDDING = replace(CONTEXT, embeddings="openai:double-embeddings")


async def tools_of(store: BaseStore, memory: Memory, context: ReaderContext = CONTEXT) -> Tools:
    document = await PageStore(store).document(memory.document)
    return await memory_tools(Runtime(context=context, store=store), document, memory)


@pytest.mark.parametrize("tool", ["keyword", "vector"])
@pytest.mark.parametrize("kept_in", ["library", "memory"])
async def test_pages_headers_and_memos_are_searched(
    server: ModelServer, library: Library, tool: str, kept_in: str
) -> None:
    store: BaseStore = library.store if kept_in == "library" else InMemoryStore()
    memory = await remembered_pages(store, trail_pages(), CONTEXT, memo="memoword{} stood", header="headerword{} was")
    searched = (await tools_of(store, memory, EMBEDDING))[tool]
    for query in (trail_pages()[7], "memoword7 stood", "headerword7 was"):
        assert pages_of(await searched.find(query, 3))[0] == 7, query


async def test_each_part_of_a_collection_has_its_language(library: Library) -> None:
    german = "Die Orgel schwieg zu Ostern, weil die Mäuse die Bälge gefressen hatten. "
    texts = [german, "Пожарный тушил мельницу всю ночь. ", "The goat stood on the gallery of the tower. "]
    documents = [await library.pages.add_document(text * 30) for text in texts]
    collection = await add_collection(library.pages, documents)
    languages = await document_languages(library.pages, collection)
    assert [languages.at(at) for part in collection.parts for at in (part.start, part.end - 1)] == [
        "de", "de", "ru", "ru", "en", "en",
    ]  # fmt: skip
    assert (await document_languages(library.pages, documents[1])).at(500) == "ru"


@dataclass
class Kept:
    """An index that keeps the entries it is given."""

    entries: list[IndexEntry] = field(default_factory=list)

    async def find(self, query: str, most: int) -> list[tuple[int, float]]:
        return []

    async def extent(self) -> Extent:
        return Extent(0, -1)

    async def find_missing(self, pages: int) -> list[int]:
        return [*range(pages)]

    async def add(self, entries: list[IndexEntry]) -> None:
        self.entries += entries

    async def clear(self) -> None:
        self.entries.clear()


async def test_a_short_page_follows_the_one_before_within_a_document(library: Library) -> None:
    texts = ["One goat. Two goats.", "Three. Four."]
    collection = await add_collection(library.pages, [await library.pages.add_document(text) for text in texts])
    memory = await library.pages.open_memory(collection.id, recipe(CONTEXT))
    first, second = collection.parts
    ends = [9, first.end, second.start + 6, second.end]
    for number, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        words = SHORT + 1 if number == 3 else SHORT
        memory = await library.pages.add_page(memory, Page(number, start, end, words, "rule"))
        await library.pages.put_note(memory.id, Note(number, "a note", 2))
    index: Any = Kept()
    await bring_up_to_date(library.pages, collection, memory, index)
    assert [entry.follows for entry in index.entries] == [False, True, False, False]


async def test_pages_and_passages_of_a_history_are_found_by_their_session_s_name(library: Library) -> None:
    days = "11 February 2024", "22 March 2024"
    grown = await append_sessions(
        library.pages, "chat", [SessionText("Ann: It rained. " * 40, time=day) for day in days]
    )
    memory = await library.pages.open_memory(grown.document.id, recipe(CONTEXT))
    length = grown.document.characters
    for number, (start, end) in enumerate([(0, length // 2), (length // 2, length)]):
        memory = await library.pages.add_page(memory, Page(number, start, end, 120, "rule"))
        await library.pages.put_note(memory.id, Note(number, "a note", 2))
    index: Any = Kept()
    await bring_up_to_date(library.pages, grown.document, memory, index)
    assert all(day in entry.header for day, entry in zip(days, index.entries, strict=True))
    best = (await search_documents(library.pages, [grown.document], "What was in March?"))[0]
    assert best.start >= length // 2


async def test_pages_that_come_later_are_found(server: ModelServer, library: Library) -> None:
    texts = trail_pages()
    memory = await remembered_pages(library.store, texts, CONTEXT)
    early = replace(memory, pages=10)
    assert pages_of(await (await tools_of(library.store, early))["keyword"].find("cedar dogwood", 9)) == []
    assert pages_of(await (await tools_of(library.store, memory))["keyword"].find("dogwood", 9)) == [17, 26]


async def test_a_page_is_found_as_soon_as_it_has_its_memo(library: Library) -> None:
    memory = await remembered_pages(library.store, trail_pages(4), CONTEXT)
    page = Page(4, memory.read_to, memory.read_to + 5, 1, "rule")
    grown = await library.pages.add_page(memory, page)
    assert pages_of(await (await tools_of(library.store, grown))["keyword"].find("zeppelin", 9)) == []
    await library.pages.put_note(memory.id, Note(4, "a zeppelin", 2))
    assert pages_of(await (await tools_of(library.store, grown))["keyword"].find("zeppelin", 9)) == [4]


async def test_an_index_is_derived_and_never_trusted_over_the_store(library: Library, tmp_path: Path) -> None:
    memory = await remembered_pages(library.store, trail_pages(), CONTEXT)
    index = (await indexes_of(library.store)).keyword
    await index.add(index_key(memory), [IndexEntry(40, "a dogwood that is not there")])
    assert pages_of(await (await tools_of(library.store, memory))["keyword"].find("dogwood", 9)) == [17, 26]


async def test_a_deleted_index_is_filled_again(server: ModelServer, tmp_path: Path) -> None:
    found: list[Any] = []
    async with open_library(tmp_path / "library") as library:
        memory = await remembered_pages(library.store, trail_pages(), CONTEXT)
    for _ in range(2):
        async with open_library(tmp_path / "library") as library:
            tools = await tools_of(library.store, memory, EMBEDDING)
            found.append([await tools[name].find("note at dogwood", 2) for name in ("keyword", "vector")])
        shutil.rmtree(tmp_path / "library" / "search")
        found.append(server.embedding_calls)
    assert found[:2] == found[2:], "and embeddings that were paid for are kept in the store"


async def test_two_that_research_at_once_share_the_index(tmp_path: Path) -> None:
    async with open_library(tmp_path / "l") as one, open_library(tmp_path / "l") as other:
        memory = await remembered_pages(one.store, trail_pages(200), CONTEXT)
        both = await asyncio.gather(*(tools_of(library.store, memory) for library in (one, other, one, other)))
        assert [pages_of(await tools["keyword"].find("dogwood", 9)) for tools in both] == [[17, 26]] * 4


async def test_forgetting_deletes_the_indexes(server: ModelServer, library: Library) -> None:
    kept = await remembered_pages(library.store, trail_pages(29), CONTEXT)
    gone = await remembered_pages(library.store, [text.replace("elm", "mariposa") for text in trail_pages()], CONTEXT)
    for memory in (kept, gone):
        await tools_of(library.store, memory, EMBEDDING)
    folder = library.folder / "search"
    assert len([*folder.glob("vectors/*.vectors")]) == 2
    await forget_document(library, await library.pages.document(gone.document))
    assert rows_with(folder / "keywords.sqlite", ["mariposa", gone.id]) == 0
    assert rows_with(library.folder / "library.sqlite", ["mariposa", gone.document]) == 0
    assert len([*folder.glob("vectors/*.vectors")]) == 1
    assert pages_of(await (await tools_of(library.store, kept))["keyword"].find("elm", 9)) == [26]


async def run(store: BaseStore, memory: Memory, context: ReaderContext, **nodes: Any) -> dict[str, Any]:
    compiled = build_research(**nodes).compile(store=store)
    return dict(await compiled.ainvoke({"document": memory.document, "question": QUESTION}, context=context))


@pytest.mark.parametrize(("context", "offered"), [(CONTEXT, False), (EMBEDDING, True)])
async def test_vector_search_is_offered_where_there_is_an_embedding_model(
    server: ModelServer, library: Library, context: ReaderContext, offered: bool
) -> None:
    server.respond = researcher
    found = await run(library.store, await remembered_pages(library.store, trail_pages(), CONTEXT), context)
    asked = next(request for request in server.requests if asked_for(request) == "SearchPlan")
    assert ("- vector:" in asked.last) == ("vector" in (asked.schema or {})["properties"]) == offered
    assert any("no embedding model" in step["summary"] for step in found["steps"]) == (not offered)
    used = {tool for hit in found["rounds"][0]["hits"] for tool in hit["tools"]}
    assert used == ({"keyword", "vector"} if offered else {"keyword"})


@pytest.mark.parametrize(
    "tools", [("keyword",), ("vector",), ("page",), ("keyword", "page"), ("vector", "page"), ("keyword", "vector")]
)
@pytest.mark.parametrize("model", ["openai:double", ""])
@pytest.mark.slow
async def test_any_subset_of_tools(server: ModelServer, library: Library, tools: Any, model: str) -> None:
    plan = {"keyword": ["alder"], "vector": ["note at alder"], "page": [3]}
    server.respond = lambda request: plan if asked_for(request) == "SearchPlan" else researcher(request)
    context = replace(EMBEDDING, model=model, tools=tools)
    memory = await remembered_pages(library.store, trail_pages(), context, memo="Where the trail of day {} leads.")
    found = await run(library.store, memory, context)
    used = {tool for hit in found["rounds"][0]["hits"] for tool in hit["tools"]}
    assert used == {*tools} - ({"page"} if not model and len(tools) > 1 else set())


async def test_vector_search_alone_needs_an_embedding_model(library: Library) -> None:
    memory = await remembered_pages(library.store, trail_pages(4), CONTEXT)
    with pytest.raises(BadInput, match="needs an embedding model"):
        await run(library.store, memory, replace(CONTEXT, tools=("vector",)))


class CountedWords(Embeddings):
    """Texts by the checksums of their words: deterministic, and no model."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return vector(text, 512)


@pytest.mark.parametrize("named", [True, False])
async def test_a_langchain_retriever_stands_in_for_a_tool(server: ModelServer, library: Library, named: bool) -> None:
    texts = trail_pages()
    plan = {"vector": [texts[3]]}
    server.respond = lambda request: plan if asked_for(request) == "SearchPlan" else researcher(request)
    memory = await remembered_pages(library.store, texts, CONTEXT)
    kept = InMemoryVectorStore(CountedWords())
    documents = [
        Document(text.strip(), metadata={"page": number} if named else {}) for number, text in enumerate(texts)
    ]
    await kept.aadd_documents([*documents, Document(f"{texts[3]} stands nowhere", metadata={"page": 999})])
    with searched_by(vector=kept.as_retriever(search_kwargs={"k": 4})):
        found = await run(library.store, memory, replace(CONTEXT, tools=("vector",)))
    (done,) = found["rounds"]
    assert 3 in done["pages_shown"] and 0 < len(done["pages_shown"]) <= 3
    assert {tool for hit in done["hits"] for tool in hit["tools"]} == {"vector"}
    assert not any("no embedding model" in step["summary"] for step in found["steps"])

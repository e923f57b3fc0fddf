"""Tenants in one store: nothing of one is seen by another, unless that is asked for."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore

from readgraph.api import as_retriever, ask, compress, list_documents, remember
from readgraph.features.agents import mem_gpt
from readgraph.graphs import gam, read_agent
from readgraph.library.histories import SessionText
from readgraph.library.opening import Library, open_library, open_library_in_background
from readgraph.library.page_store import PageStore
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from tests.doubles.model_server import ModelServer

ON_SERVER_TOO = True

pytestmark = pytest.mark.quick

TEXT = "Ida carried the log book down the stairs. The keeper slept.\n\nThe goat stood on the gallery of the lamp."
QUESTION = "Who carried the log book?"
NAMES = ("ada", "Ada", "a%", "a_a", "ada.readgraph", "", "a@b.org/ü")
"""Names of tenants that a store could take for each other, or for patterns."""


async def test_an_identical_upload_has_the_title_and_source_of_each_tenant(library: Library) -> None:
    for store in (library.store, InMemoryStore()):
        for name in NAMES:
            await PageStore(store, namespace=name).add_document(TEXT, title=f"of {name}", source=f"{name}.txt")
        for name in NAMES:
            (document,) = await PageStore(store, namespace=name).documents()
            assert (document.title, document.source) == (f"of {name}", f"{name}.txt")


async def test_a_graph_uses_the_namespace_of_its_context(library: Library, server: ModelServer) -> None:
    for store in (library.store, InMemoryStore()):
        graph: Any = gam.build().compile(store=store)
        document = await PageStore(store, namespace="ada").add_document(TEXT)
        given = {"document": document.id, "question": QUESTION}
        found = await graph.ainvoke(given, context={"namespace": "ada", "model": "openai:double"})
        assert found["status"] != "failed" and found["document"] == document.id
        for name in ("", "eve"):
            with pytest.raises(BadInput, match="holds no document"):
                await graph.ainvoke(given, context={"namespace": name})
            assert not await PageStore(store, namespace=name).all_memories()


@pytest.mark.parametrize("share", [False, True])
async def test_replies_are_paid_by_each_unless_shared(server: ModelServer, library: Library, share: bool) -> None:
    graph: Any = read_agent.build().compile(store=library.store)
    calls = []
    for name in ("ada", "eve"):
        context = ReaderContext(model="openai:double", namespace=name, share_replies=share)
        found = await graph.ainvoke({"text": TEXT, "question": QUESTION}, context=context)
        calls.append(found["usage"]["calls"])
    assert calls == ([3, 0] if share else [3, 3])


async def test_agents_of_one_name_have_memories_of_their_own(library: Library) -> None:
    graph: Any = mem_gpt.build().compile(store=library.store)
    for name in ("ada", "eve"):
        found = await graph.ainvoke({"text": f"{TEXT} {name}", "question": QUESTION}, context={"namespace": name})
        assert "Ida" in found["answer"]


def test_a_library_in_a_namespace_has_threads_of_its_own(tmp_path: Path) -> None:
    thread: Any = {"configurable": {"thread_id": "1"}}
    for name in ("ada", "eve"):
        with open_library_in_background(tmp_path / "library", namespace=name) as library:
            graph: Any = read_agent.build().compile(store=library.store, checkpointer=library.checkpointer)
            assert not graph.get_state(thread).values
            graph.invoke({"text": TEXT, "title": f"of {name}", "question": QUESTION}, thread)
    with open_library_in_background(tmp_path / "library", namespace="ada") as library:
        (document,) = asyncio.run(library.pages.documents())
        assert document.title == "of ada"
    with open_library_in_background(tmp_path / "library") as whole:
        assert not asyncio.run(whole.pages.documents())
        (document,) = asyncio.run(PageStore(whole.store, namespace="eve").documents())
        assert document.title == "of eve", "the same part, however it is opened"


async def test_forgetting_leaves_what_others_have(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    async with open_library(folder, namespace="ada") as ada, open_library(folder, namespace="eve") as eve:
        for library in (ada, eve):
            document = await library.pages.add_document(TEXT)
            await gam.build().compile(store=library.store).ainvoke({"document": document.id, "question": QUESTION})
        await forget_document(ada, document)
        assert not await ada.pages.documents()
        assert len(await eve.pages.documents()) == 1 and await eve.pages.text(document) == TEXT


async def test_functions_and_retrievers_use_the_namespace_of_their_context(
    library: Library, server: ModelServer
) -> None:
    ada = ReaderContext(model="openai:double", namespace="ada")
    await PageStore(library.store, namespace="ada").add_document(TEXT, title="book")
    for context in (ada, replace(ada, namespace="eve"), replace(ada, namespace="")):
        asked = ask(library, QUESTION, documents=["book"], context=context)
        if context is ada:
            assert (await asked).title == "book"
            assert await as_retriever(library, documents=["book"], context=ada).ainvoke("log book")
            assert await as_retriever(library, "bm25", documents=["book"], context=ada).ainvoke(QUESTION)
            assert (await compress(library, 60, documents=["book"], engine="extractive", context=ada)).text
        else:
            with pytest.raises(BadInput, match="holds no document"):
                await asked
    await remember(library, "Diary", [SessionText("The lamp was lit.")], context=ada)
    kept = await list_documents(PageStore(library.store, namespace="ada").store)
    assert [document.title for document in kept] == ["Diary", "book"]
    assert not await library.pages.documents()


def test_no_name_leads_out_of_a_namespace() -> None:
    inside = PageStore(InMemoryStore(), namespace="ada").store
    assert PageStore(inside).namespace == PageStore(inside, namespace="ada").namespace == "ada"
    with pytest.raises(BadInput, match="holds the namespace 'ada' alone"):
        PageStore(inside, namespace="eve")
    with pytest.raises(BadInput, match="A namespace is a string, not int"):
        PageStore(InMemoryStore(), namespace=3)  # type: ignore[arg-type]


def test_other_items_stay_in_it_too() -> None:
    with SqliteStore.from_conn_string(":memory:") as sqlite:
        sqlite.setup()
        bases: list[BaseStore] = [InMemoryStore(), sqlite]
        for base in bases:
            ada, eve = (PageStore(base, namespace=name).store for name in ("ada", "eve"))
            ada.put(("mine", "a"), "key", {"value": 1})
            (found,) = ada.search(("mine",))
            assert (found.namespace, found.key, found.value) == (("mine", "a"), "key", {"value": 1})
            assert ada.list_namespaces(prefix=("mine",)) == [("mine", "a")] == ada.list_namespaces()
            assert not eve.search(()) and not eve.list_namespaces()
            assert eve.get(("mine", "a"), "key") is None and base.get(("mine", "a"), "key") is None

"""The functions of a step share its page store, and see what others write meanwhile."""

from collections.abc import Iterable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore, Op, Result
from langgraph.store.memory import InMemoryStore

from readgraph import ReaderContext
from readgraph.graphs import read_agent
from readgraph.library.corrections import correct, restore
from readgraph.library.page_store import PageStore, page_store
from readgraph.library.stored_items import NamespacedStore
from readgraph.state.records import Memory, Note, Page, Recipe
from tests.doubles.model_server import ModelServer


def run_of(store: BaseStore, namespace: str = "", *, share_replies: bool = False, user: str = "") -> Runtime[Any]:
    context = ReaderContext(namespace=namespace, share_replies=share_replies)
    server = SimpleNamespace(user=SimpleNamespace(identity=user)) if user else None
    return Runtime(context=context, store=store, server_info=cast(Any, server))


def test_a_run_has_one_page_store_while_somebody_holds_it() -> None:
    store = InMemoryStore()
    held = page_store(run_of(store))
    assert page_store(run_of(store)) is held


def test_tenants_users_and_stores_have_their_own() -> None:
    store = InMemoryStore()
    runs = [
        run_of(store),
        run_of(store, "ada"),
        run_of(store, "bob"),
        run_of(store, "ada", user="bob"),
        run_of(store, share_replies=True),
        run_of(InMemoryStore()),
        run_of(NamespacedStore(store, "ada")),
    ]
    held = [page_store(run) for run in runs]
    assert [pages.namespace for pages in held] == ["", "ada", "bob", "bob", "", "", "ada"]
    assert held[3] is held[2], "who asks counts, and not what the context says"
    assert len({id(pages) for pages in held}) == 6


async def test_a_new_store_never_gets_that_of_one_that_is_gone() -> None:
    for number in range(50):
        pages = page_store(run_of(InMemoryStore()))
        assert await pages.documents() == []
        await pages.add_document(f"Lamp {number}.")
        del pages


class CountingStore(InMemoryStore):
    """Counts the batches that it runs."""

    batches = 0

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        self.batches += 1
        return await super().abatch(ops)


async def test_each_step_of_a_question_opens_its_store_once(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, opened = CountingStore(), list[str]()
    document = await PageStore(store).add_document("The keeper climbed to the lamp. The goat stood there.\n\n" * 200)
    graph, context = read_agent.build().compile(store=store), ReaderContext(model="openai:double")
    await graph.ainvoke({"document": document.id, "question": "Who climbed?"}, context=context)
    begin = PageStore.__init__

    def note(pages: PageStore, *given: Any, **named: Any) -> None:
        opened.append(type(pages).__name__)  # not the page store itself: who holds it shares it
        begin(pages, *given, **named)

    monkeypatch.setattr(PageStore, "__init__", note)
    store.batches = 0
    answered = await graph.ainvoke({"document": document.id, "question": "What stood there?"}, context=context)
    steps = [step["node"] for step in answered["steps"]]
    assert 0 < len(opened) <= len(steps), f"{len(opened)} page stores for the steps {steps}"
    assert store.batches <= 18


async def read_memory(pages: PageStore) -> Memory:
    document = await pages.add_document("The keeper lit the lamp. The goat stood on the gallery.")
    memory = await pages.open_memory(document.id, Recipe("read-agent", {}, "openai:double"))
    for number, (start, end) in enumerate([(0, 25), (25, document.characters)]):
        memory = await pages.add_page(memory, Page(number, start, end, 5, "rule"))
        await pages.put_note(memory.id, Note(number, f"Note {number}.", 2))
    memory = replace(memory, paged=True, complete=True, note_words=4)
    await pages.put_memory(memory)
    return memory


async def test_pages_and_notes_come_together_as_they_come_apart() -> None:
    pages = PageStore(InMemoryStore(), namespace="ada")
    memory = await read_memory(pages)
    wanted = [1, 7, 0]
    together = await pages.pages_and_notes(memory.id, wanted)
    assert together == (await pages.pages(memory.id, wanted), await pages.notes(memory.id, wanted))
    assert [note.page for note in together[1]] == [1, 0]
    assert await pages.pages_and_notes("a.b", wanted) == ([], [])


async def test_the_counted_words_of_notes_follow_their_corrections() -> None:
    pages = PageStore(InMemoryStore())
    memory = await read_memory(pages)
    for change in (correct(pages, memory, 1, "The goat stood outside."), restore(pages, memory, 1)):
        await change
        now = await pages.memory(memory.document, memory.id)
        notes = await pages.notes(memory.id, range(2))
        assert (await pages.note_sizes([now]))[memory.id] == (2, sum(note.words for note in notes))

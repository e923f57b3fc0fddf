"""The functions of a step share its page store, and see what others write meanwhile."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from readgraph import ReaderContext
from readgraph.library.corrections import correct, restore
from readgraph.library.page_store import PageStore, page_store
from readgraph.library.store import NamespacedStore
from readgraph.state.records import Memory, Note, Page, Recipe


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

"""The page store keeps what it is given, on every kind of store."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore

from readgraph.library.documents import PART
from readgraph.library.file_store import LibraryStore
from readgraph.library.opening import open_library_in_background
from readgraph.library.page_store import PageStore
from readgraph.state.errors import BadInput
from readgraph.state.records import Memory, Note, Page, Recipe, RecordedReply
from readgraph.state.words import count_words
from tests.support.postgres_server import ON_SERVER

pytestmark = pytest.mark.quick

RECIPE = Recipe("read_agent", {"max_page_words": 600}, "openai:small", {"gist": 1, "pause": 1})
LONG = "".join(f"{number} lamp 灯 😀\r\n" for number in range(6_000))
UNKNOWN = ["nothing", "", "a.b", "%", "*", "it's", "\0"]


SERVER = pytest.param("server", marks=ON_SERVER)


@pytest.fixture(params=["memory", "library", "sqlite", SERVER])
def pages(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PageStore]:
    with ExitStack() as closing:
        store: BaseStore = InMemoryStore()
        if request.param == "library":
            store = library_store = LibraryStore(tmp_path / "library.sqlite")
            closing.callback(library_store.close)
        if request.param == "sqlite":
            store = closing.enter_context(SqliteStore.from_conn_string(str(tmp_path / "store.sqlite")))
        if request.param == "server":
            address = request.getfixturevalue("database")
            store = closing.enter_context(open_library_in_background(address)).store
        yield PageStore(store)


SEARCHED = pytest.mark.parametrize("pages", ["memory", "library", "sqlite", SERVER], indirect=True)
ON_DISK = pytest.mark.parametrize("pages", ["library", "sqlite", SERVER], indirect=True)


def page(number: int, start: int, end: int) -> Page:
    return Page(number, start, end, 2, "model")


@SEARCHED
async def test_the_same_text_is_one_document(pages: PageStore) -> None:
    first = await pages.add_document("The lamp.\n", title="Lamp", source="/books/lamp.txt")
    again = await pages.add_document("The lamp.\n", title="Another title")
    other = await pages.add_document("The lamp.")
    assert again == first == await pages.document(first.id)
    assert (first.title, first.source, first.words, first.characters) == ("Lamp", "/books/lamp.txt", 2, 10)
    assert other.id != first.id
    assert {document.id for document in await pages.documents()} == {first.id, other.id}


@SEARCHED
@pytest.mark.parametrize("text", ["", " \r\n\t\f\u3000", "\n" * 40_000])
async def test_a_text_without_words_is_refused(pages: PageStore, text: str) -> None:
    with pytest.raises(BadInput, match="Lamp"):
        await pages.add_document(text, title="Lamp")
    assert await pages.documents() == []


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("a\0b\0", "a\0b\0"),
        ("cut \ud83d emoji \udcff", "cut ? emoji ?"),
        ("\ud83d\ude00 in halves", "?? in halves"),
        ("😀👩‍👩‍👧 e\u0301 \ufeff\u2028\x85 \U0010ffff", "😀👩‍👩‍👧 e\u0301 \ufeff\u2028\x85 \U0010ffff"),
        ('"\\u0000" {"a": [null]} \\', '"\\u0000" {"a": [null]} \\'),
        (" \r\n kept as it is \r", " \r\n kept as it is \r"),
        ("😀" * (PART + 1), "😀" * (PART + 1)),
        ("x" * PART, "x" * PART),
        (LONG, LONG),
    ],
)
async def test_a_text_comes_back_as_stored(pages: PageStore, text: str, stored: str) -> None:
    document = await pages.add_document(text)
    assert await pages.text(document) == stored
    assert (document.characters, document.words) == (len(stored), count_words(stored))
    assert await pages.add_document(stored) == document


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(), min_size=1, max_size=60).filter(str.strip))
async def test_any_text_comes_back(pages: PageStore, text: str) -> None:
    document = await pages.add_document(text)
    assert await pages.text(document) == text.encode("utf-8", "replace").decode()
    assert await pages.document(document.id) == document


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
async def test_spans_are_slices_of_the_text(pages: PageStore, data: st.DataObject) -> None:
    assert len(LONG) > 3 * PART
    document = await pages.add_document(LONG)
    near = st.sampled_from([at + step for at in range(0, len(LONG), PART) for step in (-1, 0, 1) if at + step >= 0])
    offsets = (st.integers(0, len(LONG)) | near).map(lambda at: min(at, len(LONG)))
    spans = data.draw(
        st.lists(st.tuples(offsets, offsets).map(sorted).map(lambda pair: (pair[0], pair[1])), max_size=5)
    )
    assert await pages.spans(document, spans) == [LONG[start:end] for start, end in spans]


@pytest.mark.parametrize("identity", UNKNOWN)
async def test_an_unknown_document_is_bad_input(pages: PageStore, identity: str) -> None:
    with pytest.raises(BadInput, match="no document") as refusal:
        await pages.document(identity)
    assert "\n" not in str(refusal.value)


@ON_DISK
async def test_an_id_of_broken_bytes_is_bad_input(pages: PageStore) -> None:
    with pytest.raises(BadInput):
        await pages.document("\udcff")


@ON_DISK
@pytest.mark.parametrize("what", ["title", "source", "note", "reply"])
async def test_broken_bytes_can_be_kept_everywhere(pages: PageStore, what: str) -> None:
    if what in ("title", "source"):  # a Linux file name that is not UTF-8
        broken = "l\udce9gende.txt"
        title, source = (broken, "") if what == "title" else ("", broken)
        document = await pages.add_document("The lamp.", title=title, source=source)
        assert await pages.document(document.id) == document
    elif what == "note":  # a server that cuts an emoji in halves at its limit of tokens
        await pages.put_note("m", Note(0, "lamp \ud83d", 2))
        assert [note.page for note in await pages.notes("m", [0])] == [0]
    else:
        await pages.put_reply("key", RecordedReply("lamp \ud83d", False, "gist", "d"))
        assert await pages.reply("key")


@SEARCHED
async def test_an_unknown_memory_is_bad_input(pages: PageStore) -> None:
    document = await pages.add_document("The lamp.")
    with pytest.raises(BadInput, match="no memory"):
        await pages.memory(document.id, "nothing")
    assert await pages.memories(document.id) == []
    assert (await pages.pages("nothing", [0, 1]), await pages.notes("nothing", [0, 1])) == ([], [])


@SEARCHED
async def test_a_memory_is_opened_again_where_the_recipe_is_the_same(pages: PageStore) -> None:
    document = await pages.add_document("The lamp.")
    new = await pages.open_memory(document.id, RECIPE)
    assert new == Memory(new.id, document.id, RECIPE, new.started)
    grown = await pages.add_page(new, page(0, 0, 9))
    assert await pages.open_memory(document.id, RECIPE) == grown == await pages.memory(document.id, new.id)
    for change in ({"method": "other"}, {"model": ""}, {"parameters": {"max_page_words": 700}}):
        assert (await pages.open_memory(document.id, replace(RECIPE, **change))).pages == 0
    assert len({memory.id for memory in await pages.memories(document.id)}) == 4


@SEARCHED
async def test_an_older_prompts_memory_is_given_unless_renewed(pages: PageStore) -> None:
    document = await pages.add_document("The lamp.")
    second, third = replace(RECIPE, prompts={"gist": 2, "pause": 1}), replace(RECIPE, prompts={"gist": 3, "pause": 1})
    old = Memory("old", document.id, RECIPE, "2026-01-01T00:00:00.000+00:00", 1, 9, True, True)
    await pages.put_memory(old)
    assert await pages.open_memory(document.id, second) == old
    renewed = await pages.open_memory(document.id, second, renew=True)
    assert (renewed.recipe, renewed.pages) == (second, 0)
    assert await pages.open_memory(document.id, second) == renewed
    assert await pages.open_memory(document.id, third) == renewed, "the newest of the older ones"
    assert await pages.memories(document.id) == [old, renewed]
    other = await pages.add_document("Another lamp.")
    assert (await pages.open_memory(other.id, third)).recipe == third


@SEARCHED
async def test_pages_are_appended_without_a_gap(pages: PageStore) -> None:
    document = await pages.add_document("The lamp was out.")
    memory = await pages.open_memory(document.id, RECIPE)
    for wrong in (page(1, 0, 4), page(0, 1, 4), page(-1, 0, 4)):
        with pytest.raises(ValueError, match="does not follow"):
            await pages.add_page(memory, wrong)
    memory = await pages.add_page(memory, page(0, 0, 9))
    assert (memory.pages, memory.read_to) == (1, 9)
    for wrong in (page(0, 0, 9), page(1, 8, 12), page(2, 9, 12)):
        with pytest.raises(ValueError, match="does not follow"):
            await pages.add_page(memory, wrong)
    memory = await pages.add_page(memory, page(1, 9, 17))
    assert await pages.memory(document.id, memory.id) == memory
    assert await pages.pages(memory.id, range(5)) == [page(0, 0, 9), page(1, 9, 17)]


@SEARCHED
async def test_pages_and_notes_come_in_the_order_asked(pages: PageStore) -> None:
    document = await pages.add_document(LONG)
    memory = await pages.open_memory(document.id, RECIPE)
    for number in range(12):
        memory = await pages.add_page(memory, page(number, number * 10, number * 10 + 10))
    assert [got.number for got in await pages.pages(memory.id, [11, 3, 99, 0, 3])] == [11, 3, 0, 3]
    for number in (10, 2):
        await pages.put_note(memory.id, Note(number, f"note {number}\0", 2))
    await pages.put_note(memory.id, Note(2, "once more", 2, fallback=True))
    assert await pages.notes(memory.id, range(12)) == [Note(2, "once more", 2, True), Note(10, "note 10\0", 2)]
    assert (await pages.pages(memory.id, []), await pages.notes(memory.id, [])) == ([], [])


async def test_replies_are_kept_until_their_documents_are_forgotten(pages: PageStore) -> None:
    await pages.put_reply("one", RecordedReply("a", False, "gist", "d"))
    await pages.put_reply("two", two := RecordedReply("b", False, "gist", "e", (1, 2), "damaged on its way"))
    await pages.put_reply("two", two)
    assert await pages.forget_paid("d") == 1 and await pages.reply("one") is None
    assert await pages.reply("two") == two

"""Forgetting leaves nothing of a document, and everything of the others."""

import asyncio
import os
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.base import Op, PutOp, Result

from readgraph.api import functions
from readgraph.graphs.read_agent import build
from readgraph.library import documents as unfinished
from readgraph.library import stored_items
from readgraph.library.collections import add_collection
from readgraph.library.documents import PART, begin_forgetting, find_document_to_forget
from readgraph.library.file_store import LibraryStore
from readgraph.library.histories import SessionText, append_sessions
from readgraph.library.opening import Library, open_library
from readgraph.library.search.passages import search_documents
from readgraph.library.store import mark_in_use
from readgraph.library.stored_items import StoredItems
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, Forgotten
from readgraph.state.records import Document, RecordedReply
from tests.doubles.model_server import ModelServer
from tests.support.command import DOUBLE, STORY
from tests.support.forking import ended, forked, forked_call
from tests.support.tables import counted_at

ON_SERVER_TOO = True

CONTEXT = ReaderContext(model="openai:double")


async def ask(library: Library, document: str, context: ReaderContext = CONTEXT) -> dict[str, Any]:
    compiled = build().compile(checkpointer=library.checkpointer, store=library.store)
    config: Any = {"configurable": {"thread_id": document}, "metadata": {"document": document}}
    return dict(await compiled.ainvoke({"document": document, "question": "Who?"}, config, context=context))


async def test_nothing_is_left_of_a_forgotten_document(server: ModelServer, library: Library, story: str) -> None:
    gone = await library.pages.add_document(story.replace("Marian", "Mariposa"), title="gone")
    kept = await library.pages.add_document(story, title="kept")
    await ask(library, gone.id)
    before = await ask(library, kept.id)
    calls = server.calls
    forgotten = await forget_document(library, gone)
    assert forgotten["memories"] == forgotten["threads"] == 1
    assert forgotten["replies"] > 20
    with pytest.raises(BadInput):
        await library.pages.document(gone.id)
    for file in ("library.sqlite", "checkpoints.sqlite"):
        assert rows_with(library.folder / file, ["Mariposa", gone.id]) == 0

    after = await ask(library, kept.id)
    assert (after["memory"], after["answer"], server.calls) == (before["memory"], before["answer"], calls)


def rows_with(path: Path, words: list[str]) -> int:
    """How many values of a database hold one of these words."""
    with closing(sqlite3.connect(path)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = [row for table in tables for row in database.execute(f'SELECT * FROM "{table}"')]
    values = [value if isinstance(value, bytes) else str(value).encode() for row in rows for value in row]
    return sum(word.encode() in value for value in values for word in words)


async def test_a_document_that_is_read_again_is_new(server: ModelServer, library: Library, story: str) -> None:
    document = await library.pages.add_document(story)
    await ask(library, document.id)
    calls = server.calls
    await forget_document(library, document)
    assert await library.pages.add_document(story) != document
    await ask(library, document.id)
    assert server.calls == 2 * calls


@pytest.mark.parametrize("method", ["read-agent", "bm25"])
async def test_a_history_of_the_same_name_has_its_own_days_and_words(library: Library, method: str) -> None:
    days = {"Monday": "The goat ate the log book. ", "Tuesday": "Iolo lit the lamp at six. "}
    for first, second in (["Monday", "Tuesday"], ["Tuesday", "Monday"]):
        third = ["Sunday"] * (method == "bm25")  # of two pages BM25 gives a word of one of them no weight
        sessions = [SessionText(days.get(day, "") + "A dog slept. " * 300, day) for day in (first, second, *third)]
        await append_sessions(library.pages, "Diary", sessions)
        context = ReaderContext(model="", max_pages=1)
        found = await functions.ask(library, "Who ate it?", documents=["Diary"], method=method, context=context)
        assert [cited.place for cited in found.citations] == [f"session {1 if first == 'Monday' else 2}, Monday"]
        for document in await library.pages.documents():
            await forget_document(library, document)


async def test_a_text_that_is_stored_again_has_the_places_it_comes_with(library: Library) -> None:
    for place in ("PDF page 1", "PDF page 7"):
        document = await library.pages.add_document("The goat ate the log book.", places=[(0, place)])
        assert await library.pages.place_names(document, [4]) == [place]
        await forget_document(library, document)


def rows(where: Path | str) -> dict[str, int]:
    """How many rows the library's tables have, for those that have any."""
    return {table: count for table in ("store", "checkpoints", "writes") if (count := counted_at(where, table))}


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until, "nothing happened"
        time.sleep(0.01)


@pytest.mark.slow
def test_nothing_is_left_of_what_another_process_was_building(server: ModelServer, where: str) -> None:
    server.latency = 0.05
    reader = forked("read", STORY, *DOUBLE, "--library", where)
    wait_for(lambda: server.calls > 20)
    server.latency = 600  # replies are held
    wait_for(lambda: server.in_flight > 0)
    assert ended(forked("forget", STORY, "--yes", "--library", where)) == 0
    assert ended(reader) == 2
    assert rows(where) == {} and not [*Path(where).glob("locks/*.used")]
    server.reset()
    server.latency = 0
    assert ended(forked("read", STORY, *DOUBLE, "--library", where)) == 0


async def small_library(folder: Path) -> tuple[Document, dict[str, int]]:
    """A library with a document that is to be forgotten and another; gives the first, and the rows of the other."""
    async with open_library(folder) as library:
        gone, kept = [await library.pages.add_document(f"The {name} was out. " * 300) for name in ("lamp", "stove")]
        for document in (kept, gone, await add_collection(library.pages, [gone, kept])):
            await ask(library, document.id, ReaderContext(model=""))
            await library.pages.put_reply(f"reply {document.id}", RecordedReply("x", False, "gist", document.id))
            if document == kept:
                rest = rows(folder) | {"store": rows(folder)["store"] - 3}  # a text, its record, a collection's
    return gone, rest


def forget_until(writes: int, folder: Path, identity: str) -> None:
    """Forget a document in this process, which kills itself before its write of this number."""

    async def forget() -> None:
        async with open_library(folder) as library:
            kill_before(writes)
            await forget_document(library, await library.pages.document(identity))

    asyncio.run(forget())


def kill_before(writes: int) -> None:
    """Let this process kill itself before it gives the store its write of this number."""
    whole, numbers = LibraryStore.abatch, count(1)

    async def counted(store: LibraryStore, ops: Iterable[Op]) -> list[Result]:
        given = list(ops)
        if any(isinstance(op, PutOp) for op in given) and next(numbers) == writes:
            os.kill(os.getpid(), signal.SIGKILL)
        return await whole(store, given)

    LibraryStore.abatch = counted  # type: ignore[assignment, method-assign]


@pytest.mark.slow
async def test_a_forgetting_that_was_killed_anywhere_goes_on(tmp_path: Path) -> None:
    gone, rest = await small_library(tmp_path / "whole")
    for writes in (1, 2, 3, 5, 8, 1000):
        folder = tmp_path / f"killed at {writes}"
        shutil.copytree(tmp_path / "whole", folder)
        code = ended(forked_call(forget_until, writes, folder, gone.id))
        async with open_library(folder) as library:
            listed = await library.pages.documents()
            if writes == 1:
                assert gone in listed, "nothing was begun"
                continue
            assert gone not in listed and rows(folder) == rest
            (kept,) = listed
            assert (await library.pages.text(kept)).startswith("The stove was out.")
            assert await library.pages.add_document("The lamp was out. " * 300) != gone, "it is new"
        assert code == (0 if writes == 1000 else -signal.SIGKILL)


def store_until(writes: int, folder: Path, history: bool) -> None:
    """Store a text that needs several commits in this process, which kills itself before its write of this number."""

    async def store() -> None:
        async with open_library(folder) as library:
            vars(stored_items)["BATCH"] = vars(unfinished)["BATCH"] = 2
            kill_before(writes)
            if history:
                await append_sessions(library.pages, "diary", [SessionText("lamp " * PART)])
            else:
                await library.pages.add_document("lamp " * PART)

    asyncio.run(store())


@pytest.mark.slow
@pytest.mark.parametrize("history", [False, True])
async def test_nothing_stays_of_a_text_whose_storing_was_killed(tmp_path: Path, history: bool) -> None:
    for writes in count(1):
        code = ended(forked_call(store_until, writes, tmp_path, history))
        async with open_library(tmp_path) as library:
            if code == 0:
                (document,) = await library.pages.documents()
                assert (await library.pages.text(document)).split() == ["lamp"] * PART
                break
            assert code == -signal.SIGKILL and rows(tmp_path) == {}
    assert writes > 3


async def test_who_asks_about_a_document_is_waited_for(library: Library, where: str) -> None:
    document = await library.pages.add_document("The lamp was out.")
    waited = asyncio.Event()
    async with mark_in_use(library.store, document.id):
        forgetting = asyncio.create_task(forget_document(library, document, waited.set))
        await waited.wait()
        with pytest.raises(Forgotten, match="is being forgotten"):
            await library.pages.document(document.id)
    await forgetting
    assert rows(where) == {}


async def test_what_was_broken_off_while_it_waited_goes_on_once_nobody_reads(tmp_path: Path) -> None:
    async with open_library(tmp_path) as library:
        document, waited = await library.pages.add_document("The lamp was out."), asyncio.Event()
        async with mark_in_use(library.store, document.id):
            forgetting = asyncio.create_task(forget_document(library, document, waited.set))
            await waited.wait()
            forgetting.cancel()
            await asyncio.wait([forgetting])
            async with open_library(tmp_path) as other:  # whose opening waits for nobody
                with pytest.raises(Forgotten):
                    await other.pages.add_document("The lamp was out.")
    async with open_library(tmp_path):
        assert rows(tmp_path) == {}


async def test_an_opening_leaves_out_what_another_process_has_forgotten_meanwhile(
    library: Library, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = await library.pages.add_document("The lamp was out.")
    await begin_forgetting(library.pages, document.id)
    found_by_opening = list[Document]()

    async def find_then_forget(items: StoredItems, identity: str) -> Document | None:
        if found := await find_document_to_forget(items, identity):
            found_by_opening.append(found)
            await forget_document(library, found)
        return found

    monkeypatch.setattr("readgraph.library.upkeep.forgetting.find_document_to_forget", find_then_forget)
    async with open_library(where) as other:
        assert await other.pages.documents() == [] and found_by_opening == [document]


async def test_a_search_goes_on_without_what_was_forgotten_meanwhile(library: Library) -> None:
    gone = await library.pages.add_document("A goat stood there.", title="gone")
    kept = await library.pages.add_document("A goat lay there, and a sheep.", title="kept")
    listed = [gone, kept]
    await forget_document(library, gone)
    assert {passage.document.id for passage in await search_documents(library.pages, listed, "goat")} == {kept.id}
    with pytest.raises(Forgotten, match="'gone' was forgotten meanwhile"):
        await library.pages.text(gone)

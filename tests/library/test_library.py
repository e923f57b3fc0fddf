"""The library on disk, and on a server: opened by anyone, from any loop or thread."""

import asyncio
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Thread

import pytest
from langgraph.store.base import GetOp, Op, PutOp
from langgraph.store.sqlite import SqliteStore

from readgraph.library.address import LibraryAddress, default_place, library_place
from readgraph.library.file_store import LibraryStore
from readgraph.library.opening import open_library, open_library_in_background
from readgraph.library.store import SharedStore
from readgraph.state.errors import LibraryError, ReadgraphError
from tests.support.postgres_server import ON_SERVER

SPACE, MARKER = ("some", "space"), "readgraph.json"


Place = Path | LibraryAddress
"""A library's file, or its database on a server."""


def opened(place: Place) -> SharedStore:
    if isinstance(place, Path):
        return LibraryStore(place)
    from readgraph.features.postgres.store import open_store

    return open_store(place)


@contextmanager
def another(place: Place) -> Iterator[Callable[[str], object]]:
    """Another process's connection: what runs a statement."""
    if isinstance(place, Path):
        with closing(sqlite3.connect(place, isolation_level=None)) as other:
            yield other.execute
    else:
        import psycopg

        with psycopg.connect(place.full, autocommit=True) as connection:
            yield lambda statement: connection.execute(statement.encode())


@contextmanager
def writing_held_up(place: Place, lock: str = "LOCK TABLE store IN EXCLUSIVE MODE") -> Iterator[None]:
    """Another process holds the lock for writing; on a server it is this one."""
    with another(place) as run:
        run("BEGIN IMMEDIATE" if isinstance(place, Path) else f"BEGIN; {lock}")
        yield
        run("COMMIT")


@pytest.fixture(params=["folder", pytest.param("server", marks=ON_SERVER)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "folder":
        return tmp_path / "library.sqlite"
    return library_place(request.getfixturevalue("database"))


@pytest.fixture
def store(place: Place) -> Iterator[SharedStore]:
    store = opened(place)
    yield store
    store.close()


def put(key: str, value: object = 1) -> PutOp:
    return PutOp(SPACE, key, {"value": value})


def stored(place: Place, *keys: str) -> list[str]:
    """The keys that a second connection finds."""
    with closing(opened(place)) as other:
        return [key for key in keys if other.get(SPACE, key)]


async def test_a_missing_folder_is_made_and_documents_survive(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "new one"
    async with open_library(folder) as library:
        document = await library.pages.add_document("The lamp.\0", title="Lamp")
        assert library.folder == folder
    assert json.loads((folder / MARKER).read_text()) == {"format": 1}
    async with open_library(str(folder)) as library, open_library(folder) as twice:
        assert await library.pages.document(document.id) == document
        assert await twice.pages.text(document) == "The lamp.\0"
        assert await twice.pages.documents() == [document]


@pytest.mark.parametrize("left", [[], [MARKER]])
async def test_an_empty_folder_becomes_a_library(tmp_path: Path, left: list[str]) -> None:
    for name in left:  # a first opening that was killed
        (tmp_path / name).touch()
    async with open_library(tmp_path):
        assert json.loads((tmp_path / MARKER).read_text()) == {"format": 1}


@pytest.mark.parametrize(
    ("name", "content", "opened", "said"),
    [
        ("thesis.txt", "not a library", ".", "not empty"),
        ("file", "text", "file", "is a file"),
        ("file", "text", "file/library", "Not a directory"),
        (MARKER, '{"format": 2}', ".", "newer"),
        (MARKER, "{", ".", "damaged"),
        (MARKER, "[]", ".", "damaged"),
        (MARKER, "{}", ".", "damaged"),
        (MARKER, "\ufeff\0", ".", "damaged"),
        (MARKER, '{"format": "1"}', ".", "damaged"),
        ("library.sqlite", "no database\n" * 200, ".", "library.sqlite"),
        ("checkpoints.sqlite", "no database\n" * 200, ".", "checkpoints.sqlite"),
    ],
)
async def test_what_is_no_usable_library_is_refused(
    tmp_path: Path, name: str, content: str, opened: str, said: str
) -> None:
    (tmp_path / name).write_text(content)
    if name.endswith(".sqlite"):
        (tmp_path / MARKER).write_text('{"format": 1}')
    with pytest.raises(LibraryError, match=said) as refusal:
        async with open_library(tmp_path / opened):
            pass
    assert str(tmp_path) in str(refusal.value) and "\n" not in str(refusal.value)
    assert (tmp_path / name).read_text() == content


def test_the_default_place_is_named_by_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("READGRAPH_LIBRARY", str(tmp_path / "mine"))
    assert default_place() == tmp_path / "mine"
    monkeypatch.setenv("READGRAPH_LIBRARY", "")
    assert str(default_place()).endswith("readgraph")


async def test_synchronous_code_has_a_library_even_within_a_running_loop(tmp_path: Path) -> None:
    with open_library_in_background(tmp_path / "library") as library:
        library.store.put(SPACE, "key", {"value": 1})
    with pytest.raises(LibraryError, match="not empty"), open_library_in_background(tmp_path):
        pass
    assert stored(tmp_path / "library" / "library.sqlite", "key") == ["key"]


def test_a_library_is_held_open_until_it_is_closed(tmp_path: Path) -> None:
    library = open_library_in_background(tmp_path / "library")
    library.store.put(SPACE, "key", {"value": 1})
    assert library.store.get(SPACE, "key") is not None
    library.close()
    library.close()
    with open_library_in_background(tmp_path / "library") as again:
        assert again.store.get(SPACE, "key") is not None


@pytest.mark.slow
def test_a_library_that_nobody_closed_lets_the_process_end(tmp_path: Path) -> None:
    script = f"""
from readgraph import open_library_in_background
library = open_library_in_background({str(tmp_path / "library")!r})
library.store.put({SPACE!r}, "key", {{"value": 1}})
"""
    ended = subprocess.run([sys.executable, "-c", script], timeout=30, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert stored(tmp_path / "library" / "library.sqlite", "key") == ["key"]


def test_a_store_serves_one_event_loop_after_the_other(store: SharedStore) -> None:
    async def add(key: str) -> list[str]:
        await store.aput(SPACE, key, {"value": 1})
        return [item.key for item in await store.asearch(SPACE)]

    assert asyncio.run(add("one")) == ["one"]
    assert sorted(asyncio.run(add("two"))) == ["one", "two"]
    assert store.get(SPACE, "one") is not None


def test_threads_and_two_stores_share_a_place(store: SharedStore, place: Place) -> None:
    with closing(opened(place)) as second, ThreadPoolExecutor(8) as threads:

        def work(thread: int) -> int:
            mine, other = (store, second) if thread % 2 else (second, store)
            for number in range(50):
                mine.put(SPACE, f"{thread}-{number}", {"value": number})
                found = other.get(SPACE, f"{thread}-{number}")
                assert found is not None and found.value == {"value": number}
            return sum(item is not None for item in mine.batch([GetOp(SPACE, f"{thread}-{n}") for n in range(50)]))

        assert list(threads.map(work, range(8))) == [50] * 8
        assert len(second.search(SPACE, limit=1000)) == 400


async def test_what_returned_is_committed(store: SharedStore, place: Place) -> None:
    await asyncio.gather(*(store.aput(SPACE, str(number), {"value": number}) for number in range(100)))
    assert len(stored(place, *map(str, range(100)))) == 100
    store.delete(SPACE, "7")
    assert stored(place, "7", "8") == ["8"]


async def test_reads_do_not_wait_for_a_writer(store: SharedStore, place: Place) -> None:
    store.put(SPACE, "key", {"value": 1})
    with writing_held_up(place, lock="SELECT FROM store WHERE key = 'key' FOR UPDATE"):
        waiting = asyncio.create_task(store.aput(SPACE, "key", {"value": 2}))
        read = await asyncio.wait_for(store.aget(SPACE, "key"), 5)
        assert read is not None and read.value == {"value": 1} and not waiting.done()
    await waiting


@pytest.mark.parametrize("cancelled", [False, True])
async def test_closing_commits_what_waits_even_for_callers_who_left(place: Place, cancelled: bool) -> None:
    store, keys = opened(place), [str(number) for number in range(20)]
    with writing_held_up(place):
        waiting = [asyncio.create_task(store.abatch([put(key)])) for key in keys]
        await asyncio.wait(waiting, timeout=0)
        if cancelled:
            for task in waiting:
                task.cancel()
        thread = Thread(target=store.close)
        thread.start()
    done = await asyncio.gather(*waiting, return_exceptions=True)
    await asyncio.to_thread(thread.join)
    assert stored(place, *keys) == keys
    assert cancelled or done == [[None]] * 20


async def test_a_write_after_closing_fails(place: Place) -> None:
    store = opened(place)
    store.close()
    with pytest.raises(ReadgraphError):
        await asyncio.wait_for(store.abatch([put("key")]), 0.3)


async def test_one_bad_write_fails_alone(store: SharedStore, place: Place) -> None:
    values = {"first": 1, "second": 2, "bad": object(), "good": 3}
    with writing_held_up(place):
        waiting = [asyncio.create_task(store.abatch([put(key, value)])) for key, value in values.items()]
        await asyncio.wait(waiting, timeout=0)
    done = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 5)
    assert [isinstance(outcome, Exception) for outcome in done] == [False, False, True, False]
    assert stored(place, *values) == ["first", "second", "good"]


@pytest.mark.parametrize("operation", [put("key"), GetOp(SPACE, "key")], ids=["write", "read"])
async def test_what_the_database_refuses_is_a_library_error(store: SharedStore, place: Place, operation: Op) -> None:
    with another(place) as run:
        run("DROP TABLE store")
    with pytest.raises(LibraryError) as refusal:
        await store.abatch([operation])
    assert "\n" not in str(refusal.value)


def test_a_new_library_can_be_opened_by_many_at_once(tmp_path: Path) -> None:
    def open_and_put(number: int) -> None:
        with closing(LibraryStore(tmp_path / f"{number // 8}.sqlite")) as store:
            store.put(SPACE, str(number), {"value": number})

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(open_and_put, range(64)))


@pytest.mark.parametrize("done", range(1, len(SqliteStore.MIGRATIONS)))
async def test_a_library_whose_making_was_killed_is_made(tmp_path: Path, done: int) -> None:
    """LangGraph makes the tables in steps, and notes each after it is done: the last one here is not noted."""
    with closing(sqlite3.connect(tmp_path / "library.sqlite", isolation_level=None)) as half:
        half.execute("CREATE TABLE store_migrations (v INTEGER PRIMARY KEY)")
        for step in SqliteStore.MIGRATIONS[: done + 1]:
            half.execute(step)
        half.executemany("INSERT INTO store_migrations VALUES (?)", [(number,) for number in range(done)])
    (tmp_path / "readgraph.json").write_text('{"format": 1}')
    async with open_library(tmp_path) as library:
        document = await library.pages.add_document("The lamp.")
        assert await library.pages.text(document) == "The lamp."

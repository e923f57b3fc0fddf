"""A few keys of a quick disk are read in the event loop; it never waits for a slow disk, or for another process."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event

import pytest

from readgraph.library import file_store
from readgraph.library.address import STORE
from readgraph.library.file_store import LibraryStore
from readgraph.library.opening import open_library
from readgraph.state.errors import LibraryError

SPACE, KEY = ("readgraph", "test"), "key"
SOON = 10  # seconds, in which what nobody holds up is done


@contextmanager
def busy_thread(store: LibraryStore) -> Iterator[None]:
    """The thread that reads does something else until the end of the `with`."""
    free = Event()
    store._reading._thread.submit(lambda: free.wait(SOON))
    try:
        yield
    finally:
        free.set()


async def value(store: LibraryStore) -> int:
    item = await store.aget(SPACE, KEY)
    assert item
    return int(item.value["number"])


async def read_both(folder: Path) -> bool:
    """Whether a second read of a key does not wait for the thread; both give what was written before."""
    async with open_library(folder) as library:
        store = library.whole_store
        assert isinstance(store, LibraryStore)
        await store.aput(SPACE, KEY, {"number": 1})
        assert await value(store) == 1
        with closing(sqlite3.connect(store.path)) as other:  # as another process writes
            other.execute("UPDATE store SET value = json_set(value, '$.number', 2) WHERE key = ?", (KEY,))
            other.commit()
        with busy_thread(store):
            reading = asyncio.create_task(value(store))
            for _ in range(5):
                await asyncio.sleep(0)
            at_once = reading.done()
        assert await reading == 2
        return at_once


async def test_after_a_quick_read_the_next_one_is_made_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_store, "QUICK", SOON)
    monkeypatch.setattr(file_store, "STAYS_QUICK", SOON)
    assert await read_both(tmp_path / "library")


async def test_after_a_slow_read_the_loop_waits_for_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_store, "QUICK", 0)
    assert not await read_both(tmp_path / "library")


async def test_after_a_pause_the_loop_waits_for_no_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_store, "QUICK", SOON)
    monkeypatch.setattr(file_store, "STAYS_QUICK", 0)
    assert not await read_both(tmp_path / "library")


async def test_the_loop_does_not_wait_for_a_locked_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_store, "QUICK", SOON)
    monkeypatch.setattr(file_store, "STAYS_QUICK", SOON)
    async with open_library(tmp_path / "library") as library:
        await library.store.aput(SPACE, KEY, {"number": 1})
        path = tmp_path / "library" / STORE
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA journal_mode = DELETE")  # so that who writes locks out who reads
        store = LibraryStore(path, to_read=True)
        assert await value(store) == 1
        other.execute("BEGIN EXCLUSIVE")
        reading = asyncio.create_task(value(store))
        for _ in range(5):
            await asyncio.sleep(0)
        assert not reading.done()
        other.rollback()
        assert await asyncio.wait_for(reading, SOON) == 1
        store.close()


async def test_a_closed_library_is_told_as_ever(tmp_path: Path) -> None:
    async with open_library(tmp_path / "library") as library:
        store = library.store
        await store.aput(SPACE, KEY, {"number": 1})
        await store.aget(SPACE, KEY)
    with pytest.raises(LibraryError, match="is closed"):
        await store.aget(SPACE, KEY)

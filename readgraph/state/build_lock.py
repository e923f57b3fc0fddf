"""One builder at a time: two that cut the same document into pages would mix their pages.

An agent's turn is one too: what two of them write at once would stand under the same numbers.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Lock as ThreadLock
from weakref import WeakValueDictionary

from filelock import AsyncFileLock
from langgraph.store.base import BaseStore

from readgraph.state.library_store import LibraryStore, unusable

ASKED_AGAIN = 0.02
"""Seconds until one event loop asks again whether another still builds."""

_here: "WeakValueDictionary[tuple[int, int, str], asyncio.Lock]" = WeakValueDictionary()
_choosing = ThreadLock()
_anywhere: "WeakValueDictionary[tuple[int, str], ThreadLock]" = WeakValueDictionary()


@asynccontextmanager
async def building(store: BaseStore, memory: str) -> AsyncIterator[None]:
    """Wait until nobody else builds this memory: on a library no process, on another store nobody here."""
    if isinstance(store, LibraryStore):
        file = AsyncFileLock(store.locks / f"{memory}.lock", thread_local=False)
        try:
            await file.acquire()
        except OSError as problem:
            raise unusable(store.locks.parent, problem) from problem
        try:
            yield
        finally:
            await file.release()
    else:
        here, anywhere = (id(asyncio.get_running_loop()), id(store), memory), (id(store), memory)
        async with _here.setdefault(here, asyncio.Lock()):  # those of one loop take turns, and one asks the others
            with _choosing:
                lock = _anywhere.setdefault(anywhere, ThreadLock())
            while not lock.acquire(blocking=False):
                await asyncio.sleep(ASKED_AGAIN)
            try:
                yield
            finally:
                lock.release()

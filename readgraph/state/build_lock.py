"""One builder at a time: two that cut the same document into pages would mix their pages.

An agent's turn is one too: what two of them write at once would stand under the same numbers.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from filelock import AsyncFileLock
from langgraph.store.base import BaseStore

from readgraph.state.library_store import LibraryStore, unusable

_here: "WeakValueDictionary[tuple[int, str], asyncio.Lock]" = WeakValueDictionary()


@asynccontextmanager
async def building(store: BaseStore, memory: str) -> AsyncIterator[None]:
    """Wait until nobody else builds this memory: on a library no process, on another store no task of this loop."""
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
        key = (id(asyncio.get_running_loop()), memory)
        lock = _here.setdefault(key, asyncio.Lock())
        async with lock:
            yield

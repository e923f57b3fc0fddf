"""One builder at a time: two builders of the same memory would mix their pages.

An agent's turn takes such a lock too: two turns at once would write under the same numbers.
"""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from threading import Lock as ThreadLock
from weakref import WeakValueDictionary

from filelock import AsyncFileLock, Timeout
from langgraph.store.base import BaseStore

from readgraph.state.forks import reset_in_forked
from readgraph.state.library_store import LibraryStore, unusable
from readgraph.state.namespaces import base_of, name_in_base

OnWait = Callable[[], None]
"""Called once before waiting for another process or task."""

POLL_SECONDS = 0.02
"""How often an event loop checks whether another one is still building."""

_in_loop: "WeakValueDictionary[tuple[int, int, str], asyncio.Lock]" = WeakValueDictionary()
_choosing = ThreadLock()
_across_loops: "WeakValueDictionary[tuple[int, str], ThreadLock]" = WeakValueDictionary()


def _reset() -> None:
    global _choosing
    _choosing = ThreadLock()
    _across_loops.clear()


reset_in_forked(_reset)


class InUse(Exception):
    """Somebody else holds the lock, and the caller does not want to wait."""


@asynccontextmanager
async def building(store: BaseStore, memory: str) -> AsyncIterator[None]:
    """Hold the lock for building this memory: across processes in a library, within this process in other stores."""
    if isinstance(base := base_of(store), LibraryStore):
        async with held(store, f"{memory}.lock"):
            yield
    else:
        across_loops = (id(base), name_in_base(store, memory))
        in_loop = (id(asyncio.get_running_loop()), *across_loops)
        async with _in_loop.setdefault(in_loop, asyncio.Lock()):  # one task of each loop polls the other loops
            with _choosing:
                lock = _across_loops.setdefault(across_loops, ThreadLock())
            while not lock.acquire(blocking=False):
                await asyncio.sleep(POLL_SECONDS)
            try:
                yield
            finally:
                lock.release()


@asynccontextmanager
async def held(store: BaseStore, name: str, on_wait: OnWait | None = None, *, wait: bool = True) -> AsyncIterator[None]:
    """Hold a lock file of a library; raises `InUse` if somebody else holds it and `wait` is false.

    What was written under the lock is committed before it is released, even if the writer was cancelled.
    """
    library = _library(store)
    file = AsyncFileLock(library.locks / name_in_base(store, name), thread_local=False)
    try:
        try:
            await file.acquire(blocking=False)
        except Timeout:
            if not wait:
                raise InUse(f"Another process holds {name}.") from None
            if on_wait:
                on_wait()
            await file.acquire()
    except OSError as problem:
        raise unusable(library.locks.parent, problem) from problem
    try:
        yield
    except BaseException:
        await library.written()
        raise
    finally:
        await file.release()


@asynccontextmanager
async def using(store: BaseStore, document: str) -> AsyncIterator[None]:
    """Mark a document as in use: forgetting it waits until nobody uses it (see `unused`)."""
    name = f"{document}-{uuid.uuid4().hex}.used"
    try:
        async with held(store, name):
            yield
    finally:
        (_library(store).locks / name_in_base(store, name)).unlink(missing_ok=True)


async def unused(store: BaseStore, document: str, on_wait: OnWait | None = None, *, wait: bool = True) -> None:
    """Wait until nobody uses a document; the locks of killed processes are free."""
    library = _library(store)
    for path in [*library.locks.glob(f"{name_in_base(store, document)}-*.used")]:
        async with held(library, path.name, on_wait, wait=wait):
            pass
        path.unlink(missing_ok=True)


def _library(store: BaseStore) -> LibraryStore:
    """The library of a store, or of a part of it."""
    if not isinstance(library := base_of(store), LibraryStore):
        raise TypeError(f"{type(library).__name__} is not the store of a library.")
    return library

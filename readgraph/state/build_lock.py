"""One builder at a time: two that cut the same document into pages would mix their pages.

An agent's turn is one too: what two of them write at once would stand under the same numbers.
"""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from threading import Lock as ThreadLock
from weakref import WeakValueDictionary

from filelock import AsyncFileLock, Timeout
from langgraph.store.base import BaseStore

from readgraph.state.forks import anew_in_forked
from readgraph.state.library_store import LibraryStore, unusable

Told = Callable[[], None]
"""Called once, where somebody else has to be waited for."""

ASKED_AGAIN = 0.02
"""Seconds until one event loop asks again whether another still builds."""

_here: "WeakValueDictionary[tuple[int, int, str], asyncio.Lock]" = WeakValueDictionary()
_choosing = ThreadLock()
_anywhere: "WeakValueDictionary[tuple[int, str], ThreadLock]" = WeakValueDictionary()


def _begin_anew() -> None:
    global _choosing
    _choosing = ThreadLock()
    _anywhere.clear()


anew_in_forked(_begin_anew)


class InUse(Exception):
    """Another holds what was not to be waited for."""


@asynccontextmanager
async def building(store: BaseStore, memory: str) -> AsyncIterator[None]:
    """Wait until nobody else builds this memory: on a library no process, on another store nobody here."""
    if isinstance(store, LibraryStore):
        async with held(store, f"{memory}.lock"):
            yield
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


@asynccontextmanager
async def held(store: LibraryStore, name: str, told: Told | None = None, *, wait: bool = True) -> AsyncIterator[None]:
    """Hold a lock file of a library; raises `InUse` where another holds it and `wait` is not wanted.

    What was written while it was held is committed before the next one gets it, also where the writer was cancelled.
    """
    file = AsyncFileLock(store.locks / name, thread_local=False)
    try:
        try:
            await file.acquire(blocking=False)
        except Timeout:
            if not wait:
                raise InUse(f"Another process holds {name}.") from None
            if told:
                told()
            await file.acquire()
    except OSError as problem:
        raise unusable(store.locks.parent, problem) from problem
    try:
        yield
    except BaseException:
        await store.written()
        raise
    finally:
        await file.release()


@asynccontextmanager
async def using(store: LibraryStore, document: str) -> AsyncIterator[None]:
    """Read or ask about a document: who forgets it waits until nobody does (see `unused`)."""
    name = f"{document}-{uuid.uuid4().hex}.used"
    try:
        async with held(store, name):
            yield
    finally:
        (store.locks / name).unlink(missing_ok=True)


async def unused(store: LibraryStore, document: str, told: Told | None = None, *, wait: bool = True) -> None:
    """Wait until those have ended who were using a document; one that was killed has."""
    for path in [*store.locks.glob(f"{document}-*.used")]:
        async with held(store, path.name, told, wait=wait):
            pass
        path.unlink(missing_ok=True)

"""The store of a library, in files or on a server: what it offers, its locks, its ledger.

A namespace holds the documents, memories and replies of one tenant, and sees no others. A memory has one builder at a
time, and an agent one turn: two would write under the same numbers.
"""

import asyncio
import hashlib
from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from threading import Lock as ThreadLock
from typing import Any, NamedTuple, Protocol, TypeVar
from weakref import WeakValueDictionary

from langgraph.store.base import BaseStore

from readgraph.library.checkpointer import SharedCheckpointer
from readgraph.library.minute_ledger import LedgerInMemory, MinuteLedger
from readgraph.library.stored_items import base_of, name_in_base
from readgraph.state.loops import reset_in_forked

__all__ = ["SharedStore"]

OnWait = Callable[[], None]  # called once before waiting for another process or task
Row = tuple[str, str, dict[str, Any]]  # an item as it is stored: its namespace, joined by dots, its key and its value
T = TypeVar("T")


class ListingPosition(NamedTuple):
    """How far a listing was read: up to which number, and a mark by which that is known again."""

    number: int = -1
    mark: str = ""


def row_mark(key: str, value: object) -> str:
    """A mark by which a stored row is known again."""
    return hashlib.sha256(f"{key} {value}".encode(errors="surrogateescape")).hexdigest()[:16]


class Listing(Protocol):
    """One look at the items that stand directly below a prefix."""

    def count(self) -> int:
        """How many there are."""

    def keys(self) -> set[str]:
        """Their keys."""

    def knows(self, seen: ListingPosition) -> bool:
        """Whether what changed since then can be told; else all counts as changed."""

    def changes_since(self, seen: ListingPosition) -> Iterator[tuple[ListingPosition, str, str | bytes]]:
        """What was written since then, or all that there is: how far it is read with it, its key, its value as JSON."""


class InUse(Exception):
    """Somebody else holds the lock, and the caller does not want to wait."""


class SharedStore(BaseStore):
    """A `BaseStore` that several processes share. Names of its locks are those of `name_in_base`."""

    place: str  # where it is kept, as messages name it: never with a password
    name: str  # the last part of its place: that of the folder, or of the database
    folder: Path  # on this disk, for what can be made again, and for originals where they are files
    ledger: MinuteLedger  # what was sent to models in the last minute, by all processes
    indexes_apart = False  # whether each machine has search indexes of its own
    writable = True  # whether this user may write, and wants to

    @abstractmethod
    def close(self) -> None:
        """Commit pending writes and close the store."""

    @abstractmethod
    def open_threads(self, part: str = "") -> AbstractAsyncContextManager[SharedCheckpointer]:
        """The checkpointer of the namespace with this key, or of what is in none."""

    @abstractmethod
    async def wait_for_writes(self) -> None:
        """Wait until all writes so far are committed, including those of cancelled callers."""

    @abstractmethod
    def hold_lock(
        self, name: str, on_wait: OnWait | None = None, *, wait: bool = True
    ) -> AbstractAsyncContextManager[None]:
        """Hold a lock; raises `InUse` if somebody else holds it and `wait` is false.

        What was written under it is committed before it is released, even if the writer was cancelled.
        """

    @abstractmethod
    def mark_in_use(self, document: str) -> AbstractAsyncContextManager[None]:
        """Mark a document as in use."""

    @abstractmethod
    async def wait_until_unused(self, document: str, on_wait: OnWait | None = None, *, wait: bool = True) -> None:
        """Wait until nobody uses a document; raises `InUse` where somebody does and `wait` is false."""

    async def tell_dropped(self, part: str, index: str) -> None:
        """Tell other machines, which have search indexes of their own, that this one of a namespace is out of date."""

    def indexes_dropped_since(self, part: str, number: int | None) -> tuple[int, Sequence[str]]:
        """The last number, and the indexes that other machines dropped after this one; None: none. This blocks."""
        return 0, []

    roomy_until = float("inf")
    """By `time.monotonic`: until then its disk can't be too full for a reply."""

    def check_room(self, needed: int = 0) -> None:
        """Raise `LibraryError` where its disk is too full for a reply, or for so many bytes. This blocks."""

    @abstractmethod
    def size(self) -> int:
        """The bytes that the library takes; this blocks."""

    @abstractmethod
    def rows(self, after: tuple[str, str], most: int) -> Sequence[Row]:
        """The next rows by (prefix, key), first ("", ""); raises `LibraryError` for a damaged one. This blocks."""

    @abstractmethod
    def look(self, prefix: str, use: Callable[[Listing], T]) -> T:
        """What a function makes of a listing, in which nothing changes meanwhile; it may be run twice. This blocks."""

    @abstractmethod
    def parts(self) -> Sequence[str]:
        """The keys of the namespaces that have threads; this blocks."""

    @abstractmethod
    def give_back(self) -> None:
        """Give the space of what was deleted back, to the disk or for what is stored next; this blocks."""

    @abstractmethod
    def keep_original(self, name: str, data: bytes) -> None:
        """Keep the file that a document was made of; its name is the document's id and an ending. This blocks."""

    @abstractmethod
    def original(self, name: str) -> Path | None:
        """A kept file on this disk; None where it is not kept. This blocks."""

    @abstractmethod
    def filter_originals(self, names: Sequence[str]) -> set[str]:
        """Those of these names under which files are kept; this blocks."""

    @abstractmethod
    def originals(self) -> Sequence[str]:
        """The names of all kept files; this blocks."""

    @abstractmethod
    def forget_original(self, document: str) -> None:
        """Delete what is kept of a document; this blocks."""


POLL_SECONDS = 0.02  # how often an event loop checks whether another one is still building
_in_loop: "WeakValueDictionary[tuple[int, int, str], asyncio.Lock]" = WeakValueDictionary()
_across_loops: "WeakValueDictionary[tuple[int, str], ThreadLock]" = WeakValueDictionary()
_choosing = ThreadLock()
_ledger_here = LedgerInMemory()


def _begin_anew_in_child() -> None:
    global _choosing, _ledger_here
    _choosing, _ledger_here = ThreadLock(), LedgerInMemory()
    _across_loops.clear()


reset_in_forked(_begin_anew_in_child)


@asynccontextmanager
async def hold_build_lock(store: BaseStore, memory: str) -> AsyncIterator[None]:
    """Hold the lock for building this memory: across processes in a library, within this process in other stores."""
    if isinstance(base := base_of(store), SharedStore):
        async with hold_lock(store, f"{memory}.lock"):
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


def hold_lock(
    store: BaseStore, name: str, on_wait: OnWait | None = None, *, wait: bool = True
) -> AbstractAsyncContextManager[None]:
    """Hold a lock of a library, as `SharedStore.hold_lock` says."""
    return _library(store).hold_lock(name_in_base(store, name), on_wait, wait=wait)


def mark_in_use(store: BaseStore, document: str) -> AbstractAsyncContextManager[None]:
    """Mark a document as in use: forgetting it waits until nobody uses it (see `unused`)."""
    return _library(store).mark_in_use(name_in_base(store, document))


async def wait_until_unused(
    store: BaseStore, document: str, on_wait: OnWait | None = None, *, wait: bool = True
) -> None:
    """Wait until nobody uses a document; the locks of killed processes are free."""
    await _library(store).wait_until_unused(name_in_base(store, document), on_wait, wait=wait)


def _library(store: BaseStore) -> SharedStore:
    """The library of a store, or of a part of it."""
    if not isinstance(library := base_of(store), SharedStore):
        raise TypeError(f"{type(library).__name__} is not the store of a library.")
    return library


def ledger_of(store: BaseStore) -> MinuteLedger:
    """What was sent to models in the last minute by all who share the store."""
    return base.ledger if isinstance(base := base_of(store), SharedStore) else _ledger_here

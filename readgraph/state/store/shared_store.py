"""What the store of a library offers beyond LangGraph's `BaseStore`, wherever it is kept: in files or on a server."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from langgraph.store.base import BaseStore

from readgraph.state.store.minute_ledger import MinuteLedger

OnWait = Callable[[], None]
"""Called once before waiting for another process or task."""


Row = tuple[str, str, dict[str, Any]]
"""An item as it is stored: its namespace, joined by dots, its key and its value."""


T = TypeVar("T")


class Seen(NamedTuple):
    """How far a listing was read: up to which number, and a mark by which that is known again."""

    number: int = -1
    mark: str = ""


class Listing(Protocol):
    """One look at the items that stand directly below a prefix."""

    def count(self) -> int:
        """How many there are."""

    def keys(self) -> set[str]:
        """Their keys."""

    def knows(self, seen: Seen) -> bool:
        """Whether what changed since then can be told; else all counts as changed."""

    def changed(self, seen: Seen) -> Iterator[tuple[Seen, str, str | bytes]]:
        """What was written since then, and perhaps more: how far the list is read with it, its key, its value as JSON.

        It is all where the listing doesn't know what was seen.
        """


class InUse(Exception):
    """Somebody else holds the lock, and the caller does not want to wait."""


class SharedStore(BaseStore):
    """A `BaseStore` that several processes share, so that it has locks, and counts what they send together.

    Names of locks are those in the whole store (see `readgraph.state.store.namespaces.name_in_base`).
    """

    place: str
    """Where it is kept, as messages name it: never with a password."""

    name: str
    """The last part of its place: that of the folder, or of the database."""

    indexes_apart: bool
    """Whether each machine has search indexes of its own."""

    folder: Path
    """The folder on this disk for what can be made again, and for originals where they are files."""

    @property
    @abstractmethod
    def ledger(self) -> MinuteLedger:
        """What was sent to models in the last minute, by all processes."""

    @abstractmethod
    def close(self) -> None:
        """Commit pending writes and close the store."""

    @abstractmethod
    async def written(self) -> None:
        """Wait until all writes so far are committed, including those of cancelled callers."""

    @abstractmethod
    def held(self, name: str, on_wait: OnWait | None = None, *, wait: bool = True) -> AbstractAsyncContextManager[None]:
        """Hold a lock; raises `InUse` if somebody else holds it and `wait` is false.

        What was written under the lock is committed before it is released, even if the writer was cancelled. The locks
        of a killed process are free.
        """

    @abstractmethod
    def using(self, document: str) -> AbstractAsyncContextManager[None]:
        """Mark a document as in use."""

    @abstractmethod
    async def unused(self, document: str, on_wait: OnWait | None = None, *, wait: bool = True) -> None:
        """Wait until nobody uses a document; raises `InUse` where somebody does and `wait` is false."""

    @abstractmethod
    async def tell_dropped(self, part: str, index: str) -> None:
        """Tell other machines, which have search indexes of their own, that this one of a namespace is out of date."""

    @abstractmethod
    def dropped_since(self, part: str, number: int | None) -> tuple[int, Sequence[str]]:
        """The indexes that other machines dropped after this number, and the last number; None: the last number only.

        This blocks.
        """

    def check_room(self, needed: int = 0) -> None:
        """Raise `LibraryError` where its disk is too full for a model's reply, or for so many bytes.

        A server's disk is not known. This blocks.
        """

    @abstractmethod
    def size(self) -> int:
        """The bytes that the library takes; this blocks."""

    @abstractmethod
    def rows(self, after: tuple[str, str], most: int) -> Sequence[Row]:
        """The next rows of all namespaces, in the order of (prefix, key); ("", "") begins. This blocks.

        Raises `LibraryError` for a row that can't be read.
        """

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
    def kept_originals(self, names: Sequence[str]) -> set[str]:
        """Those of these names under which files are kept; this blocks."""

    @abstractmethod
    def originals(self) -> Sequence[str]:
        """The names of all kept files; this blocks."""

    @abstractmethod
    def forget_original(self, document: str) -> None:
        """Delete what is kept of a document; this blocks."""

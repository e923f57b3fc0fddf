"""The embedded store: one SQLite file behind LangGraph's `SqliteStore`, for any event loop and any thread.

`AsyncSqliteStore` belongs to the event loop it was opened in, and each of its batches crosses to its thread
five times. Here one thread writes and one reads; operations that wait together are run together, so a batch
crosses once or less, and reads and writes never share a transaction.
"""

import asyncio
import errno
import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

from filelock import FileLock
from langgraph.store.base import BaseStore, Op, PutOp, Result
from langgraph.store.sqlite import SqliteStore

from readgraph.state.errors import LibraryError

BUSY_SECONDS = 30.0

_MAKE_ROOM = "make room on its disk and give the same command again"
_MAKE_WRITABLE = "it must be writable: see to its permissions, or name another folder"
_RESTORE = "it is damaged: put a copy of it back, or name another folder"
_MENDING = {
    sqlite3.SQLITE_FULL: _MAKE_ROOM,
    sqlite3.SQLITE_IOERR: f"where the disk is full, {_MAKE_ROOM}",
    sqlite3.SQLITE_READONLY: _MAKE_WRITABLE,
    sqlite3.SQLITE_CANTOPEN: _MAKE_WRITABLE,
    sqlite3.SQLITE_PERM: _MAKE_WRITABLE,
    sqlite3.SQLITE_CORRUPT: _RESTORE,
    sqlite3.SQLITE_NOTADB: _RESTORE,
    sqlite3.SQLITE_BUSY: "another process holds it: give the same command again",
}
"""What a person can do, by SQLite's primary error codes."""

_MENDING_FILES = dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), _MAKE_ROOM) | dict.fromkeys(
    (errno.EACCES, errno.EPERM, errno.EROFS), _MAKE_WRITABLE
)


def unusable(place: Path, problem: sqlite3.Error | OSError) -> LibraryError:
    """The error for a library that SQLite, or the file system, refuses: what is wrong and what to do."""
    if isinstance(problem, OSError):
        what, mending = problem.strerror, _MENDING_FILES.get(problem.errno or 0)
    else:
        what, mending = str(problem), _MENDING.get(getattr(problem, "sqlite_errorcode", 0) & 0xFF)
    return LibraryError(f"{place} can't be used as a library: {': '.join(filter(None, [what, mending]))}.")


def damaged(place: Path) -> LibraryError:
    """The error for a library in which something that was stored can't be read."""
    return LibraryError(f"{place} can't be used as a library: {_RESTORE}.")


def closed(folder: Path) -> LibraryError:
    """The error for a library that is used after its end."""
    return LibraryError(f"The library {folder} is closed.")


def connect(path: Path) -> sqlite3.Connection:
    """A connection in WAL mode: a commit survives a kill of the process, and readers don't wait for writers."""
    try:
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
    except sqlite3.Error as problem:
        raise unusable(path, problem) from problem
    return connection


class LibraryStore(BaseStore):
    """A durable `BaseStore` in one SQLite file; several processes may use the same file."""

    supports_ttl = False

    def __init__(self, path: Path) -> None:
        self.locks = path.parent / "locks"
        try:
            self.locks.mkdir(exist_ok=True)
            with FileLock(self.locks / "setup.lock"):  # two that open a new library would both make its tables
                self._reading, self._writing = _Worker(path, "reads"), _Worker(path, "writes")
        except OSError as problem:
            raise unusable(path.parent, problem) from problem

    def __repr__(self) -> str:
        return f"LibraryStore({str(self.locks.parent)!r})"

    def close(self) -> None:
        """Commit what waits and close the file."""
        self._writing.close()
        self._reading.close()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations and wait for them; not for use in an event loop."""
        done: Future[list[Result]] = Future()
        self._submit(list(ops), done)
        return done.result()

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations; where there are writes, they are committed when this returns."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[list[Result]] = loop.create_future()
        self._submit(list(ops), done, loop)
        return await done

    def _submit(self, operations: list[Op], done: "_Done", loop: asyncio.AbstractEventLoop | None = None) -> None:
        writes = any(isinstance(operation, PutOp) for operation in operations)
        (self._writing if writes else self._reading).submit(_Order(operations, done, loop))


_Done = Future[list[Result]] | asyncio.Future[list[Result]]


@dataclass(slots=True)
class _Order:
    """Operations that somebody waits for, and what came of them. Cancelled writes are made all the same."""

    operations: list[Op]
    done: _Done
    loop: asyncio.AbstractEventLoop | None
    outcome: list[Result] | Exception = field(default_factory=list)

    def settle(self) -> None:
        if self.done.done():  # its caller was cancelled
            return
        if isinstance(self.outcome, Exception):
            self.done.set_exception(self.outcome)
        else:
            self.done.set_result(self.outcome)


class _Worker:
    """One connection and the thread that uses it; what waits is run in one transaction."""

    def __init__(self, path: Path, name: str) -> None:
        self._path = path
        self._connection = connect(path)
        self._store = SqliteStore(self._connection)
        try:
            self._store.setup()
        except sqlite3.Error as problem:
            raise unusable(path, problem) from problem
        self._waiting: SimpleQueue[_Order | None] = SimpleQueue()
        self._closing, self._closed = Lock(), False
        self._thread = Thread(target=self._work, name=f"readgraph-{name}", daemon=True)
        self._thread.start()

    def submit(self, order: _Order) -> None:
        with self._closing:
            if self._closed:
                raise closed(self._path.parent)
            self._waiting.put(order)

    def close(self) -> None:
        with self._closing:
            self._closed = True
            self._waiting.put(None)
        self._thread.join()
        self._connection.close()

    def _work(self) -> None:
        open_ = True
        while open_:
            group = [self._waiting.get()]
            while not self._waiting.empty():
                group.append(self._waiting.get())
            open_ = None not in group
            orders = [order for order in group if order is not None]
            self._run(orders)
            _settle(orders)

    def _run(self, orders: list[_Order]) -> None:
        try:
            results = self._store.batch([operation for order in orders for operation in order.operations])
        except Exception as problem:
            if len(orders) > 1:  # each for itself: the sound ones must not fail with the bad one
                for order in orders:
                    self._run([order])
            else:
                orders[0].outcome = self._described(problem)
            return
        at = 0
        for order in orders:
            order.outcome = results[at : at + len(order.operations)]
            at += len(order.operations)

    def _described(self, problem: Exception) -> Exception:
        cause = problem if isinstance(problem, sqlite3.Error) else problem.__cause__
        if isinstance(cause, sqlite3.Error):
            return unusable(self._path, cause)
        if isinstance(problem, json.JSONDecodeError | UnicodeDecodeError):  # of a stored value
            return damaged(self._path)
        return problem


def _settle(orders: list[_Order]) -> None:
    """Tell who waits; each event loop is woken once."""
    by_loop: dict[Any, list[_Order]] = defaultdict(list)
    for order in orders:
        by_loop[order.loop].append(order)
    for loop, settled in by_loop.items():
        if loop is None:
            for order in settled:
                order.settle()
        else:
            with suppress(RuntimeError):  # the loop was closed meanwhile: nobody waits any more
                loop.call_soon_threadsafe(lambda settled=settled: [order.settle() for order in settled])

"""The embedded store: one SQLite file, used through LangGraph's `SqliteStore`, for any event loop and any thread.

`AsyncSqliteStore` belongs to the event loop it was opened in, and switches threads five times for each batch. Here
one thread writes and one reads. Operations that are waiting run together, so there is at most one switch for each
batch, and reads and writes never share a transaction.
"""

import asyncio
import errno
import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

from filelock import FileLock
from langgraph.store.base import BaseStore, Op, PutOp, Result
from langgraph.store.sqlite import SqliteStore
from pydantic_core import from_json

from readgraph.state.errors import LibraryError
from readgraph.state.forks import pause_in_forks
from readgraph.state.sound import UNREADABLE

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
"""What the user can do, by SQLite's primary error codes."""

_MENDING_FILES = dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), _MAKE_ROOM) | dict.fromkeys(
    (errno.EACCES, errno.EPERM, errno.EROFS), _MAKE_WRITABLE
)


_MENDED = (
    "UPDATE store SET value = json_quote(CAST(value AS TEXT)) WHERE typeof(value) <> 'text' OR NOT json_valid(value)",
    "UPDATE store SET created_at = CURRENT_TIMESTAMP WHERE datetime(created_at) IS NOT created_at",
    "UPDATE store SET updated_at = CURRENT_TIMESTAMP WHERE datetime(updated_at) IS NOT updated_at",
)
"""Statements that repair odd rows, so that they can be listed: LangGraph parses the times, SQLite the values."""


def unusable(place: Path, problem: sqlite3.Error | OSError) -> LibraryError:
    """The error for a library that SQLite or the file system refuses: what is wrong and what to do."""
    if isinstance(problem, OSError):
        what, mending = problem.strerror, _MENDING_FILES.get(problem.errno or 0)
    else:
        what, mending = str(problem), _MENDING.get(getattr(problem, "sqlite_errorcode", 0) & 0xFF)
    return LibraryError(f"{place} can't be used as a library: {': '.join(filter(None, [what, mending]))}.")


def damaged(place: Path) -> LibraryError:
    """The error for a library with stored data that can't be read."""
    return LibraryError(f"{place} can't be used as a library: {_RESTORE}.")


def closed(folder: Path) -> LibraryError:
    """The error for a library that is used after it was closed."""
    return LibraryError(f"The library {folder} is closed.")


def trust_data_only(connection: sqlite3.Connection) -> None:
    """Make sure that a file from somebody else runs no code: we store tables, never triggers or views.

    A view could run for ever, and a trigger could change what is written, so a file with either counts as damaged.
    """
    connection.execute("PRAGMA trusted_schema=OFF")
    if connection.execute("SELECT 1 FROM sqlite_schema WHERE type IN ('trigger', 'view')").fetchone():
        problem = sqlite3.DatabaseError("it holds a trigger or a view")
        problem.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise problem


def of_parent(folder: Path) -> LibraryError:
    """The error for a library that a forked process inherited from its parent."""
    return LibraryError(f"The library {folder} was opened before this process was forked: open it in the worker.")


def connect(path: Path) -> sqlite3.Connection:
    """A connection in WAL mode: a commit survives a kill of the process, and readers don't wait for writers."""
    try:
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        trust_data_only(connection)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
    except sqlite3.Error as problem:
        raise unusable(path, problem) from problem
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """A connection that writes nothing: not to the file, and no other files next to it."""
    address, log = path.absolute().as_uri(), path.with_name(f"{path.name}-wal")
    try:
        try:
            return _connected(f"{address}?mode=ro")
        except sqlite3.OperationalError:
            if log.exists() and log.stat().st_size:  # SQLite would ignore what is in the log
                raise
            return _connected(f"{address}?immutable=1")  # SQLite can't create its shared files there
    except sqlite3.Error as problem:
        raise unusable(path, problem) from problem


def _connected(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=True)
    try:
        trust_data_only(connection)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


class LibraryStore(BaseStore):
    """A durable `BaseStore` in one SQLite file; several processes may use the same file.

    `to_read`: the file exists and can't be written; every write raises `LibraryError`.
    """

    supports_ttl = False

    def __init__(self, path: Path, *, to_read: bool = False) -> None:
        self.locks = path.parent / "locks"
        if to_read:
            self._reading = self._writing = _Worker(path, "reads", to_read=True)
            return
        try:
            self.locks.mkdir(exist_ok=True)
            with FileLock(self.locks / "setup.lock"):  # else two that open a new library would both create its tables
                self._reading, self._writing = _Worker(path, "reads"), _Worker(path, "writes")
        except OSError as problem:
            raise unusable(path.parent, problem) from problem

    def __repr__(self) -> str:
        return f"LibraryStore({str(self.locks.parent)!r})"

    def close(self) -> None:
        """Commit pending writes and close the file."""
        self._writing.close()
        if self._reading is not self._writing:
            self._reading.close()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations and wait for them; this blocks, so it is not for use in an event loop."""
        done: Future[list[Result]] = Future()
        self._submit(list(ops), done)
        return done.result()

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations; writes are committed when this returns."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[list[Result]] = loop.create_future()
        self._submit(list(ops), done, loop)
        return await done

    async def written(self) -> None:
        """Wait until all writes so far are committed, including those of cancelled callers."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[list[Result]] = loop.create_future()
        self._writing.submit(_Order([], done, loop))
        await done

    def _submit(self, operations: list[Op], done: "_Done", loop: asyncio.AbstractEventLoop | None = None) -> None:
        writes = any(isinstance(operation, PutOp) for operation in operations)
        (self._writing if writes else self._reading).submit(_Order(operations, done, loop))


_Done = Future[list[Result]] | asyncio.Future[list[Result]]


@dataclass(slots=True)
class _Order:
    """Operations that a caller waits for, and their outcome. Writes are made even if the caller was cancelled."""

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
    """One connection and the thread that uses it; waiting operations run in one transaction."""

    def __init__(self, path: Path, name: str, *, to_read: bool = False) -> None:
        self._path = path
        self._to_read = to_read
        self._connection = (connect_to_read if to_read else connect)(path)
        self._connection.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")
        self._store = SqliteStore(self._connection, deserializer=_value)
        self._store.is_setup = to_read
        try:
            self._set_up()
        except sqlite3.Error as problem:
            raise unusable(path, problem) from problem
        self._waiting: SimpleQueue[_Order | None] = SimpleQueue()
        self._closing, self._closed, self._process = Lock(), False, os.getpid()
        self.lock = Lock()
        pause_in_forks(self)
        self._thread = Thread(target=self._work, name=f"readgraph-{name}", daemon=True)
        self._thread.start()

    def _set_up(self) -> None:
        """Make the tables. LangGraph adds a column and then notes that it did; a kill may come in between."""
        try:
            self._store.setup()
        except sqlite3.OperationalError as problem:
            if "duplicate column name" not in str(problem):
                raise
            self._connection.execute("INSERT INTO store_migrations (v) SELECT max(v) + 1 FROM store_migrations")
            self._store.setup()

    def submit(self, order: _Order) -> None:
        if self._process != os.getpid():
            raise of_parent(self._path.parent)
        with self._closing:
            if self._closed:
                raise closed(self._path.parent)
            self._waiting.put(order)

    def let_go(self) -> None:
        """Close the connection in a forked child process."""
        self._connection.close()

    def close(self) -> None:
        if self._process != os.getpid():
            return
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
            with self.lock:
                self._run(orders)
            _settle(orders)

    def _run(self, orders: list[_Order]) -> None:
        operations = [operation for order in orders for operation in order.operations]
        try:
            results = self._store.batch(operations)
        except Exception as problem:
            if len(orders) > 1:  # one by one: a bad one must not make the others fail
                for order in orders:
                    self._run([order])
                return
            try:
                if not _is_of_a_row(problem):
                    raise
                self._mend()
                results = self._store.batch(operations)
            except Exception as second_problem:
                orders[0].outcome = self._described(second_problem)
                return
        start = 0
        for order in orders:
            order.outcome = results[start : start + len(order.operations)]
            start += len(order.operations)

    def _mend(self) -> None:
        """Repair odd rows so that they can be listed; their values are not records, before and after.

        A read-only library is repaired in a temporary copy of the table, which hides the table in this connection.
        """
        if self._to_read:
            self._connection.execute("PRAGMA temp_store = MEMORY")
            self._connection.execute("CREATE TEMP TABLE store AS SELECT * FROM main.store")
        for statement in _MENDED:
            self._connection.execute(statement)

    def _described(self, problem: Exception) -> Exception:
        cause = problem if isinstance(problem, sqlite3.Error) else problem.__cause__
        if isinstance(cause, sqlite3.Error):
            return unusable(self._path, cause)
        if isinstance(problem, ValueError):  # of a stored row
            return damaged(self._path)
        return problem


def _value(stored: Any) -> dict[str, Any]:
    """A stored value; `UNREADABLE` if it is not a JSON object, so that one odd row doesn't hide the others."""
    try:
        value = from_json(stored, allow_inf_nan=False)
    except (ValueError, TypeError):
        return UNREADABLE
    return value if isinstance(value, dict) else UNREADABLE


def _is_of_a_row(problem: Exception) -> bool:
    """Whether a single row made a search fail: SQLite can't parse its value, or LangGraph its time."""
    cause = problem if isinstance(problem, sqlite3.Error) else problem.__cause__
    return isinstance(problem, ValueError) or (isinstance(cause, sqlite3.Error) and "malformed JSON" in str(cause))


def _settle(orders: list[_Order]) -> None:
    """Hand the outcomes to the waiting callers; each event loop is woken once."""
    by_loop: dict[Any, list[_Order]] = defaultdict(list)
    for order in orders:
        by_loop[order.loop].append(order)
    for loop, settled in by_loop.items():
        if loop is None:
            for order in settled:
                order.settle()
        else:
            with suppress(RuntimeError):  # the loop was closed: nobody waits any more
                loop.call_soon_threadsafe(lambda settled=settled: [order.settle() for order in settled])

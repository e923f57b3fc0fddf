"""The embedded store: one SQLite file behind LangGraph's `SqliteStore`, for any event loop and any thread.

`AsyncSqliteStore` belongs to the event loop it was opened in, and each of its batches crosses to its thread
five times. Here one thread writes and one reads, a batch crosses once, writes that wait together are committed
together, and reads and writes never share a transaction.
"""

import asyncio
import sqlite3
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

from filelock import FileLock
from langgraph.store.base import BaseStore, Op, PutOp, Result
from langgraph.store.sqlite import SqliteStore

from readgraph.state.errors import LibraryError

_Write = tuple[list[Op], "Future[list[Result]]"]

BUSY_SECONDS = 30.0


def connect(path: Path) -> sqlite3.Connection:
    """A connection in WAL mode: a commit survives a kill of the process, and readers don't wait for writers."""
    try:
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
    except sqlite3.Error as problem:
        raise LibraryError(f"{path} can't be used as a library: {problem}.") from problem
    return connection


class LibraryStore(BaseStore):
    """A durable `BaseStore` in one SQLite file; several processes may use the same file."""

    supports_ttl = False

    def __init__(self, path: Path) -> None:
        self.path, self.locks = path, path.parent / "locks"
        try:
            self.locks.mkdir(exist_ok=True)
        except OSError as problem:
            raise LibraryError(f"{path.parent} can't be used as a library: {problem.strerror}.") from problem
        self._writing, self._reading = connect(path), connect(path)
        self._writes, self._reads = SqliteStore(self._writing), SqliteStore(self._reading)
        with FileLock(self.locks / "setup.lock"):  # two that open a new library would both make its tables
            self._writes.setup()
            self._reads.setup()
        self._reader = ThreadPoolExecutor(1, "readgraph-reads")
        self._waiting: SimpleQueue[_Write | None] = SimpleQueue()
        self._writer = Thread(target=self._write_what_waits, name="readgraph-writes", daemon=True)
        self._writer.start()
        self._closed = False

    def close(self) -> None:
        """Commit what waits and close the file."""
        self._closed = True
        self._waiting.put(None)
        self._writer.join()
        self._reader.shutdown()
        self._writing.close()
        self._reading.close()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations and wait for them; not for use in an event loop."""
        return self._submit(list(ops)).result()

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations; where there are writes, they are committed when this returns."""
        return await asyncio.wrap_future(self._submit(list(ops)))

    def _submit(self, operations: list[Op]) -> "Future[list[Result]]":
        if self._closed:
            raise LibraryError(f"The library {self.path.parent} is closed.")
        if not any(isinstance(operation, PutOp) for operation in operations):
            return self._reader.submit(self._run, self._reads, operations)
        done: Future[list[Result]] = Future()
        self._waiting.put((operations, done))
        return done

    def _write_what_waits(self) -> None:
        open_ = True
        while open_:
            group = [self._waiting.get()]
            while not self._waiting.empty():
                group.append(self._waiting.get())
            open_ = None not in group
            self._write([write for write in group if write is not None])

    def _write(self, group: list[_Write]) -> None:
        # A write whose caller was cancelled is made all the same: it was paid for.
        try:
            results = self._run(self._writes, [operation for operations, _ in group for operation in operations])
        except Exception as problem:
            if len(group) > 1:  # each for itself: the sound ones must not fail with the bad one
                for write in group:
                    self._write([write])
            else:
                _settle(group[0][1], problem=problem)
            return
        at = 0
        for operations, done in group:
            _settle(done, results=results[at : at + len(operations)])
            at += len(operations)

    def _run(self, store: SqliteStore, operations: list[Op]) -> list[Result]:
        try:
            return store.batch(operations)
        except Exception as problem:
            cause = problem if isinstance(problem, sqlite3.Error) else problem.__cause__
            if isinstance(cause, sqlite3.Error):
                raise LibraryError(f"The library {self.path.parent} can't be used: {cause}.") from problem
            raise


def _settle(done: "Future[list[Result]]", results: Any = None, problem: Exception | None = None) -> None:
    if not done.set_running_or_notify_cancel():
        return
    if problem is not None:
        done.set_exception(problem)
    else:
        done.set_result(results)

"""Threads that use one connection each, for any event loop and any thread; what waits is one transaction.

A commit, a switch to the thread and a wake of the event loop cost more than most writes. So what waits is taken
together, and each event loop is woken once.
"""

import asyncio
import os
import sqlite3
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Generic, TypeVar

from langgraph.store.base import Op, Result
from langgraph.store.sqlite import SqliteStore
from pydantic_core import from_json

from readgraph.library.sqlite_files import (
    connect,
    connect_to_read,
    library_closed_error,
    library_damage_error,
    library_of_parent_error,
    library_unusable_error,
)
from readgraph.state.forks import pause_in_forks
from readgraph.state.records import UNREADABLE

_MENDED = (
    "UPDATE store SET value = json_quote(CAST(value AS TEXT)) WHERE NOT json_valid(CAST(value AS TEXT))",
    "UPDATE store SET created_at = CURRENT_TIMESTAMP WHERE datetime(created_at) IS NOT created_at",
    "UPDATE store SET updated_at = CURRENT_TIMESTAMP WHERE datetime(updated_at) IS NOT updated_at",
)
"""Statements that repair odd rows, so that they can be listed: LangGraph parses the times, SQLite the values.
Sound values are blobs, since LangGraph writes bytes: what is no text need not be odd."""


Done = Future[list[Result]] | asyncio.Future[list[Result]]


@dataclass(slots=True)
class Order:
    """Operations that a caller waits for, and their outcome. Writes are made even if the caller was cancelled."""

    operations: list[Op]
    done: Done
    loop: asyncio.AbstractEventLoop | None
    outcome: list[Result] | Exception = field(default_factory=list)

    def settle(self) -> None:
        """Hand the outcome to the caller."""
        if self.done.done():  # its caller was cancelled
            return
        if isinstance(self.outcome, Exception):
            self.done.set_exception(self.outcome)
        else:
            self.done.set_result(self.outcome)


class FileWorker:
    """One connection and the thread that uses it; waiting operations run in one transaction."""

    def __init__(self, path: Path, name: str, *, to_read: bool = False) -> None:
        self._path = path
        self._to_read = to_read
        self._connection = (connect_to_read if to_read else connect)(path)
        self._connection.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")
        self._store = SqliteStore(self._connection, deserializer=parse_stored_value)
        self._store.is_setup = to_read
        try:
            self._set_up()
        except sqlite3.Error as problem:
            raise library_unusable_error(path, problem) from problem
        self._waiting: SimpleQueue[Order | None] = SimpleQueue()
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

    def submit(self, order: Order) -> None:
        """Have an order carried out; raises `LibraryError` where the store is closed, or was opened before a fork."""
        if self._process != os.getpid():
            raise library_of_parent_error(self._path.parent)
        with self._closing:
            if self._closed:
                raise library_closed_error(self._path.parent)
            self._waiting.put(order)

    def let_go(self) -> None:
        """Close the connection in a forked child process."""
        self._connection.close()

    def close(self) -> None:
        """Carry out what waits, and close the connection."""
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
            _settle_orders(orders)

    def _run(self, orders: list[Order]) -> None:
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
                orders[0].outcome = self._as_library_error(second_problem)
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

    def _as_library_error(self, problem: Exception) -> Exception:
        cause = problem if isinstance(problem, sqlite3.Error) else problem.__cause__
        if isinstance(cause, sqlite3.Error):
            return library_unusable_error(self._path, cause)
        if isinstance(problem, ValueError):  # of a stored row
            return library_damage_error(self._path)
        return problem


def parse_stored_value(stored: Any) -> dict[str, Any]:
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


def _settle_orders(orders: list[Order]) -> None:
    """Hand the outcomes to the waiting callers; each event loop is woken once."""
    by_loop: dict[Any, list[Order]] = defaultdict(list)
    for order in orders:
        by_loop[order.loop].append(order)
    for loop, settled in by_loop.items():
        if loop is None:
            for order in settled:
                order.settle()
        else:
            with suppress(RuntimeError):  # the loop was closed: nobody waits any more
                loop.call_soon_threadsafe(lambda settled=settled: [order.settle() for order in settled])


T = TypeVar("T")


@dataclass(slots=True)
class _Operation(Generic[T]):
    """An operation that a task of an event loop, or a thread, waits for, and its outcome.

    It is run even if the task was cancelled.
    """

    operation: Callable[[], T]
    writes: bool
    done: asyncio.Future[T] | Future[T]
    loop: asyncio.AbstractEventLoop | None = None
    result: Any = None
    problem: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = self.operation()
        except BaseException as problem:
            self.problem = problem

    def settle(self) -> None:
        if self.done.done():  # its task was cancelled
            return
        if self.problem is not None:
            self.done.set_exception(self.problem)
        else:
            self.done.set_result(self.result)


class TogetherThread:
    """A thread that runs operations in their order. `together` is a transaction for several of them that write.

    If that fails, they are run one by one, each in a transaction of its own: a bad one must not make others fail.
    """

    def __init__(self, name: str, together: Callable[[], AbstractContextManager[Any]]) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._together = together
        self._waiting, self._called = deque[_Operation[Any]](), False

    async def run(self, operation: Callable[[], T], *, writes: bool = False) -> T:
        """Run an operation; when this returns, what it wrote is committed. One that `writes` may be run twice."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        self._submit(_Operation(operation, writes, done, loop))
        return await done

    def wait(self, operation: Callable[[], T], *, writes: bool = False) -> T:
        """As `run`; this blocks."""
        done = Future[T]()
        self._submit(_Operation(operation, writes, done))
        return done.result()

    def submit(self, operation: Callable[[], Any]) -> None:
        """Have an operation run for which nobody waits."""
        self._submit(_Operation(operation, writes=False, done=Future[Any]()))

    def _submit(self, order: _Operation[Any]) -> None:
        self._waiting.append(order)
        if not self._called:
            self._called = True
            try:
                self._thread.submit(self._work)
            except RuntimeError:  # the thread has ended
                self._called = False
                raise

    def shutdown(self) -> None:
        """Finish what waits, and end the thread."""
        self._thread.shutdown()

    def _work(self) -> None:
        self._called = False  # before anything is taken: what is put from now on calls again
        orders = list[_Operation[Any]]()
        while self._waiting:
            orders.append(self._waiting.popleft())
        for writes, group in groupby(orders, lambda order: order.writes):
            self._run([*group], writes=writes)
        _settle_operations(orders)

    def _run(self, orders: Sequence[_Operation[Any]], *, writes: bool) -> None:
        if writes and len(orders) > 1:
            with suppress(Exception), self._together():
                for order in orders:
                    order.result = order.operation()
                return
        for order in orders:
            order.run()


def _settle_operations(orders: Sequence[_Operation[Any]]) -> None:
    """Hand the outcomes to the waiting tasks."""
    by_loop: dict[Any, list[_Operation[Any]]] = defaultdict(list)
    for order in orders:
        if order.loop is None:
            order.settle()
        else:
            by_loop[order.loop].append(order)
    for loop, settled in by_loop.items():
        with suppress(RuntimeError):  # the loop was closed: nobody waits any more
            loop.call_soon_threadsafe(lambda settled=settled: [order.settle() for order in settled])

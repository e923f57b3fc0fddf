"""A connection to the file of the embedded store, and the thread that uses it."""

import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

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
from readgraph.library.workers import WorkerThread
from readgraph.state.errors import LibraryError
from readgraph.state.forks import pause_in_forks
from readgraph.state.records import UNREADABLE

T = TypeVar("T")

_MENDED = (
    "UPDATE store SET value = json_quote(CAST(value AS TEXT)) WHERE NOT json_valid(CAST(value AS TEXT))",
    "UPDATE store SET created_at = CURRENT_TIMESTAMP WHERE datetime(created_at) IS NOT created_at",
    "UPDATE store SET updated_at = CURRENT_TIMESTAMP WHERE datetime(updated_at) IS NOT updated_at",
)
"""Statements that repair odd rows, so that they can be listed: LangGraph parses the times, SQLite the values.
Sound values are blobs, since LangGraph writes bytes: what is no text need not be odd."""


@dataclass(frozen=True)
class _Batch:
    """Operations of one caller."""

    worker: "FileWorker"
    operations: list[Op]

    def __call__(self) -> list[Result]:
        """Run them, in a transaction of their own."""
        return self.worker.run_alone(self.operations)


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
        self.lock = Lock()
        self._thread = WorkerThread(f"readgraph-{name}", self._run_together)
        pause_in_forks(self)

    def _set_up(self) -> None:
        """Make the tables. LangGraph adds a column and then notes that it did; a kill may come in between."""
        try:
            self._store.setup()
        except sqlite3.OperationalError as problem:
            if "duplicate column name" not in str(problem):
                raise
            self._connection.execute("INSERT INTO store_migrations (v) SELECT max(v) + 1 FROM store_migrations")
            self._store.setup()

    async def run(self, operations: list[Op]) -> list[Result]:
        """Run operations; writes are made even if the caller is cancelled.

        Raises `LibraryError` where the store is closed, or was opened before a fork.
        """
        return await self._start(self._thread.begin, operations)

    def run_now(self, operations: list[Op]) -> list[Result]:
        """As `run`; this blocks."""
        done: Future[list[Result]] = self._start(self._thread.submit, operations)
        return done.result()

    def _start(self, start: Callable[..., T], operations: list[Op]) -> T:
        if self._thread.of_parent:
            raise library_of_parent_error(self._path.parent)
        try:
            return start(_Batch(self, operations), writes=True)
        except RuntimeError:
            raise library_closed_error(self._path.parent) from None

    def let_go(self) -> None:
        """Close the connection in a forked child process."""
        self._connection.close()

    def close(self) -> None:
        """Carry out what waits, and close the connection."""
        if not self._thread.of_parent:
            self._thread.shutdown()
            self._connection.close()

    def _run_together(self, batches: Sequence[_Batch]) -> Sequence[list[Result]]:
        with self.lock:
            results = iter(self._store.batch([operation for batch in batches for operation in batch.operations]))
        return [[next(results) for _ in batch.operations] for batch in batches]

    def run_alone(self, operations: list[Op]) -> list[Result]:
        """Run operations on the thread; odd rows that they meet are repaired."""
        with self.lock:
            try:
                try:
                    return self._store.batch(operations)
                except Exception as problem:
                    if not _is_of_a_row(problem):
                        raise
                    self._mend()
                    return self._store.batch(operations)
            except Exception as problem:
                if error := self._as_library_error(problem):
                    raise error from problem
                raise

    def _mend(self) -> None:
        """Repair odd rows so that they can be listed; their values are not records, before and after.

        A read-only library is repaired in a temporary copy of the table, which hides the table in this connection.
        """
        if self._to_read:
            self._connection.execute("PRAGMA temp_store = MEMORY")
            self._connection.execute("CREATE TEMP TABLE store AS SELECT * FROM main.store")
        for statement in _MENDED:
            self._connection.execute(statement)

    def _as_library_error(self, problem: Exception) -> LibraryError | None:
        cause = problem if isinstance(problem, sqlite3.Error) else problem.__cause__
        if isinstance(cause, sqlite3.Error):
            return library_unusable_error(self._path, cause)
        if isinstance(problem, ValueError):  # of a stored row
            return library_damage_error(self._path)
        return None


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

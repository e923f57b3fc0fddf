"""Where threads are kept: LangGraph's checkpointer over one SQLite file, for any thread and any event loop."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import get_checkpoint_id
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.utils import search_where

from readgraph.library.checkpointer import Rows, SharedCheckpointer, StrictSerializer
from readgraph.library.retention import IN_SQLITE, Retention
from readgraph.library.sqlite_files import (
    BUSY_SECONDS,
    connect_to_read,
    library_closed_error,
    library_damage_error,
    library_of_parent_error,
    library_unusable_error,
    refuse_linked,
    trust_data_only,
)
from readgraph.state.errors import LibraryError
from readgraph.state.forks import pause_in_forks

_SOUND = """(
    SELECT rowid, thread_id, checkpoint_ns, checkpoint_id,
        CASE WHEN json_valid(CAST(metadata AS TEXT)) THEN metadata ELSE '{}' END AS metadata
    FROM checkpoints
)"""
"""The table for queries on metadata: one row whose metadata SQLite can't parse would make the whole query fail."""

_METADATA = "CAST(metadata AS TEXT)"
_OF_QUESTIONS = f"checkpoint_ns = '' AND json_valid({_METADATA}) AND {_METADATA} LIKE '%\"method\"%'"


class LibraryCheckpointer(SharedCheckpointer, SqliteSaver):
    """LangGraph's `SqliteSaver` on a thread of its own.

    LangGraph's `AsyncSqliteSaver` belongs to one event loop and switches threads for each statement. This one switches
    at most once for each call, and once for several that wait, whose writes are one transaction.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        super().__init__(connection, serde=StrictSerializer(partial(library_damage_error, path)))
        self.path = path
        pause_in_forks(self)

    def setup(self) -> None:
        """Create missing tables; every use of the connection begins here."""
        self._check()
        super().setup()

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
        """LangGraph's cursor, which first waits for the lock; that of the transaction, if this thread has begun one."""
        if (begun := getattr(self._begun, "cursor", None)) is not None:
            yield begun
            return
        self._check()
        with super().cursor(transaction) as cursor:
            yield cursor

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Cursor]:
        with self.cursor() as cursor:
            try:
                yield cursor
            except BaseException:
                self.conn.rollback()
                raise

    @contextmanager
    def _retention(self, thread: str) -> Iterator[Retention]:
        with self._transaction() as cursor:
            yield Retention(IN_SQLITE, cursor, thread)

    def _check(self) -> None:
        if self._thread.of_parent:
            raise library_of_parent_error(self.path.parent)
        if self._closed.is_set():
            raise library_closed_error(self.path.parent)

    def _rows(self, config: RunnableConfig | None, filter: dict[str, Any] | None, below: int, limit: int) -> Rows:
        where, values = search_where(config, filter)
        select = f"SELECT rowid, thread_id, checkpoint_ns, checkpoint_id FROM {_SOUND} {where or 'WHERE true'}"
        with self.cursor(transaction=False) as cursor:
            cursor.execute(f"{select} AND rowid < ? ORDER BY rowid DESC LIMIT ?", (*values, below, limit))
            names = ("thread_id", "checkpoint_ns", "checkpoint_id")
            return [(row, {"configurable": dict(zip(names, name, strict=True))}) for row, *name in cursor]

    def threads(self, filter: dict[str, Any]) -> Sequence[str]:
        """The threads that have checkpoints with this metadata, even checkpoints that can't be read."""
        where, values = search_where(None, filter)
        with self.cursor(transaction=False) as cursor:
            return [thread for (thread,) in cursor.execute(f"SELECT DISTINCT thread_id FROM {_SOUND} {where}", values)]

    def question_threads(self, document: str, offset: int, limit: int) -> tuple[Sequence[str], int]:
        """The threads in which a method ran, the last written first, and how many there are; "": of any document."""
        where, values = _OF_QUESTIONS, list[object]()
        if document:
            where += f" AND json_extract({_METADATA}, '$.document') = ?"
            values.append(document)
        with self.cursor(transaction=False) as cursor:
            counting = f"SELECT count(DISTINCT thread_id) FROM checkpoints WHERE {where}"
            (total,) = cursor.execute(counting, values).fetchone()
            found = cursor.execute(
                f"SELECT thread_id, max(rowid) AS last FROM checkpoints WHERE {where} "
                "GROUP BY thread_id ORDER BY last DESC LIMIT ? OFFSET ?",
                (*values, limit, offset),
            ).fetchall()
        return [thread for thread, _ in found], total

    def drop_undone(self, thread: str, last: str) -> None:
        """Delete the checkpoints of a thread but this one and its ancestors, and give their space back to the disk."""
        super().drop_undone(thread, last)
        with self.lock:
            self.conn.execute("VACUUM")

    def _damage_error(self) -> LibraryError:
        return library_damage_error(self.path)

    def _row_of(self, named: RunnableConfig, config: RunnableConfig | None) -> int:
        thread = (config or named)["configurable"].get("thread_id")
        select = "SELECT max(rowid) FROM checkpoints WHERE checkpoint_id = ? AND thread_id = coalesce(?, thread_id)"
        with self.cursor(transaction=False) as cursor:
            (row,) = cursor.execute(select, (get_checkpoint_id(named), thread)).fetchone()
        return row or 0

    def let_go(self) -> None:
        """Close the connection in a forked child process."""
        self.conn.close()


@asynccontextmanager
async def open_checkpointer(path: Path, *, to_read: bool = False) -> AsyncIterator[LibraryCheckpointer]:
    """The checkpointer over a file; raises `LibraryError`, also inside the `with`, if the file can't be used."""
    try:
        there = to_read and path.exists()
        connecting = partial(connect_to_read, path) if there else partial(_connect, ":memory:" if to_read else path)
        checkpointer = LibraryCheckpointer(await asyncio.to_thread(connecting), path)
        checkpointer.is_setup = there
        try:
            await checkpointer.run(checkpointer.setup)
            yield checkpointer
        finally:
            await checkpointer.close()
    except sqlite3.Error as problem:
        raise library_unusable_error(path, problem) from problem


def _connect(path: Path | str) -> sqlite3.Connection:
    if isinstance(path, Path):
        refuse_linked(path)
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
    trust_data_only(connection)
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection

"""Where threads are kept: LangGraph's checkpointer over one SQLite file, for any thread and any event loop."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.utils import search_where

from readgraph.library import sqlite_files
from readgraph.library.checkpointer import SharedCheckpointer
from readgraph.library.serializer import StrictSerializer
from readgraph.state.errors import LibraryError
from readgraph.state.loops import pause_in_forks

_SOUND = """(
    SELECT rowid, thread_id, checkpoint_ns, checkpoint_id,
        CASE WHEN json_valid(CAST(metadata AS TEXT)) THEN metadata ELSE '{}' END AS metadata
    FROM checkpoints
)"""
"""The table for queries on metadata: one row whose metadata SQLite can't parse would make the whole query fail."""


class LibraryCheckpointer(SharedCheckpointer, SqliteSaver):
    """LangGraph's `SqliteSaver` on a thread of its own, to which each call switches once, if at all.

    `AsyncSqliteSaver` belongs to one event loop, and switches for each statement.
    """

    row, writes_table, parameter = "rowid", "writes", r":\1"
    of_input = """CAST(metadata AS TEXT) LIKE '%"source": "input"%'"""
    of_method = """CAST(metadata AS TEXT) LIKE '%"method"%'"""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.what, self.path = f"The library {path.parent}", path
        super().__init__(connection, serde=StrictSerializer(partial(sqlite_files.library_damage_error, path)))
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

    def _select_from(self, config: RunnableConfig | None, filter: dict[str, Any] | None) -> tuple[str, Sequence[Any]]:
        where, values = search_where(config, filter)
        return f"FROM {_SOUND} {where or 'WHERE true'}", values

    def _fetch(self, select: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        with self.cursor(transaction=False) as cursor:
            return cursor.execute(select.replace("%s", "?"), values).fetchall()

    def drop_undone(self, thread: str, last: str) -> None:
        """Delete the checkpoints of a thread but this one and its ancestors, and give their space back to the disk."""
        super().drop_undone(thread, last)
        with self.lock:
            self.conn.execute("VACUUM")

    def _damage_error(self) -> LibraryError:
        return sqlite_files.library_damage_error(self.path)

    def let_go(self) -> None:
        """Close the connection in a forked child process."""
        self.conn.close()


@asynccontextmanager
async def open_checkpointer(path: Path, *, to_read: bool = False) -> AsyncIterator[LibraryCheckpointer]:
    """The checkpointer over a file; raises `LibraryError`, also inside the `with`, if the file can't be used."""
    try:
        checkpointer = await asyncio.to_thread(_open, path, to_read)
        try:
            yield checkpointer
        finally:
            await checkpointer.close()
    except sqlite3.Error as problem:
        raise sqlite_files.library_unusable_error(path, problem) from problem


def _open(path: Path, to_read: bool) -> LibraryCheckpointer:
    """The checkpointer over a file, which is made if it is missing; to read, an empty one where there is none yet."""
    if to_read and path.exists():
        checkpointer = LibraryCheckpointer(sqlite_files.connect_to_read(path), path)
        checkpointer.is_setup = True
        return checkpointer
    sqlite_files.refuse_linked(path)
    # Of two that change a new file to WAL mode at once, SQLite refuses one without waiting.
    with nullcontext() if to_read else sqlite_files.lock_setup(path.parent):
        place = ":memory:" if to_read else path
        connection = sqlite3.connect(place, timeout=sqlite_files.BUSY_SECONDS, check_same_thread=False)
        try:
            sqlite_files.trust_data_only(connection)
            connection.execute("PRAGMA synchronous=NORMAL")
            checkpointer = LibraryCheckpointer(connection, path)
            checkpointer.setup()
            return checkpointer
        except BaseException:
            connection.close()
            raise

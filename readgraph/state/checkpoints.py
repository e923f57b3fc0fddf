"""Where threads are kept: LangGraph's checkpointer over one SQLite file, for any thread and any event loop."""

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    get_checkpoint_id,
)
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.utils import search_where

from readgraph.state.forks import rest_in_forks
from readgraph.state.library_store import (
    BUSY_SECONDS,
    closed,
    connect_to_read,
    damaged,
    of_parent,
    trust_data_only,
    unusable,
)

AT_ONCE = 100
"""Checkpoints that are looked up at once where many are listed."""

_LAST_ROW = 2**63 - 1

_SOUND = """(
    SELECT rowid, thread_id, checkpoint_ns, checkpoint_id,
        CASE WHEN json_valid(CAST(metadata AS TEXT)) THEN metadata ELSE '{}' END AS metadata
    FROM checkpoints
)"""
"""SQLite looks into the metadata, and one row where it can't would hide the others."""

WRITTEN_AS = ("null", "bytes", "bytearray", "msgpack")
"""How a value is written in a row; the serialiser would read others too, which hold more than data."""

_T = TypeVar("_T")


class LibraryCheckpointer(SqliteSaver):
    """LangGraph's own, whose asynchronous calls run on a thread of its own, each with one crossing.

    LangGraph's asynchronous one belongs to one event loop and crosses for each statement; this one serves synchronous
    and asynchronous runs at once, from any of them. Raises `LibraryError` once the library is closed.

    The newest checkpoint is the one that was written last, by its row. LangGraph's takes the greatest id, and ids begin
    with the time: after a clock was set back, the newest turns would not be found.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        super().__init__(connection, serde=_Serializer(path))
        self._path, self._closed = path, Event()  # LangGraph may copy a checkpointer: the copy is closed with it
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="readgraph-checkpoints")
        self._process = os.getpid()
        rest_in_forks(self)

    def setup(self) -> None:
        """Make the tables where they are missing; every use of the connection begins here."""
        self._check()
        super().setup()

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
        """LangGraph's, which waits for the lock first."""
        self._check()
        with super().cursor(transaction) as cursor:
            yield cursor

    def _check(self) -> None:
        if self._process != os.getpid():
            raise of_parent(self._path.parent)
        if self._closed.is_set():
            raise closed(self._path.parent)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint that is named, else the newest of the thread."""
        if get_checkpoint_id(config):
            return self._read(config)
        asked = config["configurable"]
        thread = {"thread_id": str(asked["thread_id"]), "checkpoint_ns": asked.get("checkpoint_ns", "")}
        newest = self._rows({"configurable": thread}, limit=1)
        return self._read(newest[0][1]) if newest else None

    def _read(self, named: RunnableConfig) -> CheckpointTuple | None:
        try:
            saved = super().get_tuple(named)
            return _sound(saved) if saved else None
        except (ValueError, TypeError, KeyError) as problem:
            raise damaged(self._path) from problem

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """The checkpoints, the newest first; none where `before` names one that is not kept.

        They are read one by one: LangGraph's holds its lock until the last one is taken, so nothing could be written
        meanwhile.
        """
        below = self._row_of(before, config) if before else _LAST_ROW
        while rows := self._rows(config, filter, below, AT_ONCE if limit is None else min(limit, AT_ONCE)):
            for _, named in rows:
                if (kept := self._read(named)) is not None:  # it may have been deleted meanwhile
                    yield kept
            below, limit = rows[-1][0], None if limit is None else limit - len(rows)

    def _rows(
        self,
        config: RunnableConfig | None,
        filter: dict[str, Any] | None = None,
        below: int = _LAST_ROW,
        limit: int = AT_ONCE,
    ) -> Sequence[tuple[int, RunnableConfig]]:
        """The rows and names of the newest checkpoints, the last written first."""
        where, values = search_where(config, filter)
        found = f"SELECT rowid, thread_id, checkpoint_ns, checkpoint_id FROM {_SOUND} {where or 'WHERE true'}"
        with self.cursor(transaction=False) as cursor:
            cursor.execute(f"{found} AND rowid < ? ORDER BY rowid DESC LIMIT ?", (*values, below, limit))
            names = ("thread_id", "checkpoint_ns", "checkpoint_id")
            return [(row, {"configurable": dict(zip(names, name, strict=True))}) for row, *name in cursor]

    def threads(self, filter: dict[str, Any]) -> Sequence[str]:
        """The threads with checkpoints of such metadata, also where these can't be read."""
        where, values = search_where(None, filter)
        with self.cursor(transaction=False) as cursor:
            return [thread for (thread,) in cursor.execute(f"SELECT DISTINCT thread_id FROM {_SOUND} {where}", values)]

    def _row_of(self, named: RunnableConfig, config: RunnableConfig | None) -> int:
        """The row of a checkpoint, which may be one of another graph of the thread; 0 where it is not kept."""
        thread = (config or named)["configurable"].get("thread_id")
        found = "SELECT max(rowid) FROM checkpoints WHERE checkpoint_id = ? AND thread_id = coalesce(?, thread_id)"
        with self.cursor(transaction=False) as cursor:
            (row,) = cursor.execute(found, (get_checkpoint_id(named), thread)).fetchone()
        return row or 0

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """As `get_tuple`."""
        return await self.run(partial(self.get_tuple, config))

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """As `list`."""
        kept = self.list(config, filter=filter, before=before, limit=limit)
        while (one := await self.run(partial(next, kept, None))) is not None:
            yield one

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint; when this returns, it is committed."""
        return await self.run(partial(self.put, config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep what a step wrote; when this returns, it is committed."""
        await self.run(partial(self.put_writes, config, writes, task_id, task_path))

    async def adelete_thread(self, thread_id: str) -> None:
        """As `delete_thread`."""
        await self.run(partial(self.delete_thread, thread_id))

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """As `get_delta_channel_history`."""
        return await self.run(partial(self.get_delta_channel_history, config=config, channels=channels))

    async def close(self) -> None:
        """Commit what waits and close the connection."""
        if self._process == os.getpid():
            await self.run(self._close)
            self._thread.shutdown()

    def let_go(self) -> None:
        """Close the connection in a process that was forked."""
        self.conn.close()

    def _close(self) -> None:
        with self.lock:
            self._closed.set()
            self.conn.close()

    async def run(self, operation: Callable[[], _T]) -> _T:
        """Run what uses the connection on the checkpointer's thread."""
        self._check()
        return await asyncio.get_running_loop().run_in_executor(self._thread, operation)


@asynccontextmanager
async def open_checkpointer(path: Path, *, to_read: bool = False) -> AsyncIterator[LibraryCheckpointer]:
    """The checkpointer over a file; raises `LibraryError`, also within, where the file can't be used."""
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
        raise unusable(path, problem) from problem


def _connect(path: Path | str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
    trust_data_only(connection)
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


def _sound(saved: CheckpointTuple) -> CheckpointTuple:
    """The checkpoint, where it has the form that LangGraph relies on; raises `ValueError` where it has not."""
    kept = saved.checkpoint
    versions, seen = kept["channel_versions"], kept["versions_seen"]
    sound = all(isinstance(part, dict) for part in (saved.metadata, kept["channel_values"], versions, seen))
    sound = sound and all(isinstance(part, dict) for part in seen.values())
    compared = [*versions.values(), *(version for part in seen.values() for version in part.values())] if sound else []
    if not sound or len({*map(type, compared)}) > 1 or kept["id"] != saved.config["configurable"]["checkpoint_id"]:
        raise ValueError("This is no checkpoint.")
    return saved


class _Serializer(JsonPlusSerializer):
    """LangGraph's own, of which a row of the library runs nothing; one that it can't read is a damaged library.

    Of objects there are the plain ones that LangGraph itself lists, and its own, such as an interrupt. JSON with
    constructors and pickles were never written here.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(pickle_fallback=False, allowed_json_modules=None, allowed_msgpack_modules=None)
        self._path = path

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        if data[0] not in WRITTEN_AS:
            raise damaged(self._path)
        try:
            return super().loads_typed(data)
        except (ValueError, TypeError) as problem:
            raise damaged(self._path) from problem

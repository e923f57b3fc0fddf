"""Where threads are kept: LangGraph's checkpointer over one SQLite file, for any thread and any event loop."""

import asyncio
import os
import sqlite3
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from threading import Event, local
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

from readgraph.state.forks import pause_in_forks
from readgraph.state.library_store import (
    BUSY_SECONDS,
    closed,
    connect_to_read,
    damaged,
    of_parent,
    trust_data_only,
    unusable,
)
from readgraph.state.retention import KEPT_QUESTIONS, drop_steps_of_old_questions
from readgraph.state.written_together import TogetherThread

AT_ONCE = 100
"""How many checkpoints are fetched at a time when many are listed."""

QUESTION = "question_text"
"""The channel that the state of every graph that answers questions has."""

_LAST_ROW = 2**63 - 1

_SOUND = """(
    SELECT rowid, thread_id, checkpoint_ns, checkpoint_id,
        CASE WHEN json_valid(CAST(metadata AS TEXT)) THEN metadata ELSE '{}' END AS metadata
    FROM checkpoints
)"""
"""The table for queries on metadata: one row whose metadata SQLite can't parse would make the whole query fail."""

WRITTEN_AS = ("null", "bytes", "bytearray", "msgpack")
"""The encodings that we write. LangGraph's serialiser can read others, which may run code."""

COMPRESSED = "zlib+"
"""What an encoding begins with where its bytes are compressed."""

FEWEST_BYTES = 200
"""Shorter values are not compressed."""

WINDOW, MEMORY = 13, 6
"""zlib's window of 8 kB, and its memory level: its usual 256 kB take longer to set up than a checkpoint to compress."""

MOST_BYTES = 1 << 30
"""A longer value counts as damaged: a few compressed bytes of a stranger's file could otherwise fill the memory."""

_T = TypeVar("_T")


class LibraryCheckpointer(SqliteSaver):
    """LangGraph's `SqliteSaver`, with asynchronous calls that run on a thread of its own.

    LangGraph's `AsyncSqliteSaver` belongs to one event loop and switches threads for each statement. This one switches
    at most once for each call, and once for several that wait, whose writes are one transaction. It serves synchronous
    and asynchronous runs of any event loop at the same time. Raises `LibraryError` after the library is closed.

    The newest checkpoint is the row that was written last. LangGraph takes the greatest id, and ids begin with the
    time, so it would miss the newest turns after the clock was set back.

    Of a thread's earlier questions it keeps the last checkpoint (see `readgraph.state.retention`); `kept_questions`
    says of how many of the newest it keeps all. Threads of other graphs, and of agents, keep theirs.
    """

    kept_questions = KEPT_QUESTIONS

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        super().__init__(connection, serde=_Serializer(path))
        self.path, self._closed = (
            path,
            Event(),
        )  # an `Event`, since LangGraph may copy a checkpointer, and the copy must close too
        self._shared = local()
        self._thread = TogetherThread("readgraph-checkpoints", self._one_transaction)
        self._process = os.getpid()
        pause_in_forks(self)

    def setup(self) -> None:
        """Create missing tables; every use of the connection begins here."""
        self._check()
        super().setup()

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
        """LangGraph's cursor, which first waits for the lock; that of the transaction, if this thread has begun one."""
        if (begun := getattr(self._shared, "cursor", None)) is not None:
            yield begun
            return
        self._check()
        with super().cursor(transaction) as cursor:
            yield cursor

    @contextmanager
    def _one_transaction(self) -> Iterator[None]:
        """Inside the `with`, this thread's operations are one transaction, of which nothing is kept if one fails."""
        with self.lock:
            self.setup()
            self._shared.cursor = self.conn.cursor()
            try:
                yield
                self.conn.commit()
            except BaseException:
                self.conn.rollback()
                raise
            finally:
                self._shared.cursor.close()
                self._shared.cursor = None

    def _check(self) -> None:
        if self._process != os.getpid():
            raise of_parent(self.path.parent)
        if self._closed.is_set():
            raise closed(self.path.parent)

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint; where it begins a question, drop the steps of one that is old by now."""
        stored = super().put(config, checkpoint, metadata, new_versions)
        of_question = QUESTION in checkpoint["channel_values"] and not config["configurable"].get("checkpoint_ns")
        if metadata.get("source") == "input" and of_question:
            with self.cursor() as cursor:
                drop_steps_of_old_questions(cursor, str(config["configurable"]["thread_id"]), self.kept_questions)
        return stored

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint that `config` names, or the newest one of its thread."""
        if get_checkpoint_id(config):
            return self._read(config)
        named = config["configurable"]
        thread = {"thread_id": str(named["thread_id"]), "checkpoint_ns": named.get("checkpoint_ns", "")}
        newest = self._rows({"configurable": thread}, limit=1)
        return self._read(newest[0][1]) if newest else None

    def _read(self, named: RunnableConfig) -> CheckpointTuple | None:
        try:
            saved = super().get_tuple(named)
            return _sound(saved) if saved else None
        except (ValueError, TypeError, KeyError) as problem:
            raise damaged(self.path) from problem

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """The checkpoints, the newest first; none if the checkpoint that `before` names does not exist.

        They are read one by one. LangGraph's own method holds its lock until the last one was read, so nothing could
        be written meanwhile.
        """
        below = self._row_of(before, config) if before else _LAST_ROW
        while rows := self._rows(config, filter, below, AT_ONCE if limit is None else min(limit, AT_ONCE)):
            for _, named in rows:
                if (checkpoint := self._read(named)) is not None:  # it may have been deleted meanwhile
                    yield checkpoint
            below, limit = rows[-1][0], None if limit is None else limit - len(rows)

    def _rows(
        self,
        config: RunnableConfig | None,
        filter: dict[str, Any] | None = None,
        below: int = _LAST_ROW,
        limit: int = AT_ONCE,
    ) -> Sequence[tuple[int, RunnableConfig]]:
        """The row numbers and configurations of the newest checkpoints, the last written first."""
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

    def _row_of(self, named: RunnableConfig, config: RunnableConfig | None) -> int:
        """The row number of a checkpoint, in any graph of the thread; 0 if it does not exist."""
        thread = (config or named)["configurable"].get("thread_id")
        select = "SELECT max(rowid) FROM checkpoints WHERE checkpoint_id = ? AND thread_id = coalesce(?, thread_id)"
        with self.cursor(transaction=False) as cursor:
            (row,) = cursor.execute(select, (get_checkpoint_id(named), thread)).fetchone()
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
        checkpoints = self.list(config, filter=filter, before=before, limit=limit)
        while (checkpoint := await self.run(partial(next, checkpoints, None))) is not None:
            yield checkpoint

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint; when this returns, it is committed."""
        return await self.run(partial(self.put, config, checkpoint, metadata, new_versions), writes=True)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store what a step wrote; when this returns, it is committed."""
        await self.run(partial(self.put_writes, config, writes, task_id, task_path), writes=True)

    async def adelete_thread(self, thread_id: str) -> None:
        """As `delete_thread`."""
        await self.run(partial(self.delete_thread, thread_id))

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """As `get_delta_channel_history`."""
        return await self.run(partial(self.get_delta_channel_history, config=config, channels=channels))

    async def close(self) -> None:
        """Finish pending writes and close the connection."""
        if self._process == os.getpid():
            await self.run(self._close)
            self._thread.shutdown()

    def let_go(self) -> None:
        """Close the connection in a forked child process."""
        self.conn.close()

    def _close(self) -> None:
        with self.lock:
            self._closed.set()
            self.conn.close()

    async def run(self, operation: Callable[[], _T], *, writes: bool = False) -> _T:
        """Run an operation that uses the connection on the checkpointer's thread.

        One that only `writes`, and may be run twice, shares a transaction with those that wait beside it.
        """
        self._check()
        return await self._thread.run(operation, writes=writes)


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
        raise unusable(path, problem) from problem


def _connect(path: Path | str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
    trust_data_only(connection)
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


def _sound(saved: CheckpointTuple) -> CheckpointTuple:
    """The checkpoint; raises `ValueError` if it does not have the form that LangGraph relies on."""
    checkpoint = saved.checkpoint
    versions, seen = checkpoint["channel_versions"], checkpoint["versions_seen"]
    sound = all(isinstance(part, dict) for part in (saved.metadata, checkpoint["channel_values"], versions, seen))
    sound = sound and all(isinstance(part, dict) for part in seen.values())
    compared = [*versions.values(), *(version for part in seen.values() for version in part.values())] if sound else []
    named = saved.config["configurable"]["checkpoint_id"]
    if not sound or len({*map(type, compared)}) > 1 or checkpoint["id"] != named:
        raise ValueError("This is not a checkpoint.")
    return saved


class _Serializer(JsonPlusSerializer):
    """LangGraph's serialiser, limited so that no row of the library can run code; an unreadable row means damage.

    The only objects that it reads are the plain ones that LangGraph allows and LangGraph's own, such as interrupts.
    JSON with constructors and pickles were never written here.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(pickle_fallback=False, allowed_json_modules=None, allowed_msgpack_modules=None)
        self._path = path

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        written_as, data = super().dumps_typed(obj)
        if len(data) < FEWEST_BYTES:
            return written_as, data
        packing = zlib.compressobj(1, zlib.DEFLATED, WINDOW, MEMORY)
        return COMPRESSED + written_as, packing.compress(data) + packing.flush()

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        written_as, value = data
        try:
            if written_as.startswith(COMPRESSED):
                written_as, value = written_as.removeprefix(COMPRESSED), _unpacked(value)
            if written_as not in WRITTEN_AS:
                raise damaged(self._path)
            return super().loads_typed((written_as, value))
        except (ValueError, TypeError, zlib.error) as problem:
            raise damaged(self._path) from problem


def _unpacked(packed: bytes) -> bytes:
    unpacking = zlib.decompressobj()
    data = unpacking.decompress(packed, MOST_BYTES)
    if not unpacking.eof:
        raise ValueError("The compressed value is torn or too long.")
    return data

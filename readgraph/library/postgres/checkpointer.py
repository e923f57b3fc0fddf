"""Where threads are kept on a server: LangGraph's checkpointer, for any thread and any event loop.

Threads of different namespaces may have the same id, so those of a namespace are stored under longer ones. Which
checkpoints of a thread go is as in `readgraph.library.checkpointer`, in PostgreSQL's words: values of channels are
rows of their own, which several checkpoints share, and those that none is left of go too.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from itertools import pairwise
from threading import Event, local
from typing import Any, TypeVar

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    get_checkpoint_id,
)
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.serde.base import SerializerProtocol
from psycopg import Cursor
from psycopg.rows import DictRow, dict_row

from readgraph.library.address import LibraryAddress
from readgraph.library.checkpointer import AT_ONCE, LAST_ROW, SharedCheckpointer, StrictSerializer
from readgraph.library.postgres.connections import (
    Connection,
    connect,
    escape_text,
    is_lost,
    read_text,
    server_unusable_error,
)
from readgraph.library.postgres.session import ServerSession
from readgraph.library.workers import WorkerThread, run_within
from readgraph.state.errors import BadInput, LibraryError

OF_NAMESPACE = "readgraph-namespace:"
"""What the stored ids of the threads of all namespaces begin with; the namespace's key and a colon follow."""


class PartSaver(PostgresSaver):
    """LangGraph's `PostgresSaver`, which notes in what order checkpoints were written; `part` is a namespace's key."""

    UPSERT_CHECKPOINTS_SQL = PostgresSaver.UPSERT_CHECKPOINTS_SQL.replace(
        "metadata = EXCLUDED.metadata", "metadata = EXCLUDED.metadata, written = nextval('readgraph_written')"
    )

    def __init__(self, connection: Connection, serde: SerializerProtocol, part: str) -> None:
        super().__init__(connection, serde=serde)
        self._begin = f"{OF_NAMESPACE}{part}:" if part else ""

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint."""
        return self.outside(super().put(self.inside(config), checkpoint, metadata, new_versions))

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store what a step wrote."""
        super().put_writes(self.inside(config), writes, task_id, task_path)

    def delete_thread(self, thread_id: str) -> None:
        """Delete all of a thread."""
        super().delete_thread(self.to_stored_thread(thread_id))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """As LangGraph's."""
        super().prune([self.to_stored_thread(thread) for thread in thread_ids], strategy=strategy)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint that `config` names."""
        found = super().get_tuple(self.inside(config))
        if found is None:
            return None
        parent = self.outside(found.parent_config) if found.parent_config else None
        return found._replace(config=self.outside(found.config), parent_config=parent)

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """As LangGraph's for any checkpointer."""
        return BaseCheckpointSaver.get_delta_channel_history(self, config=config, channels=channels)

    def condition(self, config: RunnableConfig | None, filter: dict[str, Any] | None) -> tuple[str, list[Any]]:
        """The condition for rows of this namespace; without one, of no namespace."""
        where, values = self._search_where(config, filter)
        of_part = "starts_with(thread_id, %s)" if self._begin else "NOT starts_with(thread_id, %s)"
        return (f"{where} AND" if where else "WHERE") + f" {of_part}", [*values, self._begin or OF_NAMESPACE]

    def to_stored_thread(self, thread: str) -> str:
        """The stored id of a thread."""
        return self._begin + escape_text(str(thread))

    def inside(self, config: RunnableConfig) -> RunnableConfig:
        """A configuration with the stored id of its thread."""
        named = config["configurable"]
        if "thread_id" not in named:
            return config
        thread = str(named["thread_id"])
        if not self._begin and thread.startswith(OF_NAMESPACE):
            raise BadInput(f"A thread's id can't begin with '{OF_NAMESPACE}': name the thread otherwise.")
        return {**config, "configurable": {**named, "thread_id": self.to_stored_thread(thread)}}

    def outside(self, config: RunnableConfig) -> RunnableConfig:
        """A configuration with the id of its thread as it was given."""
        named = config["configurable"]
        return {**config, "configurable": {**named, "thread_id": self.to_given_thread(named["thread_id"])}}

    def to_given_thread(self, stored: str) -> str:
        """The id of a thread by its stored one."""
        return read_text(stored.removeprefix(self._begin))


_BEGINNINGS = """
    SELECT written FROM checkpoints
    WHERE thread_id = %s AND checkpoint_ns = '' AND metadata ->> 'source' = 'input' ORDER BY written DESC OFFSET %s
"""
_INNER = """
    DELETE FROM checkpoints WHERE thread_id = %(thread)s AND written >= %(begin)s AND written < %(end)s AND written <> (
        SELECT max(written) FROM checkpoints
        WHERE thread_id = %(thread)s AND written >= %(begin)s AND written < %(end)s AND checkpoint_ns = ''
    )
    RETURNING checkpoint_ns, checkpoint_id
"""
_OLDEST_KEPT = """
    SELECT written FROM checkpoints WHERE thread_id = %s AND metadata ->> 'source' = 'input'
    ORDER BY written DESC LIMIT 1 OFFSET %s
"""
_OLDER = "DELETE FROM checkpoints WHERE thread_id = %s AND written < %s RETURNING checkpoint_ns, checkpoint_id"
_OTHER_LINES = """
    WITH RECURSIVE line(id) AS (
        SELECT %(last)s::text UNION
        SELECT parent_checkpoint_id FROM line JOIN checkpoints ON thread_id = %(thread)s AND checkpoint_id = id
        WHERE parent_checkpoint_id IS NOT NULL
    )
    DELETE FROM checkpoints WHERE thread_id = %(thread)s AND checkpoint_id NOT IN (SELECT id FROM line)
    RETURNING checkpoint_ns, checkpoint_id
"""
_UNUSED_VALUES = """
    DELETE FROM checkpoint_blobs WHERE thread_id = %(thread)s AND (checkpoint_ns, channel, version) NOT IN (
        SELECT checkpoint_ns, key, value FROM checkpoints, jsonb_each_text(checkpoint -> 'channel_versions')
        WHERE thread_id = %(thread)s AND value IS NOT NULL
    )
"""


def drop_steps_of_old_questions(cursor: Cursor[DictRow], thread: str, kept: int) -> int:
    """Delete the checkpoints between the beginning and the end of all questions but the newest `kept` (at least 1)."""
    beginnings = [row["written"] for row in cursor.execute(_BEGINNINGS, (thread, kept - 1)).fetchall()]
    dropped = list[DictRow]()
    for end, begin in pairwise(beginnings):
        dropped += cursor.execute(_INNER, {"thread": thread, "begin": begin, "end": end}).fetchall()
    _drop_what_belongs(cursor, thread, dropped)
    return len(dropped)


def drop_older_turns(cursor: Cursor[DictRow], thread: str, kept: int) -> None:
    """Delete the checkpoints before the newest `kept` turns of an agent's thread."""
    if row := cursor.execute(_OLDEST_KEPT, (thread, kept)).fetchone():
        _drop_what_belongs(cursor, thread, cursor.execute(_OLDER, (thread, row["written"])).fetchall())


def drop_other_lines(cursor: Cursor[DictRow], thread: str, last: str) -> None:
    """Delete the checkpoints of a thread but this one and its ancestors."""
    dropped = cursor.execute(_OTHER_LINES, {"thread": thread, "last": last}).fetchall()
    _drop_what_belongs(cursor, thread, dropped)


def _drop_what_belongs(cursor: Cursor[DictRow], thread: str, dropped: Sequence[DictRow]) -> None:
    """Delete what the steps of deleted checkpoints wrote, and the values that no checkpoint has any more."""
    if dropped:
        steps = [(thread, row["checkpoint_ns"], row["checkpoint_id"]) for row in dropped]
        cursor.executemany(
            "DELETE FROM checkpoint_writes WHERE thread_id = %s AND checkpoint_ns = %s AND checkpoint_id = %s", steps
        )
        cursor.execute(_UNUSED_VALUES, {"thread": thread})


IDLE_SECONDS = 60.0
"""After so long without use the connection is tried first: the server, or what is between, may have closed it."""

_T = TypeVar("_T")


class ServerCheckpointer(SharedCheckpointer, PartSaver):
    """LangGraph's `PostgresSaver` on a thread of its own; writes that wait are one transaction.

    `part` is the key of a namespace, or "". Nothing is written once the session has lost its locks.
    """

    def __init__(self, address: LibraryAddress, session: ServerSession, part: str) -> None:
        self.address, self._session = address, session
        super().__init__(connect(address), StrictSerializer(self._damage_error), part)
        self._closed = Event()  # LangGraph may copy a checkpointer, and the copy must close too
        self._shared, self._used = local(), time.monotonic()
        self._thread = WorkerThread("readgraph-checkpoints", run_within(self._one_transaction))
        self._process = os.getpid()

    def _check(self) -> None:
        if self._closed.is_set():
            raise LibraryError(f"The library {self.address} is closed.")
        self._session.check()

    @contextmanager
    def _cursor(self, *, pipeline: bool = False) -> Iterator[Cursor[DictRow]]:
        """A cursor; that of the transaction, if this thread has begun one. LangGraph writes in a `pipeline`."""
        if (begun := getattr(self._shared, "cursor", None)) is not None:
            yield begun
            return
        self._check()
        with self.lock:
            connection = self._ready_connection()
            try:
                around = connection.transaction() if pipeline else nullcontext()
                with around, connection.cursor(binary=True, row_factory=dict_row) as cursor:
                    yield cursor
            except psycopg.Error as problem:
                raise server_unusable_error(self.address, problem) from problem

    @contextmanager
    def _one_transaction(self) -> Iterator[None]:
        """Inside the `with`, this thread's operations are one transaction, of which nothing is kept if one fails."""
        with self._cursor(pipeline=True) as cursor:
            self._shared.cursor = cursor
            try:
                yield
            finally:
                self._shared.cursor = None

    def _ready_connection(self) -> Connection:
        connection, idle = self.conn, time.monotonic() - self._used
        assert isinstance(connection, psycopg.Connection)
        if idle > IDLE_SECONDS and not is_lost(connection):
            try:
                connection.execute("SELECT 1")
            except psycopg.Error:
                connection.close()
        if is_lost(connection):
            self.conn = connection = connect(self.address)
        self._used = time.monotonic()
        return connection

    def _rows(
        self,
        config: RunnableConfig | None,
        filter: dict[str, Any] | None = None,
        below: int = LAST_ROW,
        limit: int = AT_ONCE,
    ) -> Sequence[tuple[int, RunnableConfig]]:
        """The numbers and configurations of the newest checkpoints, the last written first."""
        where, values = self.condition(self.inside(config) if config else None, filter)
        select = f"SELECT written, thread_id, checkpoint_ns, checkpoint_id FROM checkpoints {where} AND written < %s"
        with self._cursor() as cursor:
            cursor.execute(f"{select} ORDER BY written DESC LIMIT %s", (*values, below, limit))
            rows = cursor.fetchall()
        names = ("thread_id", "checkpoint_ns", "checkpoint_id")
        return [(row["written"], self.outside({"configurable": {name: row[name] for name in names}})) for row in rows]

    def _row_of(self, named: RunnableConfig, config: RunnableConfig | None) -> int:
        thread = (config or named)["configurable"].get("thread_id")
        where, values = self.condition(None, None)
        select = f"SELECT max(written) AS written FROM checkpoints {where} AND checkpoint_id = %s"
        given = [*values, get_checkpoint_id(named)]
        if thread is not None:
            select, given = f"{select} AND thread_id = %s", [*given, self.to_stored_thread(thread)]
        with self._cursor() as cursor:
            row = cursor.execute(select, given).fetchone()
        return int(row["written"] or 0) if row else 0

    def threads(self, filter: dict[str, Any]) -> Sequence[str]:
        """The threads that have checkpoints with this metadata, even checkpoints that can't be read."""
        where, values = self.condition(None, filter)
        with self._cursor() as cursor:
            found = cursor.execute(f"SELECT DISTINCT thread_id FROM checkpoints {where}", values)
            return [self.to_given_thread(row["thread_id"]) for row in found]

    def question_threads(self, document: str, offset: int, limit: int) -> tuple[Sequence[str], int]:
        """The threads in which a method ran, the last written first, and how many there are; "": of any document."""
        where, values = self.condition(None, {"document": document} if document else None)
        where += " AND checkpoint_ns = '' AND jsonb_exists(metadata, 'method')"
        newest = f"SELECT thread_id, max(written) AS last FROM checkpoints {where} GROUP BY thread_id"
        with self._cursor() as cursor:
            counted = cursor.execute(f"SELECT count(*) AS total FROM ({newest}) AS found", values).fetchone()
            found = cursor.execute(f"{newest} ORDER BY last DESC LIMIT %s OFFSET %s", (*values, limit, offset))
            return [self.to_given_thread(row["thread_id"]) for row in found], counted["total"] if counted else 0

    def drop_steps(self, thread: str) -> int:
        """Delete the steps of a thread's old questions; returns how many checkpoints were deleted."""
        with self._cursor(pipeline=True) as cursor:
            return drop_steps_of_old_questions(cursor, self.to_stored_thread(thread), self.kept_questions)

    def drop_turns(self, thread: str, kept: int) -> None:
        """Delete the checkpoints before the newest `kept` turns of an agent's thread."""
        with self._cursor(pipeline=True) as cursor:
            drop_older_turns(cursor, self.to_stored_thread(thread), kept)

    def drop_undone(self, thread: str, last: str) -> None:
        """Delete the checkpoints of a thread but this one and its ancestors."""
        with self._cursor(pipeline=True) as cursor:
            drop_other_lines(cursor, self.to_stored_thread(thread), last)

    def _damage_error(self) -> LibraryError:
        return LibraryError(
            f"The library {self.address} can't be used: a checkpoint is damaged: 'readgraph library repair' drops it."
        )

    async def close(self) -> None:
        """Finish pending writes and close the connection."""
        if self._process == os.getpid():
            await self._thread.run(self._close)
            self._thread.shutdown()

    def _close(self) -> None:
        with self.lock:
            self._closed.set()
            assert isinstance(self.conn, psycopg.Connection)
            self.conn.close()

    async def run(self, operation: Callable[[], _T], *, writes: bool = False) -> _T:
        """Run an operation that uses the connection on the checkpointer's thread."""
        self._check()
        return await self._thread.run(operation, writes=writes)

"""Where threads are kept on a server: LangGraph's checkpointer, for any thread and any event loop.

Threads of different namespaces may have the same id, so those of a namespace are stored under longer ones.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

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
from readgraph.library.checkpointer import Rows, SharedCheckpointer, StrictSerializer
from readgraph.library.postgres.connections import (
    Connection,
    ServerSession,
    connect,
    escape_text,
    is_lost,
    read_text,
    server_unusable_error,
)
from readgraph.library.retention import IN_POSTGRES, Retention
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


IDLE_SECONDS = 60.0
"""After so long without use the connection is tried first: the server, or what is between, may have closed it."""


class ServerCheckpointer(SharedCheckpointer, PartSaver):
    """LangGraph's `PostgresSaver` on a thread of its own; writes that wait are one transaction.

    `part` is the key of a namespace, or "". Nothing is written once the session has lost its locks.
    """

    def __init__(self, address: LibraryAddress, session: ServerSession, part: str) -> None:
        self.address, self._session = address, session
        super().__init__(connect(address), StrictSerializer(self._damage_error), part)
        self._used = time.monotonic()

    def _check(self) -> None:
        if self._closed.is_set():
            raise LibraryError(f"The library {self.address} is closed.")
        self._session.check()

    @contextmanager
    def _cursor(self, *, pipeline: bool = False) -> Iterator[Cursor[DictRow]]:
        """A cursor; that of the transaction, if this thread has begun one. LangGraph writes in a `pipeline`."""
        if (begun := getattr(self._begun, "cursor", None)) is not None:
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

    def _transaction(self) -> AbstractContextManager[Cursor[DictRow]]:
        return self._cursor(pipeline=True)

    @contextmanager
    def _retention(self, thread: str) -> Iterator[Retention]:
        with self._transaction() as cursor:
            yield Retention(IN_POSTGRES, cursor, self.to_stored_thread(thread))

    def _ready_connection(self) -> Connection:
        connection: Connection = self.conn
        idle = time.monotonic() - self._used
        if idle > IDLE_SECONDS and not is_lost(connection):
            try:
                connection.execute("SELECT 1")
            except psycopg.Error:
                connection.close()
        if is_lost(connection):
            self.conn = connection = connect(self.address)
        self._used = time.monotonic()
        return connection

    def _rows(self, config: RunnableConfig | None, filter: dict[str, Any] | None, below: int, limit: int) -> Rows:
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

    def _damage_error(self) -> LibraryError:
        return LibraryError(
            f"The library {self.address} can't be used: a checkpoint is damaged: 'readgraph library repair' drops it."
        )

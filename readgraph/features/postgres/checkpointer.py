"""LangGraph's checkpointer on a server, for any thread and event loop; a namespace's threads have longer ids."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple, DeltaChannelHistory
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.serde.base import SerializerProtocol
from psycopg import Cursor
from psycopg.rows import DictRow, dict_row

from readgraph.features.postgres import connections
from readgraph.features.postgres.connections import Connection
from readgraph.features.postgres.session import ServerSession
from readgraph.features.postgres.stored_text import escape_text, read_text
from readgraph.library.address import LibraryAddress
from readgraph.library.checkpointer import SharedCheckpointer
from readgraph.library.serializer import StrictSerializer
from readgraph.state.errors import BadInput, LibraryError

OF_NAMESPACE = "readgraph-namespace:"  # begins the ids of namespaces' threads; its key and a colon follow


class PartSaver(PostgresSaver):
    """LangGraph's `PostgresSaver`, which notes in what order checkpoints were written; `part` is a namespace's key."""

    UPSERT_CHECKPOINTS_SQL = PostgresSaver.UPSERT_CHECKPOINTS_SQL.replace(
        "metadata = EXCLUDED.metadata", "metadata = EXCLUDED.metadata, written = nextval('readgraph_written')"
    )

    def __init__(self, connection: Connection, serde: SerializerProtocol, part: str) -> None:
        super().__init__(connection, serde=serde)
        self._begin = f"{OF_NAMESPACE}{part}:" if part else ""

    def put(self, config: RunnableConfig, *given: Any, **named: Any) -> RunnableConfig:
        """Store a checkpoint."""
        return self.outside(super().put(self.inside(config), *given, **named))

    def put_writes(self, config: RunnableConfig, *given: Any, **named: Any) -> None:
        """Store what a step wrote."""
        super().put_writes(self.inside(config), *given, **named)

    def delete_thread(self, thread_id: str) -> None:
        """Delete all of a thread."""
        super().delete_thread(self.to_stored_thread(thread_id))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """As LangGraph's."""
        super().prune([self.to_stored_thread(thread) for thread in thread_ids], strategy=strategy)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint that `config` names."""
        checkpoint_tuple = super().get_tuple(self.inside(config))
        if checkpoint_tuple is None:
            return None
        parent = self.outside(checkpoint_tuple.parent_config) if checkpoint_tuple.parent_config else None
        return checkpoint_tuple._replace(config=self.outside(checkpoint_tuple.config), parent_config=parent)

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """As LangGraph's for any checkpointer."""
        return BaseCheckpointSaver.get_delta_channel_history(self, config=config, channels=channels)

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


IDLE_SECONDS = 60.0  # after so long the connection is tried first: the server, or what is between, may have closed it


class ServerCheckpointer(SharedCheckpointer, PartSaver):
    """LangGraph's `PostgresSaver` for a namespace's key or ""; without the session's locks it writes nothing."""

    row, of_input, of_method = "written", "metadata ->> 'source' = 'input'", "jsonb_exists(metadata, 'method')"
    writes_table, parameter = "checkpoint_writes", r"%(\1)s"
    tidy = """
        DELETE FROM checkpoint_blobs WHERE thread_id = :thread AND (checkpoint_ns, channel, version) NOT IN (
            SELECT checkpoint_ns, key, value FROM checkpoints, jsonb_each_text(checkpoint -> 'channel_versions')
            WHERE thread_id = :thread AND value IS NOT NULL
        )
    """  # values of channels are rows of their own, which several checkpoints share
    to_stored_thread = PartSaver.to_stored_thread
    to_given_thread = PartSaver.to_given_thread

    def __init__(self, address: LibraryAddress, session: ServerSession, part: str) -> None:
        self.what, self.address, self._session = f"The library {address}", address, session
        super().__init__(connections.connect(address), StrictSerializer(self._damage_error), part)
        self._used = time.monotonic()

    def _check(self) -> None:
        self._session.check()
        super()._check()

    @contextmanager
    def _cursor(self, *, pipeline: bool = False) -> Iterator[Cursor[DictRow]]:
        """A cursor; that of the transaction, if this thread has begun one. LangGraph writes in a `pipeline`."""
        if (begun := getattr(self._begun, "cursor", None)) is not None:
            yield begun
            return
        self._check()
        with self.lock:
            connection: Connection = self.conn
            if time.monotonic() - self._used > IDLE_SECONDS and not connection.closed:
                try:
                    connection.execute("SELECT 1")
                except psycopg.Error:
                    connection.close()
            if connection.closed:
                self.conn = connection = connections.connect(self.address)
            self._used = time.monotonic()
            try:
                around = connection.transaction() if pipeline else nullcontext()
                with around, connection.cursor(binary=True, row_factory=dict_row) as cursor:
                    yield cursor
            except psycopg.Error as problem:
                raise connections.server_unusable_error(self.address, problem) from problem

    def _transaction(self) -> AbstractContextManager[Cursor[DictRow]]:
        return self._cursor(pipeline=True)

    def _select_from(self, config: RunnableConfig | None, filter: dict[str, Any] | None) -> tuple[str, Sequence[Any]]:
        where, values = self._search_where(self.inside(config) if config else None, filter)
        of_part = "starts_with(thread_id, %s)" if self._begin else "NOT starts_with(thread_id, %s)"
        source = f"FROM checkpoints {where} AND" if where else "FROM checkpoints WHERE"
        return f"{source} {of_part}", [*values, self._begin or OF_NAMESPACE]

    def _fetch(self, select: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        with self._cursor() as cursor:
            return [tuple(row.values()) for row in cursor.execute(select, values)]

    def _damage_error(self) -> LibraryError:
        return LibraryError(
            f"The library {self.address} can't be used: a checkpoint is damaged: 'readgraph library repair' drops it."
        )

"""LangGraph's checkpointer over the threads of one namespace, or over those of none.

Threads of different namespaces may have the same id, so those of a namespace are stored under longer ones.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.serde.base import SerializerProtocol

from readgraph.state.errors import BadInput
from readgraph.state.postgres.connecting import Connection
from readgraph.state.postgres.exact_json import read_text, written_text

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
        super().delete_thread(self.stored(thread_id))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """As LangGraph's."""
        super().prune([self.stored(thread) for thread in thread_ids], strategy=strategy)

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

    def stored(self, thread: str) -> str:
        """The stored id of a thread."""
        return self._begin + written_text(str(thread))

    def inside(self, config: RunnableConfig) -> RunnableConfig:
        """A configuration with the stored id of its thread."""
        named = config["configurable"]
        if "thread_id" not in named:
            return config
        thread = str(named["thread_id"])
        if not self._begin and thread.startswith(OF_NAMESPACE):
            raise BadInput(f"A thread's id can't begin with '{OF_NAMESPACE}': name the thread otherwise.")
        return {**config, "configurable": {**named, "thread_id": self.stored(thread)}}

    def outside(self, config: RunnableConfig) -> RunnableConfig:
        """A configuration with the id of its thread as it was given."""
        named = config["configurable"]
        return {**config, "configurable": {**named, "thread_id": self.given(named["thread_id"])}}

    def given(self, stored: str) -> str:
        """The id of a thread by its stored one."""
        return read_text(stored.removeprefix(self._begin))

"""What the checkpointer of a library offers beyond LangGraph's, wherever it is kept: in a file or on a server."""

from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

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

from readgraph.state.checkpointing.retention import KEPT_QUESTIONS
from readgraph.state.errors import LibraryError

AT_ONCE = 100
"""How many checkpoints are fetched at a time when many are listed."""

QUESTION = "question_text"
"""The channel that the state of every graph that answers questions has."""

LAST_ROW = 2**63 - 1

_T = TypeVar("_T")


class SharedCheckpointer(BaseCheckpointSaver[str]):
    """A checkpointer of LangGraph's, with asynchronous calls that run on a thread of its own.

    It comes before one of LangGraph's among the bases of a class. It serves synchronous and asynchronous runs of any
    event loop at the same time. Raises `LibraryError` after the library is closed.

    The newest checkpoint is the row that was written last. LangGraph takes the greatest id, and ids begin with the
    time, so it would miss the newest turns after the clock was set back.

    Of a thread's earlier questions it keeps the last checkpoint (see `readgraph.state.checkpointing.retention`);
    `kept_questions` says of how many of the newest it keeps all. Threads of other graphs, and of agents, keep theirs.
    """

    kept_questions = KEPT_QUESTIONS

    @abstractmethod
    def threads(self, filter: dict[str, Any]) -> Sequence[str]:
        """The threads that have checkpoints with this metadata, even checkpoints that can't be read."""

    @abstractmethod
    def question_threads(self, document: str, offset: int, limit: int) -> tuple[Sequence[str], int]:
        """The threads in which a method ran, the last written first, and how many there are; "": of any document."""

    @abstractmethod
    def drop_steps(self, thread: str) -> int:
        """Delete the steps of a thread's old questions; returns how many checkpoints were deleted."""

    @abstractmethod
    def drop_turns(self, thread: str, kept: int) -> None:
        """Delete the checkpoints before the newest `kept` turns of an agent's thread."""

    @abstractmethod
    def drop_undone(self, thread: str, last: str) -> None:
        """Delete the checkpoints of a thread but this one and its ancestors, and free their space."""

    @abstractmethod
    def _rows(
        self,
        config: RunnableConfig | None,
        filter: dict[str, Any] | None = None,
        below: int = LAST_ROW,
        limit: int = AT_ONCE,
    ) -> Sequence[tuple[int, RunnableConfig]]:
        """The row numbers and configurations of the newest checkpoints, the last written first."""

    @abstractmethod
    def _row_of(self, named: RunnableConfig, config: RunnableConfig | None) -> int:
        """The row number of a checkpoint, in any graph of the thread; 0 if it does not exist."""

    @abstractmethod
    def _damaged(self) -> LibraryError:
        """The error for a row that can't be read."""

    @abstractmethod
    async def run(self, operation: Callable[[], _T], *, writes: bool = False) -> _T:
        """Run an operation that uses the connection on the checkpointer's thread.

        One that only `writes`, and may be run twice, shares a transaction with those that wait beside it.
        """

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
            self.drop_steps(str(config["configurable"]["thread_id"]))
        return stored

    def oldest_first(self) -> Iterator[CheckpointTuple]:
        """All checkpoints in the order of their writing; they are read one by one."""
        below, named = LAST_ROW, list[RunnableConfig]()
        while rows := self._rows(None, None, below, AT_ONCE):
            named += [config for _, config in rows]
            below = self._lowest(rows, below)
        for config in reversed(named):
            if (saved := self._read(config)) is not None:  # it may have been deleted meanwhile
                yield saved

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
        except (ValueError, TypeError, KeyError, RecursionError) as problem:
            raise self._damaged() from problem

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
        below = self._row_of(before, config) if before else LAST_ROW
        while rows := self._rows(config, filter, below, AT_ONCE if limit is None else min(limit, AT_ONCE)):
            for _, named in rows:
                if (checkpoint := self._read(named)) is not None:  # it may have been deleted meanwhile
                    yield checkpoint
            below, limit = self._lowest(rows, below), None if limit is None else limit - len(rows)

    def _lowest(self, rows: Sequence[tuple[int, RunnableConfig]], below: int) -> int:
        """The last row's number; raises `LibraryError` where it isn't lower: such rows might never end."""
        if (lowest := rows[-1][0]) >= below:
            raise self._damaged()
        return lowest

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
        async for checkpoint in self._each(self.list(config, filter=filter, before=before, limit=limit)):
            yield checkpoint

    async def aoldest_first(self) -> AsyncIterator[CheckpointTuple]:
        """As `oldest_first`."""
        async for checkpoint in self._each(self.oldest_first()):
            yield checkpoint

    async def _each(self, checkpoints: Iterator[CheckpointTuple]) -> AsyncIterator[CheckpointTuple]:
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

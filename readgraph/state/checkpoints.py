"""Where threads are kept: LangGraph's checkpointer over one SQLite file, for any thread and any event loop."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from readgraph.state.library_store import BUSY_SECONDS, closed, damaged, unusable

AT_ONCE = 100
"""Checkpoints that are read at once where many are listed."""

_T = TypeVar("_T")


class LibraryCheckpointer(SqliteSaver):
    """LangGraph's own, whose asynchronous calls run on a thread of its own, each with one crossing.

    LangGraph's asynchronous one belongs to one event loop and crosses for each statement; this one serves synchronous
    and asynchronous runs at once, from any of them. Raises `LibraryError` once the library is closed.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        super().__init__(connection, serde=_Serializer(path))
        self._folder, self._closed = path.parent, False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="readgraph-checkpoints")

    def setup(self) -> None:
        """Make the tables where they are missing; every use of the connection begins here."""
        if self._closed:
            raise closed(self._folder)
        super().setup()

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """The checkpoints, the newest first.

        They are read in groups: LangGraph's holds its lock until the last one is taken, so nothing could be written
        meanwhile.
        """
        while True:
            most = AT_ONCE if limit is None else min(limit, AT_ONCE)
            kept = [*super().list(config, filter=filter, before=before, limit=most)]
            yield from kept
            if len(kept) < most or len(kept) == limit:
                return
            before, limit = kept[-1].config, None if limit is None else limit - len(kept)

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
        await self.run(self._close)
        self._thread.shutdown()

    def _close(self) -> None:
        with self.lock:
            self._closed = True
            self.conn.close()

    async def run(self, operation: Callable[[], _T]) -> _T:
        """Run what uses the connection on the checkpointer's thread."""
        if self._closed:
            raise closed(self._folder)
        return await asyncio.get_running_loop().run_in_executor(self._thread, operation)


@asynccontextmanager
async def open_checkpointer(path: Path) -> AsyncIterator[LibraryCheckpointer]:
    """The checkpointer over a file; raises `LibraryError`, also within, where the file can't be used."""
    try:
        checkpointer = LibraryCheckpointer(await asyncio.to_thread(_connect, path), path)
        try:
            await checkpointer.run(checkpointer.setup)
            yield checkpointer
        finally:
            await checkpointer.close()
    except sqlite3.Error as problem:
        raise unusable(path, problem) from problem


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


class _Serializer(JsonPlusSerializer):
    """LangGraph's own; a checkpoint that it can't read is a damaged library."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        try:
            return super().loads_typed(data)
        except ValueError as problem:
            raise damaged(self._path) from problem

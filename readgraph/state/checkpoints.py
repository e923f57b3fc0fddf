"""Where threads are kept: LangGraph's checkpointer over one SQLite file, with fewer crossings to another thread."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from readgraph.state.library_store import BUSY_SECONDS, damaged, unusable

_T = TypeVar("_T")


class LibraryCheckpointer(AsyncSqliteSaver):
    """LangGraph's own, which writes over a second connection on a thread of its own.

    There a write crosses once; through aiosqlite each of its statements, its commit and its close cross for
    themselves, and a step of a graph makes two writes.
    """

    def __init__(self, reading: aiosqlite.Connection, writing: sqlite3.Connection, path: Path) -> None:
        super().__init__(reading, serde=_Serializer(path))
        self._writer = SqliteSaver(writing, serde=self.serde)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="readgraph-checkpoints")

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint; when this returns, it is committed."""
        return await self._run(partial(self._writer.put, config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep what a step wrote; when this returns, it is committed."""
        await self._run(partial(self._writer.put_writes, config, writes, task_id, task_path))

    async def close(self) -> None:
        """Close the writing connection, behind what is being written."""
        await self._run(self._writer.conn.close)
        self._thread.shutdown()

    async def _run(self, operation: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, operation)


@asynccontextmanager
async def open_checkpointer(path: Path) -> AsyncIterator[LibraryCheckpointer]:
    """The checkpointer over a file; raises `LibraryError`, also within, where the file can't be used."""
    try:
        async with aiosqlite.connect(path, timeout=BUSY_SECONDS) as reading:
            await reading.execute("PRAGMA journal_mode=WAL")
            await reading.execute("PRAGMA synchronous=NORMAL")
            checkpointer = LibraryCheckpointer(reading, await asyncio.to_thread(_connect, path), path)
            try:
                await checkpointer.setup()
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

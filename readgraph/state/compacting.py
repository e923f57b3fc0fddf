"""Give the disk back what the library no longer needs."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from readgraph.state.checkpoints import QUESTION, LibraryCheckpointer
from readgraph.state.errors import LibraryError
from readgraph.state.library_folder import STORE
from readgraph.state.library_store import connect, unusable
from readgraph.state.opened import Library
from readgraph.state.retention import drop_steps_of_old_questions


class Compacted(NamedTuple):
    """Bytes of the library's files before and after, and the number of checkpoints that were deleted."""

    before: int
    after: int
    checkpoints: int


async def compact(library: Library) -> Compacted:
    """Delete the steps of old questions in all threads, and give free space in the library's files back to the disk.

    Others may read meanwhile, and wait while they write. Raises `LibraryError` if the disk is full: SQLite writes each
    file anew.
    """
    files = [library.folder / STORE, library.checkpointer.path]
    before = await asyncio.to_thread(_bytes, files)
    dropped = await library.checkpointer.run(lambda: _drop_steps(library.checkpointer))
    for file in files:
        await asyncio.to_thread(_vacuum, file)
    return Compacted(before, await asyncio.to_thread(_bytes, files), dropped)


def _drop_steps(saver: LibraryCheckpointer) -> int:
    asked = [thread for thread in saver.threads({}) if _asks(saver, thread)]
    with saver.cursor() as cursor:
        return sum(drop_steps_of_old_questions(cursor, thread, saver.kept_questions) for thread in asked)


def _asks(saver: LibraryCheckpointer, thread: str) -> bool:
    """Whether a thread is one of questions; one that can't be read is left as it is."""
    try:
        newest = saver.get_tuple({"configurable": {"thread_id": thread, "checkpoint_ns": ""}})
    except LibraryError:
        return False
    return newest is not None and QUESTION in newest.checkpoint["channel_values"]


def _vacuum(file: Path) -> None:
    try:
        with closing(connect(file)) as connection:
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error as problem:
        raise unusable(file, problem) from problem


def _bytes(files: list[Path]) -> int:
    """The sizes of files with their write-ahead logs."""
    parts = [part for file in files for part in (file, file.with_name(f"{file.name}-wal"))]
    return sum(part.stat().st_size for part in parts if part.exists())

"""Give the disk back what the library no longer needs."""

import asyncio
from typing import NamedTuple

from readgraph.state.checkpointing.shared_checkpointer import QUESTION, SharedCheckpointer
from readgraph.state.errors import LibraryError
from readgraph.state.files.library_folder import own_files
from readgraph.state.kept.earlier_notes import EarlierNotes
from readgraph.state.opened import Library
from readgraph.state.store.shared_store import SharedStore


class Compacted(NamedTuple):
    """Bytes of the library's files before and after, and the number of checkpoints that were deleted."""

    before: int
    after: int
    checkpoints: int


async def compact(library: Library) -> Compacted:
    """Delete what is left of old questions, and give free space in the library's files back to the disk.

    These are their steps in all threads, and the earlier notes of readings that were stopped long ago.

    Others may read meanwhile, and wait while they write. Raises `LibraryError` if the disk is full: SQLite writes each
    file anew. A server keeps the space for what it stores next.
    """
    before = await asyncio.to_thread(_bytes, library.shared)
    dropped = await library.checkpointer.run(lambda: _drop_steps(library.checkpointer))
    await EarlierNotes(library.store).drop_stopped()
    await asyncio.to_thread(library.shared.give_back)
    return Compacted(before, await asyncio.to_thread(_bytes, library.shared), dropped)


def _drop_steps(saver: SharedCheckpointer) -> int:
    asked = [thread for thread in saver.threads({}) if _asks(saver, thread)]
    return sum(saver.drop_steps(thread) for thread in asked)


def _asks(saver: SharedCheckpointer, thread: str) -> bool:
    """Whether a thread is one of questions; one that can't be read is left as it is."""
    try:
        newest = saver.get_tuple({"configurable": {"thread_id": thread, "checkpoint_ns": ""}})
    except LibraryError:
        return False
    return newest is not None and QUESTION in newest.checkpoint["channel_values"]


def _bytes(store: SharedStore) -> int:
    """The sizes of its files with their write-ahead logs, or of its tables on a server."""
    parts = [part for file in own_files(store.folder) for part in (file, file.with_name(f"{file.name}-wal"))]
    return sum(part.stat().st_size for part in parts if part.exists()) if parts else store.size()

"""Give disk space back: steps of old questions, what packages no longer need, what was deleted."""

import asyncio
from functools import partial
from typing import NamedTuple

from readgraph.library.address import own_files
from readgraph.library.checkpointer import QUESTION
from readgraph.library.library import Library
from readgraph.library.store import SharedStore
from readgraph.library.upkeep.own_records import tidy_own_records
from readgraph.state.errors import LibraryError


class CompactionSizes(NamedTuple):
    """Bytes of the library's files before and after, and the number of checkpoints that were deleted."""

    before: int
    after: int
    checkpoints: int


async def compact(library: Library) -> CompactionSizes:
    """Delete steps of old questions, and what packages no longer need; give free space back to the disk.

    A thread that can't be read is left as it is. Others may read meanwhile, and wait while they write. Raises
    `LibraryError` if the disk is full: SQLite writes each file anew. A server keeps the space for what it stores next.
    """
    before = await asyncio.to_thread(_bytes, library.whole_store)
    dropped, saver = 0, library.checkpointer
    for thread in await saver.run(lambda: saver.threads({})):
        try:
            newest = await saver.aget_tuple({"configurable": {"thread_id": thread, "checkpoint_ns": ""}})
        except LibraryError:
            continue
        if newest is not None and QUESTION in newest.checkpoint["channel_values"]:
            dropped += await saver.run(partial(saver.drop_steps, thread))
    await tidy_own_records(library)
    await asyncio.to_thread(library.whole_store.give_back)
    return CompactionSizes(before, await asyncio.to_thread(_bytes, library.whole_store), dropped)


def _bytes(store: SharedStore) -> int:
    """The sizes of its files with their write-ahead logs, or of its tables on a server."""
    parts = [part for file in own_files(store.folder) for part in (file, file.with_name(f"{file.name}-wal"))]
    return sum(part.stat().st_size for part in parts if part.exists()) if parts else store.size()

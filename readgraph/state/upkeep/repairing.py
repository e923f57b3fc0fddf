"""Mend what can be mended: what a library can make again from its documents and recorded replies is dropped."""

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from readgraph.state.files.library_folder import files_of, is_index
from readgraph.state.files.sqlite_files import connect, unusable
from readgraph.state.forgetting import drop_memory, finish_unfinished
from readgraph.state.opened import Library
from readgraph.state.search.index_registry import close_indexes
from readgraph.state.store.build_lock import building
from readgraph.state.upkeep.checking import Fault


async def repair(library: Library, faults: Sequence[Fault]) -> list[Fault]:
    """Repair these faults of a library; returns those that are mended.

    A damaged memory is dropped, and built again by the next reading, from recorded replies where there are some; so is
    a damaged search index. A thread whose last step can't be read is deleted. Whoever builds a memory meanwhile is
    waited for. An index of the store or of the checkpoints that disagrees with its table is made again from it. At the
    end, what a stopped command left unfinished is finished.
    """
    mended = [fault for fault in faults if fault.repairs and await _can_be_used(library, fault)]
    if any(fault.kind == "index" for fault in mended):
        await asyncio.to_thread(_drop_indexes, library)
    for fault in mended:
        if fault.kind == "memory":
            async with building(library.store, fault.name):
                await drop_memory(library.pages, fault.document, fault.name)
        elif fault.kind == "thread":
            await library.checkpointer.adelete_thread(fault.name)
    await finish_unfinished(library)
    return mended


async def _can_be_used(library: Library, fault: Fault) -> bool:
    """Make the indexes of a file again, which the other repairs need; false where its table holds a row twice."""

    def made_again(file: Path) -> bool:
        try:
            with closing(connect(file)) as connection:
                connection.execute("REINDEX")
        except sqlite3.IntegrityError:
            return False
        except sqlite3.Error as problem:
            raise unusable(file, problem) from problem
        return True

    return fault.kind != "file" or await asyncio.to_thread(made_again, library.folder / fault.name)


def _drop_indexes(library: Library) -> None:
    close_indexes(library.store)
    for file in files_of(library.folder):
        if is_index(library.folder, file):
            for part in (file, *(file.with_name(f"{file.name}{ending}") for ending in ("-wal", "-shm"))):
                part.unlink(missing_ok=True)

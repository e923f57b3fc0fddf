"""Upkeep of a library: whether it is whole, mending it, giving disk space back, copies, bringing it to today's format.

What a library can make again from its documents and recorded replies is dropped.
"""

import asyncio
import logging
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Literal, NamedTuple

from filelock import FileLock

from readgraph.library.address import MARKER, files_of, format_of, is_index, own_files, put_format
from readgraph.library.checkpointer import QUESTION
from readgraph.library.documents import document_id
from readgraph.library.file_store import ORIGINALS
from readgraph.library.forgetting import drop_memory, finish_unfinished
from readgraph.library.library import Library
from readgraph.library.own_records import tidy_own_records
from readgraph.library.page_store import PageStore
from readgraph.library.search.index_registry import close_indexes
from readgraph.library.sqlite_files import (
    connect,
    connect_to_read,
    delete_database,
    explain_refusals,
    library_unusable_error,
)
from readgraph.library.store import SharedStore, hold_build_lock
from readgraph.library.stored_items import BATCH, EVERY, ROOT
from readgraph.state.errors import BadInput, Damaged, LibraryError
from readgraph.state.records import Document, Memory

Kind = Literal["file", "index", "document", "memory", "thread"]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong: with a file, a search index, a document, a memory or a thread; `repairs`: `repair` mends it."""

    kind: Kind
    name: str
    problem: str
    repairs: bool
    document: str = ""


async def check(library: Library) -> list[Fault]:
    """All that is wrong with a library; others may read and write meanwhile. It reads all texts, pages and notes."""
    folder = library.folder
    faults = [fault for file in files_of(folder) if (fault := await asyncio.to_thread(_file_fault, folder, file))]
    if any(fault.kind == "file" for fault in faults):
        return faults  # what a torn file holds can't be told
    documents, damaged = await library.pages.documents_and_damaged()
    for identity in damaged:
        what = "its record is damaged: forget it, and read the file again"
        faults.append(Fault("document", identity, what, repairs=False, document=identity))
    known = {document.id for document in documents}
    for document in documents:
        if what := await _text_fault(library.pages, document, known):
            faults.append(Fault("document", document.title or document.id, what, repairs=False, document=document.id))
    faults += [fault async for fault in _memory_faults(library.pages)]
    saver = library.checkpointer
    for thread in await saver.run(lambda: saver.threads({})):
        try:
            await saver.aget_tuple({"configurable": {"thread_id": thread, "checkpoint_ns": ""}})
        except (LibraryError, BadInput):
            faults.append(Fault("thread", thread, "its last step can't be read", repairs=True))
    return faults


def _file_fault(folder: Path, file: Path) -> Fault | None:
    kind: Kind = "index" if is_index(folder, file) else "file"
    tables_are_whole = False
    try:
        with closing(connect_to_read(file)) as connection:
            said = _run_pragma(connection, "quick_check")
            if tables_are_whole := said == "ok":
                said = _run_pragma(connection, "integrity_check")  # whether the file's indexes agree with its tables
    except (sqlite3.Error, UnicodeDecodeError, LibraryError) as problem:
        said = str(problem.__cause__ or problem)
    repairs = kind == "index" or tables_are_whole
    return None if said == "ok" else Fault(kind, file.name, said.replace("\n", " "), repairs)


def _run_pragma(connection: sqlite3.Connection, test: str) -> str:
    ((said,), *_) = connection.execute(f"PRAGMA {test}(1)").fetchall()
    return str(said)


async def _text_fault(pages: PageStore, document: Document, known: set[str]) -> str:
    if document.parts:
        gone = sum(part.document not in known for part in document.parts)
        return f"{gone} of its {len(document.parts)} documents are missing: forget it" if gone else ""
    try:
        text = await pages.text(document)
    except LibraryError:
        return "a part of its text is missing: forget it, and read the file again"
    same = document.sessions > 0 or document_id(text) == document.id  # a history's id is the hash of its name
    return "" if same else "its text was changed: forget it, and read the file again"


async def _memory_faults(pages: PageStore) -> AsyncIterator[Fault]:
    for item in await pages.search((ROOT, "memories"), EVERY):
        document, identity = item.namespace[-1], item.key
        try:
            memory = Memory.load(item.value)
            if (memory.id, memory.document) != (identity, document):
                raise Damaged("memory")
            problem = await _pages_fault(pages, memory)
        except Damaged:
            problem = "its record is damaged"
        if problem:
            yield Fault("memory", identity, problem, repairs=True, document=document)


async def _pages_fault(pages: PageStore, memory: Memory) -> str:
    end = 0
    for first in range(0, memory.pages, BATCH):
        numbers = range(first, min(first + BATCH, memory.pages))
        try:
            found = await pages.pages(memory.id, numbers)
            noted = await pages.notes(memory.id, numbers)
        except Damaged:
            return "a page or a note is damaged"
        if [page.number for page in found] != [*numbers]:
            return "pages are missing"
        if memory.complete and len(noted) < len(numbers):
            return "notes are missing"
        if any(one.end > other.start for one, other in pairwise(found)) or found[0].start < end:
            return "its pages overlap"
        end = found[-1].end
    return "" if end <= memory.read_to else "its pages go further than it was read"


async def repair(library: Library, faults: Sequence[Fault]) -> list[Fault]:
    """Repair these faults of a library; returns those that are mended. Whoever builds a memory meanwhile is waited for.

    Damaged memories and search indexes are dropped, and built again by the next reading, from recorded replies where
    there are some. Threads whose last step can't be read are deleted. An index of a file that disagrees with its table
    is made again. At the end, what a stopped command left unfinished is finished.
    """
    mended = [fault for fault in faults if fault.repairs and await asyncio.to_thread(_rebuild_indexes, library, fault)]
    if any(fault.kind == "index" for fault in mended):
        await asyncio.to_thread(_drop_indexes, library)
    for fault in mended:
        if fault.kind == "memory":
            async with hold_build_lock(library.store, fault.name):
                await drop_memory(library.pages, fault.document, fault.name)
        elif fault.kind == "thread":
            await library.checkpointer.adelete_thread(fault.name)
    await finish_unfinished(library)
    return mended


def _rebuild_indexes(library: Library, fault: Fault) -> bool:
    """Make a file's indexes again, which the other repairs need; false where its table holds a row twice."""
    if fault.kind != "file":
        return True
    file = library.folder / fault.name
    try:
        with closing(connect(file)) as connection:
            connection.execute("REINDEX")
    except sqlite3.IntegrityError:
        return False
    except sqlite3.Error as problem:
        raise library_unusable_error(file, problem) from problem
    return True


def _drop_indexes(library: Library) -> None:
    close_indexes(library.store)
    for file in files_of(library.folder):
        if is_index(library.folder, file):
            delete_database(file)


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


async def back_up(library: Library, folder: Path) -> int:
    """Copy a library into a new folder; returns its bytes. Search indexes are left out: they are made again.

    Raises `BadInput` where the folder holds something already, and `LibraryError` where it can't be written.
    """
    return await asyncio.to_thread(copy_folder, library.folder, folder)


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """The name of a folder to fill, which becomes `folder` when the `with` ends well. Raises as `back_up` does."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"{folder} is there already: name a new folder for the copy.")
    unfinished = folder.with_name(f".{folder.name}.unfinished")
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        yield unfinished
        if folder.exists():
            folder.rmdir()
        unfinished.rename(folder)
    except OSError as problem:
        raise library_unusable_error(folder, problem) from problem
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def copy_folder(library: Path, folder: Path) -> int:
    """Copy the folder of a library, whole or not at all; returns the copy's bytes. Raises as `back_up` does."""
    with new_folder(folder) as unfinished:
        unfinished.mkdir(parents=True)
        for file in files_of(library):
            if file.exists() and not is_index(library, file):
                _copy_database(file, unfinished / file.name)
        if (originals := library / ORIGINALS).is_dir():
            # Links were never made here: in a stranger's library one may lead to a file of this machine.
            shutil.copytree(
                originals,
                unfinished / ORIGINALS,
                ignore=lambda folder, names: [name for name in names if Path(folder, name).is_symlink()],
            )
        shutil.copyfile(library / MARKER, unfinished / MARKER)
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _copy_database(file: Path, to: Path) -> None:
    with explain_refusals(file), closing(connect_to_read(file)) as source, closing(sqlite3.connect(to)) as copy:
        source.backup(copy)
        said = _run_pragma(copy, "quick_check")
    if said != "ok":
        raise LibraryError(f"{file} is damaged, so the copy would be: 'readgraph library check' says more.")


STEPS: dict[int, Callable[[Path], None]] = {}
"""What brings a library's folder from this format to the next. A step that was killed is run again from its start."""

_log = logging.getLogger(__name__)


def migrate(folder: Path, to: int) -> None:
    """Bring a library to a format; whoever opens it meanwhile waits. Raises `LibraryError` if it can't be written."""
    with explain_refusals(folder):
        (folder / "locks").mkdir(exist_ok=True)
        with FileLock(folder / "locks" / "migration.lock"):
            if (older := format_of(folder)) >= to:  # another process did it meanwhile
                return
            copy = folder.with_name(f"{folder.name}-format-{older}")
            if not copy.exists():  # else a killed migration made it, before it changed anything
                copy_folder(folder, copy)
            for version in range(older, to):
                STEPS[version](folder)
                put_format(folder, version + 1)
    _log.warning("%s was brought from format %d to %d; the older library is kept in %s.", folder, older, to, copy)

"""Whether a library is whole, and mending it: what can be made again from documents and recorded replies is dropped."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal

from readgraph.library.address import files_of, is_index
from readgraph.library.documents import document_id
from readgraph.library.library import Library
from readgraph.library.page_store import PageStore
from readgraph.library.search.indexes import close_indexes
from readgraph.library.sqlite_files import connect, connect_to_read, delete_database, library_unusable_error, run_check
from readgraph.library.store import hold_build_lock
from readgraph.library.stored_items import BATCH, EVERY, ROOT
from readgraph.library.upkeep.forgetting import finish_unfinished
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
            said = run_check(connection, "quick_check")
            if tables_are_whole := said == "ok":
                said = run_check(connection, "integrity_check")  # whether the file's indexes agree with its tables
    except (sqlite3.Error, UnicodeDecodeError, LibraryError) as problem:
        said = str(problem.__cause__ or problem)
    repairs = kind == "index" or tables_are_whole
    return None if said == "ok" else Fault(kind, file.name, said.replace("\n", " "), repairs)


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
                await library.pages.drop_memory(fault.document, fault.name)
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

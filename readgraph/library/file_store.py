"""The embedded store: one SQLite file under LangGraph's `SqliteStore`, for any event loop and any thread.

`AsyncSqliteStore` belongs to the event loop it was opened in, and switches threads five times for each batch. Here
one thread writes and one reads. Operations that are waiting run together, so there is at most one switch for each
batch, and reads and writes never share a transaction. Its locks are files, which are free again when their holder is
killed.
"""

import errno
import hashlib
import os
import sqlite3
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from shutil import disk_usage
from typing import Any

from filelock import AsyncFileLock, FileLock, Timeout
from langgraph.store.base import Op, PutOp, Result

from readgraph.library.file_worker import FileWorker, parse_stored_value
from readgraph.library.folder import CHECKPOINTS, STORE, own_files
from readgraph.library.minute_ledger import LedgerInFile
from readgraph.library.sqlite_files import connect, connect_to_read, library_damage_error, library_unusable_error
from readgraph.library.store import InUse, Listing, ListingPosition, OnWait, Row, SharedStore, T
from readgraph.state.files import replace_file
from readgraph.state.records import UNREADABLE, file_name


@asynccontextmanager
async def hold_lock_file(file: Path, on_wait: OnWait | None = None, *, wait: bool = True) -> AsyncIterator[None]:
    """Hold a lock file; raises `InUse` if somebody else holds it and `wait` is false, and `OSError`."""
    lock = AsyncFileLock(file, thread_local=False)
    try:
        await lock.acquire(blocking=False)
    except Timeout:
        if not wait:
            raise InUse(f"Another process holds {file.name}.") from None
        if on_wait:
            on_wait()
        await lock.acquire()
    try:
        yield
    finally:
        await lock.release()


def name_of_use(document: str) -> str:
    """A new name of a lock file that marks a document as in use."""
    return f"{file_name(document)}-{uuid.uuid4().hex}.used"


def uses(locks: Path, document: str) -> list[Path]:
    """The lock files that mark a document as in use, also those that processes which were killed have left."""
    return [*locks.glob(f"{file_name(document)}-*.used")]


class FileListing:
    """One look at a file, within a transaction; what was seen is the number of the last row, and what it held."""

    def __init__(self, connection: sqlite3.Connection, prefix: str) -> None:
        self._connection, self._prefix = connection, prefix

    def count(self) -> int:
        """How many there are."""
        found = self._connection.execute("SELECT count(*) FROM store WHERE prefix = ?", (self._prefix,))
        return int(found.fetchone()[0])

    def keys(self) -> set[str]:
        """Their keys."""
        return {key for (key,) in self._connection.execute("SELECT key FROM store WHERE prefix = ?", (self._prefix,))}

    def knows(self, seen: ListingPosition) -> bool:
        """Whether the row is still the same: all may have been numbered anew."""
        select = "SELECT key, value FROM store WHERE rowid = ? AND prefix = ?"
        row = self._connection.execute(select, (seen.number, self._prefix)).fetchone()
        return bool(row) and _mark(*row) == seen.mark

    def changes_since(self, seen: ListingPosition) -> Iterator[tuple[ListingPosition, str, str | bytes]]:
        """The rows after that one."""
        after = seen.number if self.knows(seen) else -1
        rows = "SELECT rowid, key, value FROM store WHERE prefix = ? AND rowid > ? ORDER BY rowid"
        for number, key, value in self._connection.execute(rows, (self._prefix, after)):
            yield ListingPosition(number, _mark(key, value)), key, value


def _mark(key: str, value: object) -> str:
    return hashlib.sha256(f"{key} {value}".encode(errors="surrogateescape")).hexdigest()[:16]


ORIGINALS = "originals"
"""The folder of kept files; a file there has the id of its document, and the ending of its kind."""


ROOM = 2**20
"""Bytes on the disk without which no reply is paid for: the replies of all calls in flight fit into them."""


class LibraryStore(SharedStore):
    """A durable store in one SQLite file; several processes may use the same file.

    `to_read`: the file exists and can't be written; every write raises `LibraryError`.
    """

    supports_ttl = False
    indexes_apart = False

    def __init__(self, path: Path, *, to_read: bool = False) -> None:
        self.folder, self.place, self.name = path.parent, str(path.parent), path.parent.name
        self.locks = path.parent / "locks"
        self.path, self.to_read = path, to_read
        if to_read:
            self._reading = self._writing = FileWorker(path, "reads", to_read=True)
            return
        try:
            self.locks.mkdir(exist_ok=True)
            with FileLock(self.locks / "setup.lock"):  # else two that open a new library would both create its tables
                self._reading, self._writing = FileWorker(path, "reads"), FileWorker(path, "writes")
        except OSError as problem:
            raise library_unusable_error(path.parent, problem) from problem

    def __repr__(self) -> str:
        return f"LibraryStore({str(self.locks.parent)!r})"

    def close(self) -> None:
        """Commit pending writes and close the file."""
        self._writing.close()
        if self._reading is not self._writing:
            self._reading.close()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations and wait for them; this blocks, so it is not for use in an event loop."""
        operations = list(ops)
        return self._worker_for(operations).run_now(operations)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations; writes are committed when this returns."""
        operations = list(ops)
        return await self._worker_for(operations).run(operations)

    async def wait_for_writes(self) -> None:
        """Wait until all writes so far are committed, including those of cancelled callers."""
        await self._writing.run([])

    @property
    def ledger(self) -> LedgerInFile:
        """What was sent to models in the last minute, by all processes."""
        return LedgerInFile(self.locks / "minute.sqlite")

    @asynccontextmanager
    async def hold_lock(self, name: str, on_wait: OnWait | None = None, *, wait: bool = True) -> AsyncIterator[None]:
        """Hold a lock file of the library."""
        holding = hold_lock_file(self.locks / file_name(name), on_wait, wait=wait)
        try:
            await holding.__aenter__()
        except OSError as problem:
            raise library_unusable_error(self.folder, problem) from problem
        try:
            yield
        except BaseException:
            await self.wait_for_writes()
            raise
        finally:
            await holding.__aexit__(None, None, None)

    @asynccontextmanager
    async def mark_in_use(self, document: str) -> AsyncIterator[None]:
        """Mark a document as in use."""
        name = name_of_use(document)
        try:
            async with self.hold_lock(name):
                yield
        finally:
            _forget_mark(self.locks / name)

    async def wait_until_unused(self, document: str, on_wait: OnWait | None = None, *, wait: bool = True) -> None:
        """Wait until nobody uses a document."""
        for path in uses(self.locks, document):
            async with self.hold_lock(path.name, on_wait, wait=wait):
                pass
            _forget_mark(path)

    async def tell_dropped(self, part: str, index: str) -> None:
        """Nothing: all who open the folder have the same indexes."""

    def indexes_dropped_since(self, part: str, number: int | None) -> tuple[int, Sequence[str]]:
        """None: all who open the folder have the same indexes."""
        return 0, []

    def check_room(self, needed: int = 0) -> None:
        """Raise `LibraryError` where less than `ROOM`, or than is `needed`, is left on its disk."""
        try:
            if disk_usage(self.folder).free < max(ROOM, needed):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as problem:
            raise library_unusable_error(self.folder, problem) from problem

    def size(self) -> int:
        """The bytes of all files in the folder."""
        return sum(file.stat().st_size for file in self.folder.rglob("*") if file.is_file())

    def rows(self, after: tuple[str, str], most: int) -> Sequence[Row]:
        """The next rows, over a connection of their own."""
        file = self.folder / STORE
        select = "SELECT prefix, key, value FROM store WHERE (prefix, key) > (?, ?) ORDER BY prefix, key LIMIT ?"
        try:
            with closing(connect_to_read(file)) as connection:
                found = connection.execute(select, (*after, most)).fetchall()
            if found and not after < tuple(map(str, found[-1][:2])):
                raise library_damage_error(self.folder)  # the index is out of order: the rows might never end
            return [(prefix, key, _parse_row_value(value, self.folder)) for prefix, key, value in found]
        except sqlite3.Error as problem:
            raise library_unusable_error(file, problem) from problem

    def look(self, prefix: str, use: Callable[[Listing], T]) -> T:
        """What a function makes of a listing."""
        with closing(connect_to_read(self.path)) as connection:
            connection.execute("BEGIN")
            return use(FileListing(connection, prefix))

    def parts(self) -> Sequence[str]:
        """The keys of the namespaces that have files of checkpoints."""
        ending = f"-{CHECKPOINTS}"
        return sorted(file.name.removesuffix(ending) for file in self.folder.glob(f"*{ending}"))

    def give_back(self) -> None:
        """Write each file anew, without what was deleted."""
        for file in own_files(self.folder):
            try:
                with closing(connect(file)) as connection:
                    connection.execute("VACUUM")
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            except sqlite3.Error as problem:
                raise library_unusable_error(file, problem) from problem

    def keep_original(self, name: str, data: bytes) -> None:
        """Keep a file in a folder of the library; a link in its place, which we never made, is not followed."""
        folder, name = self.folder / ORIGINALS, file_name(name)
        folder.mkdir(exist_ok=True)
        if (folder / name).is_symlink():
            (folder / name).unlink()
        with replace_file(folder / name, "wb") as file:
            file.write(data)

    def original(self, name: str) -> Path | None:
        """A kept file, where it is there."""
        kept = self.folder / ORIGINALS / file_name(name)
        return kept if kept.is_file() and not kept.is_symlink() else None

    def filter_originals(self, names: Sequence[str]) -> set[str]:
        """Those of these names under which files are kept."""
        return {name for name in names if self.original(name)}

    def originals(self) -> Sequence[str]:
        """The names of all kept files."""
        return sorted(file.name for file in (self.folder / ORIGINALS).glob("*"))

    def forget_original(self, document: str) -> None:
        """Delete what is kept of a document."""
        for file in (self.folder / ORIGINALS).glob(f"{file_name(document)}.*"):
            file.unlink(missing_ok=True)

    def _worker_for(self, operations: Sequence[Op]) -> FileWorker:
        return self._writing if any(isinstance(operation, PutOp) for operation in operations) else self._reading


def _forget_mark(path: Path) -> None:
    """Delete a lock file; on Windows not one that another process looks at, who deletes it later."""
    with suppress(PermissionError):
        path.unlink(missing_ok=True)


def _parse_row_value(stored: Any, folder: Path) -> dict[str, Any]:
    if (value := parse_stored_value(stored)) is UNREADABLE:
        raise library_damage_error(folder)
    return value

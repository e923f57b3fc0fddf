"""The embedded store: one SQLite file under LangGraph's `SqliteStore`, for any event loop and any thread.

`AsyncSqliteStore` belongs to one event loop, and switches threads five times for each batch. Here one thread writes and
one reads. Waiting operations run together, and reads and writes never share a transaction. Its locks are files, which
are free again when their holder is killed.
"""

import errno
import os
import sqlite3
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, suppress
from functools import partial
from pathlib import Path
from shutil import disk_usage
from threading import Lock
from typing import Any

from filelock import AsyncFileLock, Timeout
from langgraph.store.base import Op, PutOp, Result
from langgraph.store.sqlite import SqliteStore
from pydantic_core import from_json

from readgraph.library import sqlite_files
from readgraph.library.address import CHECKPOINTS, STORE, own_files
from readgraph.library.file_checkpointer import LibraryCheckpointer, open_checkpointer
from readgraph.library.minute_ledger import LedgerInFile
from readgraph.library.store import InUse, Listing, ListingPosition, OnWait, Row, SharedStore, T, row_mark
from readgraph.library.workers import WorkerThread
from readgraph.state.files import replace_file
from readgraph.state.loops import pause_in_forks
from readgraph.state.records import UNREADABLE, file_name

_MENDED = (
    "UPDATE store SET value = json_quote(CAST(value AS TEXT)) WHERE NOT json_valid(CAST(value AS TEXT))",
    "UPDATE store SET created_at = CURRENT_TIMESTAMP WHERE datetime(created_at) IS NOT created_at",
    "UPDATE store SET updated_at = CURRENT_TIMESTAMP WHERE datetime(updated_at) IS NOT updated_at",
)
"""Statements that repair odd rows, so that they can be listed: LangGraph parses the times, SQLite the values.
Sound values are blobs, since LangGraph writes bytes: what is no text need not be odd."""


class FileWorker:
    """One connection and the thread that uses it; waiting operations run in one transaction."""

    def __init__(self, path: Path, name: str, *, to_read: bool = False) -> None:
        self._path = path
        self._to_read = to_read
        self._connection = (sqlite_files.connect_to_read if to_read else sqlite_files.connect)(path)
        self._connection.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")
        self._store = SqliteStore(self._connection, deserializer=parse_stored_value)
        self._store.is_setup = to_read
        with sqlite_files.explain_refusals(path):
            try:
                self._store.setup()
            except sqlite3.OperationalError as problem:
                # LangGraph adds a column and then notes that it did; a kill may come in between.
                if "duplicate column name" not in str(problem):
                    raise
                self._connection.execute("INSERT INTO store_migrations (v) SELECT max(v) + 1 FROM store_migrations")
                self._store.setup()
        self.lock = Lock()
        self._thread = WorkerThread(
            f"readgraph-{name}", f"The library {path.parent}", self._run_together, instead=sqlite_files.IN_WORKER
        )
        pause_in_forks(self)

    async def run(self, operations: list[Op]) -> list[Result]:
        """Run operations; writes are made even if the caller is cancelled."""
        return await self._thread.run(partial(self._run_alone, operations), writes=True)

    def run_now(self, operations: list[Op]) -> list[Result]:
        """As `run`; this blocks."""
        return self._thread.submit(partial(self._run_alone, operations), writes=True).result()

    def let_go(self) -> None:
        """Close the connection in a forked child process."""
        self._connection.close()

    def close(self) -> None:
        """Carry out what waits, and close the connection."""
        if not self._thread.of_parent:
            self._thread.shutdown()
            self._connection.close()

    def _run_together(self, batches: "Sequence[partial[list[Result]]]") -> Sequence[list[Result]]:
        each = [batch.args[0] for batch in batches]
        with self.lock:
            results = iter(self._store.batch([operation for operations in each for operation in operations]))
        return [[next(results) for _ in operations] for operations in each]

    def _run_alone(self, operations: list[Op]) -> list[Result]:
        """Run operations in a transaction of their own; odd rows that they meet are repaired."""
        with self.lock:
            try:
                try:
                    return self._store.batch(operations)
                except Exception as problem:  # of one row: SQLite can't parse its value, or LangGraph its time
                    cause = problem if isinstance(problem, sqlite3.Error) else problem.__cause__
                    malformed = isinstance(cause, sqlite3.Error) and "malformed JSON" in str(cause)
                    if not malformed and not isinstance(problem, ValueError):
                        raise
                    self._mend()
                    return self._store.batch(operations)
            except Exception as problem:
                cause = problem if isinstance(problem, sqlite3.Error) else problem.__cause__
                if isinstance(cause, sqlite3.Error):
                    raise sqlite_files.library_unusable_error(self._path, cause) from problem
                if isinstance(problem, ValueError):  # of a stored row
                    raise sqlite_files.library_damage_error(self._path) from problem
                raise

    def _mend(self) -> None:
        """Repair odd rows so that they can be listed; their values are no records, before and after.

        For a read-only library a temporary, repaired copy hides the table in this connection.
        """
        if self._to_read:
            self._connection.execute("PRAGMA temp_store = MEMORY")
            self._connection.execute("CREATE TEMP TABLE store AS SELECT * FROM main.store")
        for statement in _MENDED:
            self._connection.execute(statement)


def parse_stored_value(stored: Any) -> dict[str, Any]:
    """A stored value; `UNREADABLE` if it is not a JSON object, so that one odd row doesn't hide the others."""
    try:
        value = from_json(stored, allow_inf_nan=False)
    except (ValueError, TypeError):
        return UNREADABLE
    return value if isinstance(value, dict) else UNREADABLE


class _FileListing:
    """One look at a file, within a transaction; what was seen is the number of the last row, and what it held."""

    def __init__(self, connection: sqlite3.Connection, prefix: str) -> None:
        self._connection, self._prefix = connection, prefix

    def count(self) -> int:
        cursor = self._connection.execute("SELECT count(*) FROM store WHERE prefix = ?", (self._prefix,))
        return int(cursor.fetchone()[0])

    def keys(self) -> set[str]:
        return {key for (key,) in self._connection.execute("SELECT key FROM store WHERE prefix = ?", (self._prefix,))}

    def knows(self, seen: ListingPosition) -> bool:
        """Whether the row is still the same: all may have been numbered anew."""
        select = "SELECT key, value FROM store WHERE rowid = ? AND prefix = ?"
        row = self._connection.execute(select, (seen.number, self._prefix)).fetchone()
        return bool(row) and row_mark(*row) == seen.mark

    def changes_since(self, seen: ListingPosition) -> Iterator[tuple[ListingPosition, str, str | bytes]]:
        """The rows after that one."""
        after = seen.number if self.knows(seen) else -1
        rows = "SELECT rowid, key, value FROM store WHERE prefix = ? AND rowid > ? ORDER BY rowid"
        for number, key, value in self._connection.execute(rows, (self._prefix, after)):
            yield ListingPosition(number, row_mark(key, value)), key, value


ORIGINALS = "originals"  # the folder of kept files; a file there has the id of its document, and the ending of its kind
ROOM = 2**20  # bytes on the disk without which no reply is paid for: the replies of all calls in flight fit into them
PLENTY, LOOK_AGAIN = 2**30, 2.0  # bytes that no disk loses within these seconds: a look takes a switch to a thread


class LibraryStore(SharedStore):
    """A durable store in one SQLite file, which several processes may use; with `to_read` every write is refused."""

    def __init__(self, path: Path, *, to_read: bool = False) -> None:
        self.folder, self.place, self.name = path.parent, str(path.parent), path.parent.name
        self.locks = path.parent / "locks"
        self.ledger = LedgerInFile(self.locks / "minute.sqlite")
        self.path, self.roomy_until = path, 0.0
        self.writable = not to_read
        if to_read:
            self._reading = self._writing = FileWorker(path, "reads", to_read=True)
            return
        with sqlite_files.lock_setup(self.folder):
            self._reading, self._writing = FileWorker(path, "reads"), FileWorker(path, "writes")

    def __repr__(self) -> str:
        return f"LibraryStore({str(self.locks.parent)!r})"

    def close(self) -> None:
        """Commit pending writes and close the file."""
        self._writing.close()
        if self._reading is not self._writing:
            self._reading.close()

    def open_threads(self, part: str = "") -> AbstractAsyncContextManager[LibraryCheckpointer]:
        """The checkpointer over the file of this namespace."""
        file = self.folder / (f"{part}-{CHECKPOINTS}" if part else CHECKPOINTS)
        return open_checkpointer(file, to_read=not self.writable)

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

    @asynccontextmanager
    async def hold_lock(self, name: str, on_wait: OnWait | None = None, *, wait: bool = True) -> AsyncIterator[None]:
        """Hold a lock file of the library."""
        lock = AsyncFileLock(self.locks / file_name(name), thread_local=False)
        with sqlite_files.explain_refusals(self.folder):
            try:
                await lock.acquire(blocking=False)
            except Timeout:
                if not wait:
                    raise InUse(f"Another process holds {file_name(name)}.") from None
                if on_wait:
                    on_wait()
                await lock.acquire()
        try:
            yield
        except BaseException:
            await self.wait_for_writes()
            raise
        finally:
            await lock.release()

    @asynccontextmanager
    async def mark_in_use(self, document: str) -> AsyncIterator[None]:
        """Mark a document as in use."""
        name = f"{file_name(document)}-{uuid.uuid4().hex}.used"
        try:
            async with self.hold_lock(name):
                yield
        finally:
            _forget_mark(self.locks / name)

    async def wait_until_unused(self, document: str, on_wait: OnWait | None = None, *, wait: bool = True) -> None:
        """Wait until nobody uses a document; processes that were killed have left marks too."""
        for path in [*self.locks.glob(f"{file_name(document)}-*.used")]:
            async with self.hold_lock(path.name, on_wait, wait=wait):
                pass
            _forget_mark(path)

    def check_room(self, needed: int = 0) -> None:
        """Raise `LibraryError` where less than `ROOM`, or than is `needed`, is left on its disk."""
        with sqlite_files.explain_refusals(self.folder):
            if (free := disk_usage(self.folder).free) < max(ROOM, needed):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if free > PLENTY:
            self.roomy_until = time.monotonic() + LOOK_AGAIN

    def size(self) -> int:
        """The bytes of all files in the folder."""
        files = (file for file in self.folder.rglob("*") if file.is_file())
        return sum(file.stat().st_size for file in files if not file.name.endswith("-shm"))  # there while one is open

    def rows(self, after: tuple[str, str], most: int) -> Sequence[Row]:
        """The next rows, over a connection of their own."""
        file = self.folder / STORE
        select = "SELECT prefix, key, value FROM store WHERE (prefix, key) > (?, ?) ORDER BY prefix, key LIMIT ?"
        with sqlite_files.explain_refusals(file):
            with closing(sqlite_files.connect_to_read(file)) as connection:
                found = connection.execute(select, (*after, most)).fetchall()
            if found and not after < tuple(map(str, found[-1][:2])):
                # The index is out of order: the rows might never end.
                raise sqlite_files.library_damage_error(self.folder)
            values = [parse_stored_value(value) for *_, value in found]
            if any(value is UNREADABLE for value in values):
                raise sqlite_files.library_damage_error(self.folder)
            return [(prefix, key, value) for (prefix, key, _), value in zip(found, values, strict=True)]

    def look(self, prefix: str, use: Callable[[Listing], T]) -> T:
        """What a function makes of a listing."""
        with closing(sqlite_files.connect_to_read(self.path)) as connection:
            connection.execute("BEGIN")
            return use(_FileListing(connection, prefix))

    def parts(self) -> Sequence[str]:
        """The keys of the namespaces that have files of checkpoints."""
        ending = f"-{CHECKPOINTS}"
        return sorted(file.name.removesuffix(ending) for file in self.folder.glob(f"*{ending}"))

    def give_back(self) -> None:
        """Write each file anew, without what was deleted."""
        for file in own_files(self.folder):
            with sqlite_files.explain_refusals(file), closing(sqlite_files.connect(file)) as connection:
                connection.execute("VACUUM")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

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
        path = self.folder / ORIGINALS / file_name(name)
        return path if path.is_file() and not path.is_symlink() else None

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
        return self._writing if PutOp in map(type, operations) else self._reading


def _forget_mark(path: Path) -> None:
    """Delete a lock file; on Windows not one that another process looks at, who deletes it later."""
    with suppress(PermissionError):
        path.unlink(missing_ok=True)

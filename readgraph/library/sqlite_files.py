"""SQLite files of a library: how they are opened, and what is said where they can't be used.

A derived file, such as a search index, is made anew if it is damaged or of another format.
"""

import errno
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeVar

from filelock import FileLock

from readgraph.state.errors import LibraryError

BUSY_SECONDS = 30.0

ConnectionT = TypeVar("ConnectionT", bound=sqlite3.Connection)

_MAKE_ROOM = "make room on its disk and give the same command again"
_MAKE_WRITABLE = "it must be writable: change its permissions, or name another folder"
_RESTORE = "it is damaged: put a copy of it back, or name another folder"
IN_WORKER = ": open it in the worker"  # what to do with a library that a forked process inherited

_MENDING = {
    sqlite3.SQLITE_FULL: _MAKE_ROOM,
    sqlite3.SQLITE_IOERR: f"where the disk is full, {_MAKE_ROOM}",
    sqlite3.SQLITE_READONLY: _MAKE_WRITABLE,
    sqlite3.SQLITE_CANTOPEN: _MAKE_WRITABLE,
    sqlite3.SQLITE_PERM: _MAKE_WRITABLE,
    sqlite3.SQLITE_CORRUPT: _RESTORE,
    sqlite3.SQLITE_NOTADB: _RESTORE,
    sqlite3.SQLITE_BUSY: "another process holds it: give the same command again",
}
"""What the user can do, by SQLite's primary error codes."""

_MENDING_FILES = dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), _MAKE_ROOM) | dict.fromkeys(
    (errno.EACCES, errno.EPERM, errno.EROFS), _MAKE_WRITABLE
)


def library_unusable_error(place: Path, problem: sqlite3.Error | OSError) -> LibraryError:
    """The error for a library that SQLite or the file system refuses: what is wrong and what to do."""
    return LibraryError(f"{place} can't be used as a library: {explain(problem)}.")


@contextmanager
def explain_refusals(place: Path) -> Iterator[None]:
    """What SQLite or the file system refuses inside of the `with` is told as a `LibraryError` about this place."""
    try:
        yield
    except (sqlite3.Error, OSError) as problem:
        raise library_unusable_error(place, problem) from problem


def explain(problem: sqlite3.Error | OSError) -> str:
    """What is wrong where SQLite or the file system refuses a file, and what to do."""
    if isinstance(problem, OSError):
        what, mending = problem.strerror, _MENDING_FILES.get(problem.errno or 0)
    else:
        what, mending = str(problem), _MENDING.get(getattr(problem, "sqlite_errorcode", 0) & 0xFF)
    return ": ".join(filter(None, [what, mending]))


def library_damage_error(place: Path) -> LibraryError:
    """The error for a library with stored data that can't be read."""
    return LibraryError(f"{place} can't be used as a library: {_RESTORE}.")


def refuse_links(*paths: Path) -> None:
    """Raise `LibraryError` for a link: a library has none, and a stranger's could lead to any file of this machine."""
    for path in paths:
        if path.is_symlink():
            raise LibraryError(f"{path} is a link, and a library has none: put what it leads to in its place.")


def refuse_linked(file: Path) -> None:
    """Raise `LibraryError` where an SQLite file, or one that SQLite writes beside it, is a link."""
    refuse_links(*(file.with_name(f"{file.name}{ending}") for ending in ("", "-wal", "-shm", "-journal")))


def delete_database(file: Path) -> None:
    """Delete an SQLite file, and those that SQLite writes beside it."""
    for ending in ("", "-wal", "-shm"):
        file.with_name(f"{file.name}{ending}").unlink(missing_ok=True)


def trust_data_only(connection: sqlite3.Connection) -> None:
    """Make sure that a file from somebody else runs no code; one with a trigger or a view counts as damaged.

    A view could run for ever, and a trigger could change what is written.
    """
    connection.execute("PRAGMA trusted_schema=OFF")
    try:
        found = connection.execute("SELECT 1 FROM sqlite_schema WHERE type IN ('trigger', 'view')").fetchone()
    except UnicodeDecodeError as problem:  # SQLite names what it can't read, and Python can't read that name
        raise corruption_error("malformed database schema") from problem
    if found:
        raise corruption_error("it holds a trigger or a view")


def run_check(connection: sqlite3.Connection, check: Literal["quick_check", "integrity_check"]) -> str:
    """The first fault that SQLite's own check finds in a file, or "ok"."""
    ((said,), *_) = connection.execute(f"PRAGMA {check}(1)").fetchall()
    return str(said)


def corruption_error(what: str) -> sqlite3.DatabaseError:
    """SQLite's error for a damaged file, where SQLite itself doesn't raise it."""
    problem = sqlite3.DatabaseError(what)
    problem.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return problem


@contextmanager
def lock_setup(folder: Path) -> Iterator[None]:
    """Inside the `with`, no other process makes tables in a library's folder; two at once would disturb each other."""
    try:
        (folder / "locks").mkdir(exist_ok=True)
        with FileLock(folder / "locks" / "setup.lock"):
            yield
    except OSError as problem:
        raise library_unusable_error(folder, problem) from problem


def connect(path: Path) -> sqlite3.Connection:
    """A connection in WAL mode: a commit survives a kill of the process, and readers don't wait for writers."""
    return connect_as(sqlite3.Connection, path)


def connect_as(kind: type[ConnectionT], path: Path) -> ConnectionT:
    """The same, of a type of its own."""
    refuse_linked(path)
    with explain_refusals(path):
        connection = sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, factory=kind
        )
        trust_data_only(connection)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """A connection that writes nothing: not to the file, and no other files next to it."""
    refuse_linked(path)
    address, log = path.absolute().as_uri(), path.with_name(f"{path.name}-wal")
    with explain_refusals(path):
        try:
            return _connect_data_only(f"{address}?mode=ro")
        except sqlite3.OperationalError:
            if log.exists() and log.stat().st_size:  # SQLite would ignore what is in the log
                raise
            return _connect_data_only(f"{address}?immutable=1")  # SQLite can't create its shared files there


def _connect_data_only(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=True)
    try:
        trust_data_only(connection)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


class Unreadable(LibraryError):
    """The file is damaged, or of another format."""


def open_derived(
    file: Path, connect: Callable[[Path], ConnectionT], prepare: Callable[[sqlite3.Connection], None], use: str
) -> ConnectionT:
    """A connection to a file whose tables `prepare` checks or makes; raises `LibraryError`, naming its `use`."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{file}.lock"):  # two that open a new file would both make its tables
            try:
                return _open_prepared(file, connect, prepare)
            except (sqlite3.Error, LibraryError) as problem:
                if not is_damage(problem):
                    raise
                delete_database(file)
                return _open_prepared(file, connect, prepare)
    except OSError as problem:
        raise LibraryError(f"{file} can't be used as a {use}: {problem.strerror}.") from problem


def _open_prepared(
    file: Path, connect: Callable[[Path], ConnectionT], prepare: Callable[[sqlite3.Connection], None]
) -> ConnectionT:
    connection = connect(file)
    try:
        prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def is_damage(problem: BaseException | None) -> bool:
    """Whether the file is damaged and must be rebuilt: by the error, or by SQLite's that is its cause."""
    for base_exception in (problem, problem and problem.__cause__):
        code = getattr(base_exception, "sqlite_errorcode", 0) & 0xFF
        if isinstance(base_exception, Unreadable) or code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return True
    return False


@contextmanager
def transaction(connection: sqlite3.Connection, kind: str = "DEFERRED") -> Iterator[None]:
    """Commit what is done inside, or none of it."""
    connection.execute(f"BEGIN {kind}")
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # a full disk has ended it already
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")

"""Files of SQLite that are derived from the library: one that is damaged, or of another format, is made anew."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from filelock import FileLock

from readgraph.library.search.postings import Unreadable
from readgraph.library.sqlite_files import delete_database
from readgraph.state.errors import LibraryError

ConnectionT = TypeVar("ConnectionT", bound=sqlite3.Connection)


def open_derived(
    file: Path, connect: Callable[[Path], ConnectionT], prepare: Callable[[sqlite3.Connection], None], use: str
) -> ConnectionT:
    """A connection to a file, whose tables `prepare` checks or makes; `use` says what the file is.

    Raises `LibraryError` where the file can't be used.
    """
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
    for each in (problem, problem and problem.__cause__):
        code = getattr(each, "sqlite_errorcode", 0) & 0xFF
        if isinstance(each, Unreadable) or code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
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

"""The file of the keyword indexes: opened, checked, made anew if it is damaged or of another version."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.metadata import version
from pathlib import Path

from filelock import FileLock

from readgraph.state.errors import LibraryError
from readgraph.state.files.sqlite_files import connect_as, refuse_linked
from readgraph.state.records import digest
from readgraph.state.search.postings import Tables, Unreadable

FORMAT = 3
"""Version of tables and terms; a file of another one, or made with other stemmers, is rebuilt."""

# Terms are parted by spaces: ASCII letters, digits, the underscore and all that is not ASCII belong to a term.
_TOKENIZE = "ascii tokenchars '_'"

_INDEXES = (
    "CREATE TABLE indexes (number INTEGER PRIMARY KEY AUTOINCREMENT, memory TEXT NOT NULL UNIQUE, languages TEXT)"
)


def open_tables(path: Path | None) -> Tables:
    """A connection to the indexes in a file, or in memory; a damaged file is replaced by an empty one."""
    if path is None:
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False, factory=Tables)
        _prepare(connection)
        return connection
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{path}.lock"):  # two that open a new file would both make its tables
            try:
                return _opened(path)
            except Unreadable:
                for ending in ("", "-wal", "-shm"):
                    Path(f"{path}{ending}").unlink(missing_ok=True)
                return _opened(path)
    except OSError as problem:
        raise LibraryError(f"{path} can't be used as a search index: {problem.strerror}.") from problem


def _opened(path: Path) -> Tables:
    refuse_linked(path)
    if not path.exists():
        with closing(sqlite3.connect(path)) as new:
            new.execute("PRAGMA auto_vacuum=INCREMENTAL")  # takes effect before all else only, the WAL mode too
            new.execute(f"PRAGMA user_version={_version()}")
    connection = None
    try:
        connection = connect_as(Tables, path)
        _prepare(connection)
    except (LibraryError, sqlite3.Error) as problem:
        if connection:
            connection.close()
        if is_damage(problem) or is_damage(problem.__cause__):
            raise Unreadable(str(problem)) from problem
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    with transaction(connection, "IMMEDIATE"):
        (made_by,) = connection.execute("PRAGMA user_version").fetchone()
        if made_by not in (0, _version()):
            raise Unreadable("The search index was made by another version.")
        schema = dict(connection.execute("SELECT name, sql FROM sqlite_schema").fetchall())
        if "indexes" not in schema:
            connection.execute(_INDEXES)
        elif schema["indexes"] != _INDEXES:
            raise Unreadable("The search index has other tables.")
        for (number,) in connection.execute("SELECT number FROM indexes").fetchall():
            if any(schema.get(name) != sql for name, sql in tables_of(number).items()):
                raise Unreadable("The search index has other tables.")
        connection.execute(f"PRAGMA user_version={_version()}")


def _version() -> int:
    """The number of this format with these stemmers."""
    return int(digest([FORMAT, version("snowballstemmer")], 7), 16)


def tables_of(number: int) -> dict[str, str]:
    """The tables of one memory's index, by name: what types their values have, SQLite sees to."""
    entries, terms, vocabulary = f"entries_{number}", f"terms_{number}", f"vocabulary_{number}"
    columns = "page INTEGER PRIMARY KEY, words INTEGER NOT NULL, follows INTEGER NOT NULL, terms BLOB NOT NULL"
    return {
        entries: f"CREATE TABLE {entries} ({columns})",
        f"pages_{number}": f"CREATE INDEX pages_{number} ON {entries} (page, words, follows)",  # read without the terms
        terms: f"CREATE VIRTUAL TABLE {terms} USING fts5(page, header, memo, content='', tokenize=\"{_TOKENIZE}\")",
        vocabulary: f"CREATE VIRTUAL TABLE {vocabulary} USING fts5vocab({terms}, 'row')",
        f"postings_{number}": f"CREATE VIRTUAL TABLE postings_{number} USING fts5vocab({terms}, 'instance')",
    }


def is_damage(problem: BaseException | None) -> bool:
    """Whether the file is damaged and must be rebuilt."""
    if not isinstance(problem, sqlite3.Error):
        return isinstance(problem, Unreadable)
    return getattr(problem, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


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

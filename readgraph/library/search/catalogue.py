"""The catalogue of a library's documents: names, sizes and words, so that one of very many is found without a list.

It is derived from the store, in a file beside the other search indexes. Whenever it is used, the store's newest rows
are taken in, and where the count or the last known row differs, all are compared. Stores in memory, and libraries with
fewer than `MANY` documents, need none: there a list is quick.
"""

import asyncio
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, TypeVar

from langgraph.store.base import BaseStore
from pydantic_core import from_json

from readgraph.library import sqlite_files
from readgraph.library.address import SEARCH
from readgraph.library.documents import load_document
from readgraph.library.page_store import PageStore
from readgraph.library.store import Listing, ListingPosition, SharedStore, row_mark
from readgraph.library.stored_items import ROOT, NamespacedStore, base_of, name_in_base
from readgraph.state.errors import Damaged, LibraryError
from readgraph.state.loops import pause_in_forks, reset_in_forked
from readgraph.state.records import Document

MANY = 1_000  # a library with this many documents has a catalogue
MOST_NAMED = 50  # the most documents that a name may mean; a message lists fewer
MOST_NEAR = 500  # the most titles among which one that is spelt nearly alike is looked for
FORMAT = 3

_PUT = """
INSERT INTO documents (id, source, title, title_words, added, words, joined, damaged, supersedes, record)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET source = excluded.source, title = excluded.title, title_words = excluded.title_words,
    added = excluded.added, words = excluded.words, joined = excluded.joined, damaged = excluded.damaged,
    supersedes = excluded.supersedes, record = excluded.record, indexed = 0
"""

WITH_LATER = (
    "WITH RECURSIVE found (id) AS ({} UNION"
    " SELECT later.id FROM documents AS later JOIN found ON later.supersedes = found.id) SELECT id FROM found"
)
"""The ids that a statement selects, and those of the documents that stand in place of these, step by step."""

_MARK = "SELECT record FROM documents WHERE id = ?"
T = TypeVar("T")


class CatalogueDamaged(LibraryError):
    """The catalogue's file is damaged; it was deleted, and the next use makes it again."""

    def __init__(self, file: Path) -> None:
        super().__init__(f"{file} was damaged and is made again from the library: give the same command again.")


class _Use:
    """While a catalogue is used, no process is forked: a child must not inherit open files of SQLite."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Begin afresh, in a forked child too."""
        self.lock = Lock()
        pause_in_forks(self)

    def let_go(self) -> None:
        """Nothing stays open."""


_USE = _Use()
reset_in_forked(_USE.begin)


class NewestDocuments(NamedTuple):
    """Ids of some documents, the newest first, and how many documents and words there are in all."""

    total: int
    words: int
    ids: list[str]


@dataclass(frozen=True)
class Catalogue:
    """The catalogue of a part of a library, up to date when `catalogue_of` gave it."""

    file: Path
    store: SharedStore
    prefix: str

    async def run(self, ask: Callable[[sqlite3.Connection], T]) -> T:
        """What a function finds in the catalogue's file, in a thread of its own; raises `CatalogueDamaged`."""

        def ask_file() -> T:
            with _USE.lock, _delete_if_damaged(self.file), closing(sqlite_files.connect(self.file)) as connection:
                return ask(connection)

        return await asyncio.to_thread(ask_file)

    async def find_by_name(self, name: str, path: str, id_of_file: str | None) -> list[str]:
        """The ids of the documents that this name may mean; else of those whose titles begin words alike."""
        return await self.run(partial(_find_ids_by_name, name, path, id_of_file))

    async def list_damaged(self) -> list[str]:
        """The ids of documents whose record is damaged."""
        select = "SELECT id FROM documents WHERE damaged"
        return await self.run(lambda connection: [identity for (identity,) in connection.execute(select)])

    async def list_joined(self) -> list[str]:
        """The ids of the collections that questions made of documents, the newest first."""
        select = "SELECT id FROM documents WHERE joined AND NOT damaged ORDER BY added DESC, number DESC"
        return await self.run(lambda connection: [identity for (identity,) in connection.execute(select)])

    async def newest(self, offset: int, limit: int, words: Sequence[str] = ()) -> NewestDocuments:
        """Documents whose titles hold these words, in lower case, without the collections that questions made."""
        having = " AND ".join(["NOT damaged", "NOT joined", *(["instr(title, ?)"] * len(words))])

        def select_newest(connection: sqlite3.Connection) -> NewestDocuments:
            sums = f"SELECT count(*), coalesce(sum(words), 0) FROM documents WHERE {having}"
            total, held = connection.execute(sums, words).fetchone()
            some = f"SELECT id FROM documents WHERE {having} ORDER BY added DESC, number DESC LIMIT ? OFFSET ?"
            return NewestDocuments(total, held, [row[0] for row in connection.execute(some, (*words, limit, offset))])

        return await self.run(select_newest)

    def update(self, fewest: int) -> bool:
        """Bring the catalogue up to date; gives whether the library has so many documents that it has one."""

        def take_in_listing(listing: Listing) -> bool:
            if listing.count() < fewest:
                return False
            sqlite_files.refuse_links(self.file.parent)
            with (
                _delete_if_damaged(self.file),
                closing(
                    sqlite_files.open_derived(self.file, sqlite_files.connect, _prepare, "catalogue")
                ) as connection,
                sqlite_files.transaction(connection, "IMMEDIATE"),
            ):
                _take_in(connection, listing)
            return True

        with _USE.lock:
            try:
                return self.store.look(self.prefix, take_in_listing)
            except CatalogueDamaged:
                return self.store.look(self.prefix, take_in_listing)


async def catalogue_of(pages: PageStore, fewest: int | None = None) -> Catalogue | None:
    """The catalogue of a page store, up to date; None where a list is as quick, or where nothing can be written.

    `fewest`: documents from which on there is one; None: `MANY`.
    """
    base = base_of(pages.store)
    if not isinstance(base, SharedStore) or not (base.writable or base.indexes_apart):
        return None
    inside = pages.store.prefix if isinstance(pages.store, NamespacedStore) else ()
    catalogue = Catalogue(_file(base, pages.store), base, ".".join((*inside, ROOT, "documents")))
    return catalogue if await asyncio.to_thread(catalogue.update, MANY if fewest is None else fewest) else None


async def count_documents(pages: PageStore) -> int:
    """How many documents a page store holds, without the collections that questions made of them."""
    if catalogue := await catalogue_of(pages):
        return (await catalogue.newest(0, 0)).total
    return sum(not document.parts for document in await pages.documents())


async def forget_number(store: BaseStore, document: str) -> int | None:
    """Take a document out of a library's catalogue, if there is one; gives its number. Raises `CatalogueDamaged`."""
    base = base_of(store)
    if not isinstance(base, SharedStore) or not (file := _file(base, store)).exists():
        return None

    def forget(connection: sqlite3.Connection) -> int | None:
        row = connection.execute("SELECT number FROM documents WHERE id = ?", (document,)).fetchone()
        connection.execute("DELETE FROM documents WHERE id = ?", (document,))
        return row[0] if row else None

    return await Catalogue(file, base, "").run(forget)


def _file(base: SharedStore, store: BaseStore) -> Path:
    return base.folder / SEARCH / name_in_base(store, "") / "documents.sqlite"


async def records(pages: PageStore, ids: Sequence[str]) -> list[Document]:
    """The documents with these ids, in this order, without those that are gone or damaged."""
    documents = list[Document]()
    for value in await pages.get((ROOT, "documents"), ids):
        with suppress(Damaged):
            documents += [Document.load(value)] if value is not None else []
    return documents


def title_words(title: str) -> str:
    """The words of a title in lower case, with single spaces between."""
    return re.sub(r"[\W_]+", " ", title).strip().casefold()


@contextmanager
def _delete_if_damaged(file: Path) -> Iterator[None]:
    """Delete a file that turns out to be damaged; an error of SQLite's names this file, and not another."""
    try:
        yield
    except (sqlite3.Error, LibraryError) as problem:
        if sqlite_files.is_damage(problem):
            sqlite_files.delete_database(file)
            raise CatalogueDamaged(file) from problem
        if isinstance(problem, sqlite3.Error):
            raise sqlite_files.library_unusable_error(file, problem) from problem
        raise


def _prepare(connection: sqlite3.Connection) -> None:
    (made,) = connection.execute("PRAGMA user_version").fetchone()
    if made not in (0, FORMAT):
        connection.executescript("DROP TABLE documents; DROP TABLE seen")
    if made != FORMAT:
        tables = files(__package__).joinpath("catalogue.sql").read_text(encoding="utf-8")
        connection.executescript(f"{tables}; PRAGMA user_version={FORMAT}")


def _take_in(connection: sqlite3.Connection, listing: Listing) -> None:
    """Take in what the store holds now, in one look at it."""
    listing_position = ListingPosition(*(connection.execute("SELECT row, record FROM seen").fetchone() or ()))
    known = (
        {}
        if listing.knows(listing_position)
        else dict(connection.execute("SELECT id, record FROM documents").fetchall())
    )
    last = listing_position
    for now, key, value in listing.changes_since(listing_position):
        last, mark = now, row_mark(key, value)
        here = (known.get(key),) if key in known else connection.execute(_MARK, (key,)).fetchone()
        if here != (mark,):
            connection.execute(_PUT, (*_document_row(key, value), mark))
    connection.execute("DELETE FROM seen")
    connection.execute("INSERT INTO seen VALUES (?, ?)", last)
    (listed,) = connection.execute("SELECT count(*) FROM documents").fetchone()
    if listing.count() != listed:
        there = listing.keys()
        gone = [(key,) for (key,) in connection.execute("SELECT id FROM documents") if key not in there]
        connection.executemany("DELETE FROM documents WHERE id = ?", gone)


def _document_row(identity: str, value: Any) -> tuple[Any, ...]:
    """A document's row; one that is damaged keeps its id alone."""
    try:
        document = load_document(identity, from_json(value))
    except (Damaged, ValueError, TypeError):
        return identity, "", "", "", "", 0, 0, 1, ""
    title, words = document.title.casefold(), f" {title_words(document.title)}"
    sizes = document.words, bool(document.parts), 0
    return identity, document.source, title, words, document.added, *sizes, document.supersedes


def _find_ids_by_name(name: str, path: str, id_of_file: str | None, connection: sqlite3.Connection) -> list[str]:
    if not name.strip():
        return []
    exact = (
        "SELECT id, added FROM documents WHERE id IN (?, ?) OR source IN (?, ?) OR title = ? OR (id >= ? AND id < ?)"
        " LIMIT ?"
    )
    bounds = (name, id_of_file, path, name, name.casefold(), name, f"{name}\U0010ffff", MOST_NAMED)
    found = dict(connection.execute(exact, bounds).fetchall())
    part = "SELECT id, added FROM documents WHERE substr(source, ?) IN (?, ?) LIMIT ?"
    found |= connection.execute(part, (-len(name) - 1, f"/{name}", f"\\{name}", MOST_NAMED)).fetchall()
    if words := title_words(name):
        part = "SELECT id, added FROM documents WHERE instr(title_words, ?) ORDER BY joined LIMIT ?"
        found |= connection.execute(part, (f" {words}", MOST_NAMED)).fetchall()
    if not found and words:
        begun = sorted({f" {word[:3]}" for word in words.split(" ")}, key=len)[-5:]
        near = " + ".join(["(instr(title_words, ?) > 0)"] * len(begun))
        alike = f"SELECT id, added FROM documents WHERE {near} ORDER BY {near} DESC LIMIT ?"
        found |= connection.execute(alike, (*begun, *begun, MOST_NEAR)).fetchall()
    return sorted(found, key=lambda each: found[each], reverse=True)

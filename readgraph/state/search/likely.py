"""The documents of a very large library that share most words with a query, by an index of all their texts.

The index holds each document as one entry, under its number in the catalogue. It takes in what is new when it is asked;
the first time, that is everything. What is searched then are the passages of the likeliest documents, with the weights
that the query's words have in the whole library.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from readgraph.state.errors import LibraryError
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document
from readgraph.state.search.catalogue import Catalogue, CatalogueDamaged, catalogue_of, forget_number, records
from readgraph.state.search.entries import Counted, Entry
from readgraph.state.search.fusing import pages_of
from readgraph.state.search.index_registry import indexes_of
from readgraph.state.search.keyword_index import KeywordIndex
from readgraph.state.store.namespaces import base_of
from readgraph.state.store.shared_store import SharedStore
from readgraph.state.text.language import language_of

LIKELY = 100
"""Documents whose passages are ranked."""

AT_ONCE = 500
"""Documents that are taken in together."""

TEXTS = "documents"
"""The key of the texts' index in its file."""

_WITH_TEXT = "NOT joined AND NOT damaged"  # the text of a collection is that of its documents


class Likely(NamedTuple):
    """Documents, the likeliest first, and in how many of all documents the query's terms are."""

    documents: list[Document]
    counted: Counted


async def likely_documents(pages: PageStore, query: str) -> Likely | None:
    """The documents that share most words with a query; None where the library is small enough to go through."""
    catalogue = await catalogue_of(pages)
    if not catalogue:
        return None
    texts = (await indexes_of(pages.store)).texts
    await _take_in(pages, catalogue, texts)
    numbers = pages_of(await texts.ranked(TEXTS, query, LIKELY))
    ids = await catalogue.run(lambda connection: [_id_of(connection, number) for number in numbers])
    documents = await records(pages, [identity for identity in ids if identity])
    return Likely(documents, await texts.counted(TEXTS, query))


async def forget_text(pages: PageStore, document: str) -> None:
    """Take a document's words out of the index, and its names out of the catalogue."""
    if not isinstance(base_of(pages.store), SharedStore):
        return
    try:
        number = await forget_number(pages.store, document)
    except CatalogueDamaged:  # nobody knows which words were the document's
        await (await indexes_of(pages.store)).texts.forget(TEXTS)
    else:
        if number is not None:
            await (await indexes_of(pages.store)).texts.remove(TEXTS, [number])


async def _take_in(pages: PageStore, catalogue: Catalogue, texts: KeywordIndex) -> None:
    """Index the texts that are new, and mend an index that holds others than the catalogue says."""
    extent = await texts.extent(TEXTS)
    known = f"SELECT count(*) FROM documents WHERE indexed AND {_WITH_TEXT}"
    if extent.count != await catalogue.run(lambda connection: connection.execute(known).fetchone()[0]):
        there = {*range(extent.last + 1)} - {*await texts.missing(TEXTS, extent.last + 1)}
        await texts.remove(TEXTS, await catalogue.run(lambda connection: _mended(connection, there)))
    new = f"SELECT number, id FROM documents WHERE NOT indexed AND {_WITH_TEXT} LIMIT ?"
    while wanted := await catalogue.run(lambda connection: dict(connection.execute(new, (AT_ONCE,)).fetchall())):
        found = {document.id: document for document in await records(pages, [*wanted.values()])}
        entries = [await _entry(pages, number, found.get(identity)) for number, identity in wanted.items()]
        await texts.add(TEXTS, entries)
        await catalogue.run(lambda connection, numbers=[*wanted]: _mark(connection, numbers))  # type: ignore[misc]


async def _entry(pages: PageStore, number: int, document: Document | None) -> Entry:
    """A document's words; those of one that is gone meanwhile, or can't be read, are none."""
    text = ""
    if document:
        with suppress(LibraryError):
            text = await pages.text(document)
    return Entry(number, text, language=language_of(text))


def _mark(connection: sqlite3.Connection, numbers: Sequence[int]) -> None:
    with_mark = "UPDATE documents SET indexed = 1 WHERE number = ?"
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(with_mark, [(number,) for number in numbers])
    connection.execute("COMMIT")


def _mended(connection: sqlite3.Connection, there: set[int]) -> list[int]:
    """Mark as missing what the index lacks; gives what it holds and should not."""
    known = {number for (number,) in connection.execute(f"SELECT number FROM documents WHERE indexed AND {_WITH_TEXT}")}
    lacking = [(number,) for number in known - there]
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany("UPDATE documents SET indexed = 0 WHERE number = ?", lacking)
    connection.execute("COMMIT")
    return sorted(there - known)


def _id_of(connection: sqlite3.Connection, number: int) -> str:
    row = connection.execute("SELECT id FROM documents WHERE number = ?", (number,)).fetchone()
    return str(row[0]) if row else ""

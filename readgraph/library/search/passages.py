"""Search in the texts of documents: their passages, ranked together.

The passages of few documents are ranked at once. Those of many, or of many words, are ranked by an index, which
takes in what is new when it is asked. It holds each passage under the number that its document has in the catalogue,
and its own.
"""

import asyncio
import json
import sqlite3
from bisect import bisect_right
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import Literal, NamedTuple

from readgraph.language.detection import language_of
from readgraph.language.excerpts import cut_to_passages
from readgraph.library.page_store import PageStore
from readgraph.library.search.catalogue import (
    WITH_LATER,
    Catalogue,
    CatalogueDamaged,
    catalogue_of,
    forget_number,
    records,
)
from readgraph.library.search.hits import IndexEntry
from readgraph.library.search.indexes import KeywordIndex, indexes_of
from readgraph.library.search.okapi import Okapi, TextsWith
from readgraph.library.sqlite_files import transaction
from readgraph.library.store import SharedStore
from readgraph.library.stored_items import base_of
from readgraph.state.errors import Forgotten, LibraryError
from readgraph.state.records import Document
from readgraph.state.variables import awaiting, tell_pause

FoundBy = Literal["words", "meaning"]
WORDS: FoundBy = "words"
MEANING: FoundBy = "meaning"


@dataclass(frozen=True, slots=True)
class PassageHit:
    """A passage `[start, end)` of a document in `language` (ISO 639-1), its score, and by what it was found.

    The score is Okapi BM25, or its share fused with nearness by meaning.
    """

    document: Document
    start: int
    end: int
    score: float
    language: str
    found_by: tuple[FoundBy, ...] = (WORDS,)


async def search_documents(store: PageStore, documents: Sequence[Document], query: str) -> list[PassageHit]:
    """The passages of these documents that share words with the query, best first; texts are read once or twice.

    A passage of a history is found also by the words of its session's name, such as its date. A document that is
    forgotten meanwhile is left out.
    """
    okapi, all_terms = Okapi(query), TextsWith()
    spans = list[tuple[Document, int, int, str]]()
    async for document, text, sessions in _texts(store, documents):
        language = language_of(text)
        for number, (start, end) in enumerate(cut_to_passages(text)):  # one by one: long texts' words are not kept
            okapi.add((_known_words(text, start, end, sessions),), language, (0,) if number else ())
            spans.append((document, start, end, language))
    if okapi.needs_all_terms:
        async for _, text, sessions in _texts(store, documents):
            language = language_of(text)
            for start, end in cut_to_passages(text):
                all_terms.add((_known_words(text, start, end, sessions),), language)
    ranked = [(spans[number], round(score, 4)) for number, score in okapi.rank_by_weights(okapi.weights(all_terms))]
    return [PassageHit(document, start, end, score, language) for (document, start, end, language), score in ranked]


Sessions = Sequence[tuple[int, str]]  # where the sessions of a history begin, and their names; empty of other texts
_Text = tuple[str, Sessions]


async def _texts(store: PageStore, documents: Sequence[Document]) -> AsyncIterator[tuple[Document, str, Sessions]]:
    for document in documents:
        with suppress(Forgotten):
            text = await store.text(document)
            yield document, text, await store.places(document) if document.sessions else ()


def _known_words(text: str, start: int, end: int, sessions: Sessions) -> str:
    """What a passage is found by: its own words and those of its session's name."""
    number = bisect_right(sessions, start, key=itemgetter(0)) - 1
    return f"{text[start:end]}\n{sessions[number][1]}" if number >= 0 else text[start:end]


LARGE, SEVERAL = 500_000, 200  # words, or documents, from which on their passages are ranked by an index
MOST_RANKED, MOST_LOCATED = 1_000, 100  # passages of such a ranking, and those whose documents' texts are read
AT_ONCE, WORDS_AT_ONCE = 500, 200_000  # documents that are taken in together, and about how many words
TEXTS = "passages"  # the key of the texts' index in its file
OWN_BITS = 24  # of a passage's number in the index; before them stands the number of its document
_WITH_LATER = WITH_LATER.format("SELECT id FROM documents WHERE number = ?")
_WITH_TEXT = "NOT joined AND NOT damaged"  # the text of a collection is that of its documents


class LikelyPassages(NamedTuple):
    """The best passages by an index: the id of the document, the passage's number in it, and its score.

    `documents` are theirs, of a whole library with their later versions.
    """

    documents: list[Document]
    ranked: list[tuple[str, int, float]]

    def of(self, documents: Iterable[Document]) -> "LikelyPassages":
        """Those of these documents."""
        kept = {document.id: document for document in documents}
        return LikelyPassages([*kept.values()], [each for each in self.ranked if each[0] in kept])


async def likely_passages(
    pages: PageStore, query: str, documents: Sequence[Document] | None = None
) -> LikelyPassages | None:
    """The best passages of these documents, by default of a whole library; None where `search_documents` is as quick.

    The score is FTS5's BM25, with a share of the words of the passages beside.
    """
    if documents is not None:
        are_few = len(documents) < SEVERAL and sum(document.words for document in documents) < LARGE
        if are_few or any(document.parts for document in documents):
            return None
    if not (catalogue := await catalogue_of(pages, None if documents is None else 0)):
        return None
    texts = (await indexes_of(pages.store)).texts
    with awaiting("the index of all texts"):
        await _take_in(pages, catalogue, texts)
    ranked = await texts.rank_pages(TEXTS, query, MOST_RANKED if documents is None else None)
    numbers = [*dict.fromkeys(number >> OWN_BITS for number, _ in ranked)]
    ids = await catalogue.run(partial(_ids_of, numbers))
    if documents is None:
        documents = await records(pages, await catalogue.run(partial(_select_later, numbers)))
    own = (1 << OWN_BITS) - 1
    named = [(ids.get(number >> OWN_BITS, ""), number & own, round(score, 4)) for number, score in ranked]
    likely = LikelyPassages([], named).of(documents)
    return likely._replace(ranked=likely.ranked[:MOST_RANKED])


def _ids_of(numbers: Sequence[int], connection: sqlite3.Connection) -> dict[int, str]:
    select = "SELECT number, id FROM documents WHERE number IN (SELECT value FROM json_each(?))"
    return dict(connection.execute(select, (json.dumps(numbers),)).fetchall())


def _select_later(numbers: Sequence[int], connection: sqlite3.Connection) -> list[str]:
    """The ids of the documents with these numbers, and of their later versions."""
    found = (connection.execute(_WITH_LATER, (number,)) for number in numbers)
    return [*dict.fromkeys(identity for ids in found for (identity,) in ids)]


async def locate_passages(store: PageStore, likely: LikelyPassages, most: int) -> list[PassageHit]:
    """The best passages with their places; their documents' texts are read, but those that are forgotten meanwhile."""
    documents = {document.id: document for document in likely.documents}
    wanted = [each for each in likely.ranked if each[0] in documents][:most]
    last = {identity: number for identity, number, _ in sorted(wanted)}
    places, hits = dict[str, tuple[str, list[tuple[int, int]]]](), list[PassageHit]()
    async for document, text, _ in _texts(store, [documents[identity] for identity in last]):
        places[document.id] = language_of(text), [*islice(cut_to_passages(text), last[document.id] + 1)]
    for identity, number, score in wanted:
        language, spans = places.get(identity, ("", []))
        if number < len(spans):  # a text that was changed meanwhile may have fewer
            hits.append(PassageHit(documents[identity], *spans[number], score, language))
    return hits


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
            await _take_out((await indexes_of(pages.store)).texts, number)


async def _take_out(texts: KeywordIndex, document: int) -> None:
    await texts.remove(TEXTS, await texts.find_between(TEXTS, *_numbers_of(document)))


def _numbers_of(document: int) -> tuple[int, int]:
    """The numbers in the index that the passages of a document may have, `[first, end)`."""
    return document << OWN_BITS, (document + 1) << OWN_BITS


async def _take_in(pages: PageStore, catalogue: Catalogue, texts: KeywordIndex) -> None:
    """Index the texts that are new, and mend an index that holds others than the catalogue says."""
    marked = f"FROM documents WHERE indexed AND {_WITH_TEXT}"
    total = f"SELECT coalesce(sum(indexed - 1), 0) {marked}"
    if (await texts.extent(TEXTS)).count != await catalogue.run(lambda opened: opened.execute(total).fetchone()[0]):
        each = f"SELECT number, indexed - 1 {marked}"
        known: dict[int, int] = await catalogue.run(lambda opened: dict(opened.execute(each).fetchall()))
        there = await texts.count_above(TEXTS, OWN_BITS)
        wrong = [number for number in {*there, *known} if there.get(number, 0) != known.get(number, 0)]
        for number in wrong:
            await _take_out(texts, number)
        await catalogue.run(partial(_mark, dict.fromkeys(wrong, 0)))
    of_new = f"FROM documents WHERE NOT indexed AND {_WITH_TEXT}"
    words = f"SELECT coalesce(sum(words), 0) {of_new}"
    new, all_words, words_read = f"SELECT number, id {of_new} LIMIT ?", 0, 0
    while wanted := await catalogue.run(lambda connection: dict(connection.execute(new, (AT_ONCE,)).fetchall())):
        all_words = all_words or await catalogue.run(lambda connection: connection.execute(words).fetchone()[0])
        documents = {document.id: document for document in await records(pages, [*wanted.values()])}
        for batch in _batches({number: documents.get(identity) for number, identity in wanted.items()}):
            tell_pause(f"{words_read:,} of {all_words:,} new words are in it")
            words_read += sum(document.words for document in batch.values() if document)
            texts_read = {number: text async for number, text in _texts_of(pages, batch)}
            own = await asyncio.to_thread(_cut_to_entries, texts_read)
            await texts.add(TEXTS, [entry for entries in own.values() for entry in entries])
            await catalogue.run(partial(_mark, {number: len(own.get(number, ())) + 1 for number in batch}))


def _batches(documents: Mapping[int, Document | None]) -> Iterator[dict[int, Document | None]]:
    """The documents in groups of about `WORDS_AT_ONCE` words, which are kept in memory together."""
    batch, words_read = dict[int, Document | None](), 0
    for number, document in documents.items():
        batch[number], words_read = document, words_read + (document.words if document else 0)
        if words_read >= WORDS_AT_ONCE:
            yield batch
            batch, words_read = {}, 0
    if batch:
        yield batch


async def _texts_of(pages: PageStore, batch: Mapping[int, Document | None]) -> AsyncIterator[tuple[int, _Text]]:
    """The texts of documents; none of one that is gone meanwhile, or can't be read."""
    for number, document in batch.items():
        with suppress(LibraryError):
            async for _, text, sessions in _texts(pages, [document] if document else []):
                yield number, (text, sessions)


def _cut_to_entries(texts: Mapping[int, _Text]) -> dict[int, list[IndexEntry]]:
    """The passages of each document."""
    entries = dict[int, list[IndexEntry]]()
    for number, (text, sessions) in texts.items():
        language, (first, end) = language_of(text), _numbers_of(number)
        entries[number] = [
            IndexEntry(own, _known_words(text, *span, sessions), language=language, follows=own > first)
            for own, span in zip(range(first, end), cut_to_passages(text), strict=False)
        ]
    return entries


def _mark(passages: Mapping[int, int], connection: sqlite3.Connection) -> None:
    """Write down how many passages of each document the index holds, and one; 0: it lacks the document."""
    with transaction(connection, "IMMEDIATE"):
        marked = [(count, number) for number, count in passages.items()]
        connection.executemany("UPDATE documents SET indexed = ? WHERE number = ?", marked)

"""Documents in a store: a text is kept once, in parts of its own, with the places that its source names.

Storing a text that is too long for one commit, and forgetting a document, may be stopped halfway. The store holds a
record of such work until it is done, and the next opening of the library finishes it (`upkeep/forgetting.py`).
Beside its record a document is noted under its source: to find earlier versions of a file, nobody lists all of a large
library.
"""

import hashlib
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import chain, islice
from operator import itemgetter
from typing import Any
from weakref import WeakKeyDictionary

from langgraph.store.base import BaseStore

from readgraph.language.calendars import check_date
from readgraph.library.store import hold_build_lock
from readgraph.library.stored_items import (
    BATCH,
    EVERY,
    ROOT,
    StoredItems,
    StoredValue,
    drop_oldest,
    number_key,
    replace_surrogates,
)
from readgraph.state.errors import BadInput, Damaged, Forgotten, LibraryError
from readgraph.state.records import CollectionPart, Count, Document, Record, digest, utc_now
from readgraph.state.words import check_words, count_words

SOURCES = (ROOT, "sources")  # below it, under a digest of the source, the ids of its documents
NOTED = "noted"  # the key that says that all documents are noted; a library that was made before has none


def document_item(document: Document) -> StoredValue:
    """A document's record as it is stored."""
    return (ROOT, "documents"), document.id, asdict(document)


def source_note(document: Document) -> list[StoredValue]:
    """What is stored beside a document's record to find it by its source; nothing where it has none."""
    return [(_notes(document.source), document.id, {})] if document.source else []


def _notes(source: str) -> tuple[str, ...]:
    return (*SOURCES, digest([replace_surrogates(source)]))


UNFINISHED = (ROOT, "unfinished")
"""Namespace of these records. Its keys are document ids; its values hold the record of a document being forgotten."""

CORRECTIONS = (ROOT, "corrections")
"""Namespace of the corrections of notes, by document (see `readgraph.library.corrections`)."""

TEXTS = ("text", "places", "sessions", CORRECTIONS[1])  # what is stored of a document besides its record


async def store_document(items: StoredItems, document: Document, parts: Iterable[StoredValue], *, new: bool) -> None:
    """Store a document's parts, then its record. A new document is stored as a whole or not at all."""
    left = iter(parts)
    records: list[StoredValue] = [*source_note(document), document_item(document)]
    first = [*islice(left, BATCH)]
    if len(first) + len(records) <= BATCH:  # committed together
        await items.put([*first, *records])
        return
    if new:
        await items.put([(UNFINISHED, document.id, {})])
    await items.put(chain(first, left))
    await items.put([*records, (UNFINISHED, document.id, None)])


async def drop_document(items: StoredItems, identity: str) -> None:
    """Delete what is stored of a document, and its mark as unfinished."""
    for kind in TEXTS:
        await items.clear((ROOT, kind, identity))
    await items.put([((ROOT, "documents"), identity, None), (UNFINISHED, identity, None)])


class NotHeld(BadInput):
    """The library holds no document, or no memory of one, with this id."""


async def begin_forgetting(items: StoredItems, identity: str) -> Document:
    """Move a document's record from the list to the unfinished work; raises `NotHeld` if it is in neither."""
    (value,) = await items.get((ROOT, "documents"), [identity])
    if value is not None:
        document = _document(identity, value)
        notes: list[StoredValue] = [(space, key, None) for space, key, _ in source_note(document)]
        record = ((ROOT, "documents"), identity, None)
        await items.put([record, *notes, (UNFINISHED, identity, {"document": value})])
        return document
    if marked := await find_document_to_forget(items, identity):
        return marked
    raise NotHeld(f"The library holds no document '{identity}': it was forgotten already.")


async def find_document_to_forget(items: StoredItems, identity: str) -> Document | None:
    """The record of a document that is being forgotten, or None."""
    (value,) = await items.get(UNFINISHED, [identity])
    return _document(identity, value["document"]) if value and "document" in value else None


async def check_not_forgotten(items: StoredItems, identity: str) -> None:
    """Raise `Forgotten` if the document is being forgotten."""
    if document := await find_document_to_forget(items, identity):
        title = document.title or identity
        raise Forgotten(f"'{title}' is being forgotten: wait a moment and give the same command again.")


def _document(identity: str, value: Any) -> Document:
    """The record in a stored value; if it is damaged, one with only the id, which is enough to find everything."""
    try:
        return Document.load(value)
    except Damaged:
        return unreadable(identity)


def unreadable(identity: str) -> Document:
    """A stand-in for a document whose record is damaged, with which it can be forgotten."""
    return Document(identity, identity, "", 0, 0, "")


LEFT_OUT = "Something was left out of the whole file; what, may stand behind the place up to which it is known."
PART = 16_384  # characters of a document's text in each stored item
HASHED_AT_ONCE = 1_000_000  # characters that are encoded at a time: all bytes of a long text would double its memory


def document_id(text: str) -> str:
    """The id of the document with this text."""
    text, hashed = replace_surrogates(text), hashlib.sha256()
    for start in range(0, len(text), HASHED_AT_ONCE):
        hashed.update(text[start : start + HASHED_AT_ONCE].encode())
    return hashed.hexdigest()[:16]


def names_apart(documents: Sequence[Document]) -> list[str]:
    """The titles of documents, with their dates; those of one title are told apart by files or folders, or numbered."""
    dated = [f" ({document.date})" if document.date else "" for document in documents]
    names = [(document.title or document.id) + date for document, date in zip(documents, dated, strict=True)]
    alike = defaultdict[str, list[int]](list)
    for number, name in enumerate(names):
        alike[name].append(number)
    for name, numbers in alike.items():
        if len(numbers) > 1:
            for number, other in zip(numbers, _differences([documents[each].source for each in numbers]), strict=True):
                names[number] = f"{name} ({other})"
    return names


def _differences(sources: Sequence[str]) -> list[str]:
    """The part of these sources' paths, counted from the end, in which all differ; else a number of each."""
    paths = [source.replace("\\", "/").rstrip("/").split("/")[::-1] for source in sources]
    for parts in zip(*paths, strict=False):
        if len({*parts}) == len(parts) and all(parts):
            return [*parts]
    return [str(number) for number in range(1, len(sources) + 1)]


MOST_NAMED = 500  # documents of a collection that are told apart for an answer; of more, those that it names


@dataclass(frozen=True, slots=True)
class _Places:
    places: list[tuple[Count, str]]


MOST_READ_GROUPS = 64  # groups of places that are kept of a store: every question about a long text needs a few of them
_read_groups = WeakKeyDictionary[BaseStore, dict[tuple[str, str, int, int], list[tuple[int, str]]]]()


def names_at(places: Sequence[tuple[int, str]], offsets: Sequence[int]) -> list[str | None]:
    """The names of the places that hold at these offsets; None before the first."""
    nearest = [bisect_right(places, offset, key=itemgetter(0)) - 1 for offset in offsets]
    return [places[number][1] if number >= 0 else None for number in nearest]


class DocumentStore(StoredItems):
    """The documents of a store: their texts, kept in parts, and where these parts stand in their sources."""

    async def add_document(
        self, text: str, *, title: str = "", source: str = "", places: Sequence[tuple[int, str]] = (), date: str = ""
    ) -> Document:
        """Store a text; the same text stored again is the same document. Offsets refer to the text as stored.

        `places` are pairs of (character offset, name in the source's own terms, such as "PDF page 12"), ascending, each
        of which holds up to the next. `date`: YYYY-MM-DD, YYYY-MM or YYYY. Raises `BadInput` for what is none, for an
        empty text, and for one with more words than `READGRAPH_MAX_TEXT_WORDS`.
        """
        if not isinstance(text, str):
            raise BadInput(f"A document's text must be a string, not {type(text).__name__}.")
        text, date = replace_surrogates(text), date and check_date(date)
        if not text or text.isspace():  # `strip` would copy a long text
            raise BadInput(f"{title or 'The text'} is empty: there is nothing to read.")
        identity = document_id(text)
        if known := await self.find_document(identity):
            return known
        async with hold_build_lock(self.store, identity):  # no forgetting, and no second store of it, meanwhile
            if known := await self.find_document(identity):
                return known
            await check_not_forgotten(self, identity)
            labels = (replace_surrogates(title), replace_surrogates(source))
            words = count_words(text)
            check_words(words, title or "The text")
            document = Document(identity, *labels, words, len(text), utc_now(), len(places), date=date)
            parts = chain(text_parts(identity, text), record_groups(identity, "places", places))
            await store_document(self, document, parts, new=True)
        return document

    async def find_document(self, identity: str) -> Document | None:
        """The record of a document; None if the store doesn't hold it."""
        (value,) = await self.get((ROOT, "documents"), [identity])
        return load_document(identity, value) if value is not None else None

    async def places(self, document: Document) -> list[tuple[int, str]]:
        """The places of a document in its source: (character offset, name), ascending."""
        groups = await self.load_groups(_Places, document.kept_with, "places", document.places)
        return [place for group in groups for place in group.places][: document.places]

    async def load_groups(self, kind: type[Record], identity: str, name: str, count: int) -> list[Record]:
        """The groups of a document's `count` records of a kind; an interrupted append may have left more records."""
        keys = [number_key(group) for group in range(-(-count // BATCH))]
        await self.check_last((ROOT, name, identity), len(keys))
        return await self.load(kind, (ROOT, name, identity), keys)

    async def place_names(self, document: Document, offsets: Sequence[int]) -> list[str | None]:
        """Where offsets are, in the source's terms, of several documents after the title; None where unnamed."""
        if not document.parts:
            named = await self.places_in(document, [(offset, offset + 1) for offset in offsets])
            return names_at(named, offsets)
        within, names = defaultdict[CollectionPart, list[int]](list), dict[int, str | None]()
        for offset in offsets:
            within[document.part_at(offset)].append(offset)
        members = await self.members_of(document, [*within])
        for part, held in within.items():
            member, title = members[part.document]
            places = await self.place_names(member, [offset - part.start for offset in held])
            labels = (", ".join(filter(None, [title, place])) or None for place in places)
            names |= zip(held, labels, strict=True)
        return [names[offset] for offset in offsets]

    async def members_of(self, document: Document, parts: Sequence[CollectionPart]) -> dict[str, tuple[Document, str]]:
        """The documents of these parts by their ids, with titles that tell them apart where there are several."""
        told_apart = document.parts if len(document.parts) <= MOST_NAMED else parts
        members = await self._documents([part.document for part in told_apart])
        titles = names_apart(members) if len(document.parts) > 1 else [""]
        return {member.id: (member, title) for member, title in zip(members, titles, strict=True)}

    async def places_in(self, document: Document, spans: Sequence[tuple[int, int]]) -> list[tuple[int, str]]:
        """The places that hold in these spans, ascending, and maybe more: a long text has many groups of them.

        Of few spans, each group is looked for from where it would stand if places were as dense everywhere.
        """
        if document.parts:
            return await self._places_in_parts(document, spans)
        count, known = -(-document.places // BATCH), dict[int, list[tuple[int, str]]]()
        if 2 * len(spans) >= count != 1:
            return await self.places(document)

        async def group(number: int) -> list[tuple[int, str]]:
            if number not in known:
                known[number] = await self._group_of_places(document, number)
            return known[number]

        for start, end in spans:
            at = min(start * count // max(1, document.characters), count - 1)
            while at and not ((places := await group(at)) and places[0][0] <= start):
                at -= 1
            while at < count and (places := await group(at)) and places[0][0] < end:
                at = at + 1 if places[-1][0] < end else count
        return [place for number in sorted(known) for place in known[number]]

    async def _group_of_places(self, document: Document, number: int) -> list[tuple[int, str]]:
        """One of the groups in which a document's places are stored."""
        kept = _read_groups.setdefault(self.store, {})
        key = document.id, document.added, document.places, number  # others once it was forgotten or appended to
        if key not in kept:
            groups = await self.load(_Places, (ROOT, "places", document.id), [number_key(number)])
            drop_oldest(kept, MOST_READ_GROUPS)
            kept[key] = [place for group in groups for place in group.places][: document.places - number * BATCH]
        return kept[key]

    async def _places_in_parts(self, document: Document, spans: Sequence[tuple[int, int]]) -> list[tuple[int, str]]:
        starts = list[int]()
        for part in document.parts:
            inside = [(max(start - part.start, 0), end - part.start) for start, end in spans if end > part.start]
            if inside := [(start, end) for start, end in inside if start < part.end - part.start]:
                places = await self.places_in(await self.document(part.document), inside)
                starts += [part.start, *(part.start + at for at, _ in places if 0 < at < part.end - part.start)]
        return [(at, name or "") for at, name in zip(starts, await self.place_names(document, starts), strict=True)]

    async def member(self, part: CollectionPart) -> Document:
        """The document of a part of a collection; of one that goes on behind the part, only the beginning."""
        document, end = await self.document(part.document), part.end - part.start
        if end >= document.characters:
            return document
        places = bisect_left(await self.places(document), end, key=itemgetter(0))
        notices = (LEFT_OUT,) if document.notices else ()
        sessions = min(document.sessions, places)
        return replace(document, characters=end, places=places, sessions=sessions, notices=notices)

    async def document(self, identity: str) -> Document:
        """The record of a document; raises `BadInput` if the store doesn't hold it."""
        return await self._require_document(identity, await self.find_document(identity))

    async def _documents(self, ids: Sequence[str]) -> list[Document]:
        """The records of these documents, fetched in one batch; raises `BadInput` for one that is not there."""
        values = await self.get((ROOT, "documents"), [*ids])
        known = [None if value is None else load_document(each, value) for each, value in zip(ids, values, strict=True)]
        return [await self._require_document(each, document) for each, document in zip(ids, known, strict=True)]

    async def _require_document(self, identity: str, known: Document | None) -> Document:
        if known:
            return known
        await check_not_forgotten(self, identity)
        raise NotHeld(f"The library holds no document '{identity}': add its text first.")

    async def text(self, document: Document) -> str:
        """The whole text of a document, fetched piece by piece, or the memory would hold it twice for long."""
        starts = range(0, max(document.characters, 1), BATCH * PART)
        ends = [*starts[1:], document.characters]
        return "".join([(await self.spans(document, [span]))[0] for span in zip(starts, ends, strict=True)])

    async def spans(self, document: Document, spans: Sequence[tuple[int, int]]) -> list[str]:
        """The texts of character spans `[start, end)`, fetched in one batch (in a collection, one per document)."""
        if document.parts:
            return await self._spans_in_parts(document, spans)
        wanted = sorted({part for start, end in spans for part in range(start // PART, -(-end // PART))})
        await self.check_last((ROOT, "text", document.id), wanted[-1] + 1 if len(wanted) > BATCH else 0)
        values = await self.get((ROOT, "text", document.id), [number_key(part) for part in wanted])
        stored = {part: str((value or {}).get("text")) for part, value in zip(wanted, values, strict=True)}
        parts = {
            part: text for part, text in stored.items() if len(text) >= min(PART, document.characters - part * PART)
        }
        if len(parts) < len(wanted):
            title = document.title or document.id
            if await self.find_document(document.id) is None:
                raise Forgotten(f"'{title}' was forgotten meanwhile.")
            raise LibraryError(f"The library lacks a part of the text of '{title}': forget it and read it again.")
        texts = list[str]()
        for start, end in spans:
            first = start // PART
            joined = "".join(parts[part] for part in range(first, -(-end // PART)))
            texts.append(joined[start - first * PART : end - first * PART])
        return texts

    async def _spans_in_parts(self, document: Document, spans: Sequence[tuple[int, int]]) -> list[str]:
        texts = [""] * len(spans)
        for part in document.parts:
            inside = [(max(start, part.start), min(end, part.end)) for start, end in spans]
            wanted = {number: span for number, span in enumerate(inside) if span[0] < span[1]}
            in_part = [(start - part.start, end - part.start) for start, end in wanted.values()]
            part_texts = await self.spans(await self.document(part.document), in_part)
            for number, text in zip(wanted, part_texts, strict=True):
                texts[number] += text
        return texts

    async def documents(self) -> list[Document]:
        """The documents of the store, the newest first, without those whose record is damaged."""
        return (await self.documents_and_damaged())[0]

    async def other_versions(self, document: Document) -> list[Document]:
        """Other texts that the document's file or address had, the newest first; none where it came from neither."""
        return [other for other in await self.documents_from(document.source) if other != document]

    async def documents_from(self, source: str) -> list[Document]:
        """The documents of a file or address, the newest first; none for ""."""
        if not source:
            return []
        if (await self.get(SOURCES, [NOTED]))[0] is not None:
            known = [await self.find_document(item.key) for item in await self.search(_notes(source), EVERY)]
            return sorted(filter(None, known), key=lambda each: each.added, reverse=True)
        documents = await self.documents()
        with suppress(LibraryError):  # a library that can't be written stays as it is
            await self.put([*(note for document in documents for note in source_note(document)), (SOURCES, NOTED, {})])
        return [document for document in documents if document.source == source]

    async def documents_and_damaged(self) -> tuple[list[Document], list[str]]:
        """The documents of the store, the newest first, and the ids of those whose record is damaged."""
        documents, damaged = list[Document](), list[str]()
        for item in await self.search((ROOT, "documents"), EVERY):
            try:
                documents.append(load_document(item.key, item.value))
            except Damaged:
                damaged.append(item.key)
        return sorted(documents, key=lambda document: document.added, reverse=True), sorted(damaged)


def text_parts(identity: str, text: str, first: int = 0) -> Iterator[StoredValue]:
    """A text in the parts in which it is stored, of which the first has this number."""
    for number, start in enumerate(range(0, len(text), PART), first):
        yield (ROOT, "text", identity), number_key(number), {"text": text[start : start + PART]}


def record_groups(identity: str, kind: str, records: Sequence[Any], stored: int = 0) -> Iterator[StoredValue]:
    """The groups in which records are stored, of which the first `stored` are in the store already."""
    for group in range(stored // BATCH, -(-len(records) // BATCH)):
        yield (ROOT, kind, identity), number_key(group), {kind: [*records[group * BATCH : (group + 1) * BATCH]]}


def load_document(identity: str, value: Any) -> Document:
    """The document of a stored record; raises `Damaged` if it is not of this id."""
    if (document := Document.load(value)).id != identity:
        raise Damaged("document")
    return document

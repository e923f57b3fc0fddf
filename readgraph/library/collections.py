"""Collections: documents that are read as one, or that have a name.

The texts stay with the single documents. Each membership is an item of its own, so two programs can add to a
collection at once. A named collection without documents is none.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from itertools import accumulate
from typing import NamedTuple

from readgraph.library.documents import document_item, names_apart
from readgraph.library.page_store import PageStore
from readgraph.library.search.catalogue import catalogue_of, records
from readgraph.library.stored_items import EVERY, ROOT, replace_surrogates
from readgraph.state.errors import BadInput, Way
from readgraph.state.records import CollectionPart, Document, Id, Time, digest, load_valid, parts_until, utc_now
from readgraph.state.words import count_words

LIST_COLLECTIONS = Way(
    "'readgraph collection list' lists them",
    tool="no tool lists collections",
    page="the list of collections names those that there are",
)
MOST_IN_TITLE = 4  # documents whose names make the title of a collection; of more it says how many


async def add_collection(pages: PageStore, documents: Sequence[Document], title: str = "") -> Document:
    """Join documents into one; the same documents in the same order are the same collection.

    A single document is returned as it is. Offsets count through the joined text, in which `Document.parts` gives each
    document's span. Raises `BadInput` for a collection or a history among the documents.
    """
    unique = list({document.id: document for document in documents}.values())
    if len(unique) == 1:
        return unique[0]
    if any(document.parts or document.sessions for document in unique):
        raise BadInput("A collection can't hold another collection or a history: ask about those by themselves.")
    ends = [*accumulate(document.characters for document in unique)]
    parts = [
        CollectionPart(document.id, end - document.characters, end) for document, end in zip(unique, ends, strict=True)
    ]
    identity = digest(["collection", [document.id for document in unique]])
    if known := await pages.find_document(identity):
        return known
    words = sum(document.words for document in unique)
    collection = Document(identity, title or _title_of(unique), "", words, ends[-1], utc_now(), parts=tuple(parts))
    await pages.put([document_item(collection)])
    return collection


def _title_of(documents: Sequence[Document]) -> str:
    names = names_apart(documents)
    more = f" and {len(names) - MOST_IN_TITLE} more" if len(names) > MOST_IN_TITLE + 1 else ""
    return ", ".join(names[:MOST_IN_TITLE] if more else names) + more


async def add_beginning(pages: PageStore, document: Document, end: int, name: str) -> Document:
    """The beginning of a document, a history or a collection up to an offset, as a document of its own.

    Of a collection the last document may be cut. Places and sessions behind the offset are none of its own.
    """
    parts = parts_until(document.parts or (CollectionPart(document.id, 0, document.characters),), end)
    whole, last = [await pages.document(part.document) for part in parts], await pages.member(parts[-1])
    if last == whole[-1]:
        return await add_collection(pages, whole)
    alone, words = len(parts) == 1, count_words((await pages.spans(document, [(0, end)]))[0])
    places, sessions = (last.places, last.sessions) if alone else (0, 0)
    identity = digest(["part", last.id if alone else document.id, end])
    title = f"{last.title if alone else _title_of(whole)} until {name}"
    found = Document(identity, title, "", words, end, utc_now(), places, parts, sessions)
    await pages.put([document_item(found)])
    return found


async def documents_of(pages: PageStore, document: Document) -> list[Document]:
    """The documents of a collection in its order, or the document itself."""
    return [await pages.member(part) for part in document.parts] or [document]


class Member(NamedTuple):
    """A document of a collection: its title, that title told apart from others, and its first offset."""

    title: str
    name: str
    start: int


async def members_of(pages: PageStore, document: Document) -> list[Member]:
    """The documents of a collection in its order, told apart where titles are the same; of another document none."""
    documents = await documents_of(pages, document) if document.parts else []
    told = zip(document.parts, documents, names_apart(documents), strict=True)
    return [Member(each.title, name, part.start) for part, each, name in told]


async def list_joint_collections(pages: PageStore) -> list[Document]:
    """The collections that questions made of documents, the newest first; they come from no file."""
    if catalogue := await catalogue_of(pages):
        return await records(pages, await catalogue.list_joined())
    values = [item.value for item in await pages.search((ROOT, "documents"), EVERY, {"source": ""})]
    documents = [document for document in load_valid(Document, values) if document.parts]
    return sorted(documents, key=lambda each: each.added, reverse=True)


async def collections_with(pages: PageStore, document: Document) -> list[Document]:
    """The collections that hold a document."""
    return (await joint_by_document(pages)).get(document.id, [])


async def joint_by_document(pages: PageStore) -> dict[str, list[Document]]:
    """The collections in which questions joined documents, by the ids of these."""
    documents = defaultdict[str, list[Document]](list)
    for collection in await list_joint_collections(pages):
        for identity in dict.fromkeys(part.document for part in collection.parts):
            documents[identity].append(collection)
    return documents


MEMBERS = (ROOT, "collections")  # where memberships are kept, each under the hash of the name and the document's id
NEAR = 0.75  # how alike a name must be to be suggested, as `difflib` counts it: 1 is the same


@dataclass(frozen=True, slots=True)
class NamedCollection:
    """A name, and the documents under it in the order in which they were added."""

    name: str
    documents: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class _Membership:
    collection: str
    document: Id
    added: Time


class NamedCollections:
    """The named collections of a page store. Names are the same in upper and lower case."""

    def __init__(self, pages: PageStore) -> None:
        self._pages = pages

    async def list_collections(self) -> list[NamedCollection]:
        """All collections, by their names."""
        members = await self._members()
        kept = await records(self._pages, [*dict.fromkeys(member.document for member in members)])
        documents = {document.id: document for document in kept}
        named: dict[str, list[Document]] = {}
        for member in members:
            if member.document in documents:
                named.setdefault(member.collection, []).append(documents[member.document])
        return [NamedCollection(name, tuple(named[name])) for name in sorted(named, key=str.casefold)]

    async def get_collection(self, name: str) -> NamedCollection:
        """The collection with this name; raises `BadInput`, with a suggestion, where there is none."""
        named_collections = {collection.name.casefold(): collection for collection in await self.list_collections()}
        wanted = _clean_collection_name(name)
        if named_collection := named_collections.get(wanted.casefold()):
            return named_collection
        near = [
            f"'{named_collections[match].name}'"
            for match in get_close_matches(wanted.casefold(), named_collections, cutoff=NEAR)
        ]
        meant = f" Do you mean {' or '.join(near)}?" if near else ""
        raise BadInput(f"There is no collection '{wanted}': ", LIST_COLLECTIONS, f".{meant}")

    async def add(self, name: str, documents: Sequence[Document]) -> NamedCollection:
        """Put documents under a name; a new name makes a collection. Raises `BadInput` for several documents in one."""
        name = _clean_collection_name(name)
        for document in documents:
            if document.parts:
                raise BadInput(f"'{document.title}' is several documents that were asked as one: name each of them.")
        known = {member.collection.casefold(): member.collection for member in await self._members()}
        name = known.get(name.casefold(), name)
        inside = {member.document for member in await self._members() if member.collection == name}
        new = dict.fromkeys(document.id for document in documents if document.id not in inside)
        members = [_Membership(name, identity, utc_now()) for identity in new]
        await self._pages.put(
            [(MEMBERS, digest([name, membership.document]), asdict(membership)) for membership in members]
        )
        return await self.get_collection(name)

    async def remove(self, name: str, documents: Iterable[Document] | None = None) -> NamedCollection:
        """Take documents out of a collection, or all; the library keeps them. Returns what the collection was.

        Raises `BadInput` for a document that is not in it.
        """
        collection = await self.get_collection(name)
        inside = {document.id for document in collection.documents}
        gone = [*collection.documents] if documents is None else [*documents]
        for document in gone:
            if document.id not in inside:
                raise BadInput(f"'{document.title or document.id}' is not in the collection '{collection.name}'.")
        await self._pages.delete(MEMBERS, [digest([collection.name, document.id]) for document in gone])
        return collection

    async def _members(self) -> list[_Membership]:
        items = await self._pages.search(MEMBERS, EVERY)
        return sorted(load_valid(_Membership, (item.value for item in items)), key=lambda member: member.added)


def _clean_collection_name(name: str) -> str:
    if not (checked := " ".join(replace_surrogates(name).split())):
        raise BadInput("The collection's name is empty: write one.")
    return checked

"""Named collections: documents under a name, among which a question or a search can choose.

Each membership is an item of its own, so two programs can add to a collection at once. A collection without documents
is none.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches

from readgraph.state.errors import BadInput
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document, digest, utc_now
from readgraph.state.search.catalogue import records
from readgraph.state.store.sound import Id, Time, sound
from readgraph.state.store.stored_items import EVERY, ROOT, storable

MEMBERS = (ROOT, "collections")
"""Where memberships are kept, each under the hash of the name and the document's id."""

NEAR = 0.75
"""How alike a name must be to be suggested, as `difflib` counts it: 1 is the same."""


@dataclass(frozen=True, slots=True)
class NamedCollection:
    """A name, and the documents under it in the order in which they were added."""

    name: str
    documents: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class _Membership:
    """A document in a collection, and when it was added."""

    collection: str
    document: Id
    added: Time


class NamedCollections:
    """The named collections of a page store. Names are the same in upper and lower case."""

    def __init__(self, pages: PageStore) -> None:
        self._pages = pages

    async def listed(self) -> list[NamedCollection]:
        """All collections, by their names."""
        members = await self._members()
        kept = await records(self._pages, [*dict.fromkeys(member.document for member in members)])
        documents = {document.id: document for document in kept}
        named: dict[str, list[Document]] = {}
        for member in members:
            if member.document in documents:
                named.setdefault(member.collection, []).append(documents[member.document])
        return [NamedCollection(name, tuple(named[name])) for name in sorted(named, key=str.casefold)]

    async def named(self, name: str) -> NamedCollection:
        """The collection with this name; raises `BadInput`, with a suggestion, where there is none."""
        known = {collection.name.casefold(): collection for collection in await self.listed()}
        wanted = _checked(name)
        if found := known.get(wanted.casefold()):
            return found
        near = [f"'{known[each].name}'" for each in get_close_matches(wanted.casefold(), known, cutoff=NEAR)]
        meant = f" Do you mean {' or '.join(near)}?" if near else ""
        raise BadInput(f"There is no collection '{wanted}': 'readgraph collection list' lists them.{meant}")

    async def add(self, name: str, documents: Sequence[Document]) -> NamedCollection:
        """Put documents under a name; a new name makes a collection. Raises `BadInput` for several documents in one."""
        name = _checked(name)
        for document in documents:
            if document.parts:
                raise BadInput(f"'{document.title}' is several documents that were asked as one: name each of them.")
        known = {member.collection.casefold(): member.collection for member in await self._members()}
        name = known.get(name.casefold(), name)
        inside = {member.document for member in await self._members() if member.collection == name}
        new = dict.fromkeys(document.id for document in documents if document.id not in inside)
        members = [_Membership(name, identity, utc_now()) for identity in new]
        await self._pages.put([(MEMBERS, digest([name, each.document]), asdict(each)) for each in members])
        return await self.named(name)

    async def remove(self, name: str, documents: Iterable[Document] | None = None) -> NamedCollection:
        """Take documents out of a collection, or all; the library keeps them. Returns what the collection was.

        Raises `BadInput` for a document that is not in it.
        """
        collection = await self.named(name)
        inside = {document.id for document in collection.documents}
        gone = [*collection.documents] if documents is None else [*documents]
        for document in gone:
            if document.id not in inside:
                raise BadInput(f"'{document.title or document.id}' is not in the collection '{collection.name}'.")
        await self._pages.delete(MEMBERS, [digest([collection.name, document.id]) for document in gone])
        return collection

    async def forget(self, document: str) -> None:
        """Take a document out of all collections."""
        await self._pages.clear(MEMBERS, {"document": document})

    async def _members(self) -> list[_Membership]:
        items = await self._pages.search(MEMBERS, EVERY)
        return sorted(sound(_Membership, (item.value for item in items)), key=lambda member: member.added)


def _checked(name: str) -> str:
    """A name on one line; raises `BadInput` for an empty one."""
    if not (checked := " ".join(storable(name).split())):
        raise BadInput("The collection's name is empty: write one.")
    return checked

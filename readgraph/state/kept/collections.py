"""Collections: several documents that are read and asked as one. The texts stay with the single documents."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from itertools import accumulate
from typing import NamedTuple

from readgraph.state.errors import BadInput
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document, Part, digest, utc_now
from readgraph.state.store.stored_items import ROOT


async def add_collection(pages: PageStore, documents: Sequence[Document], title: str = "") -> Document:
    """Join documents into one; the same documents in the same order are the same collection.

    A single document is returned as it is. No page crosses from one document into the next. Offsets count through
    the joined text, and `Document.parts` gives each document's span in it. Raises `BadInput` for a collection or a
    history among the documents.
    """
    unique = list({document.id: document for document in documents}.values())
    if len(unique) == 1:
        return unique[0]
    if any(document.parts or document.sessions for document in unique):
        raise BadInput("A collection can't hold another collection or a history: ask about those by themselves.")
    ends = [*accumulate(document.characters for document in unique)]
    parts = [Part(document.id, end - document.characters, end) for document, end in zip(unique, ends, strict=True)]
    identity = digest(["collection", [document.id for document in unique]])
    if (known := (await pages.get((ROOT, "documents"), [identity]))[0]) is not None:
        return Document.load(known)
    words = sum(document.words for document in unique)
    title = title or ", ".join(document.title or document.id for document in unique)
    collection = Document(identity, title, "", words, ends[-1], utc_now(), parts=tuple(parts))
    await pages.put([((ROOT, "documents"), identity, asdict(collection))])
    return collection


def told_apart(documents: Sequence[Document]) -> list[str]:
    """The documents' titles; those of one title, such as two files of one name, are numbered."""
    titles, seen = [document.title or document.id for document in documents], Counter[str]()
    counts = Counter(titles)
    for number, title in enumerate(titles):
        seen[title] += 1
        titles[number] = f"{title} ({seen[title]})" if counts[title] > 1 else title
    return titles


class Member(NamedTuple):
    """A document of a collection: its title, that title told apart from others, and its first offset."""

    title: str
    name: str
    start: int


async def members_of(pages: PageStore, document: Document) -> list[Member]:
    """The documents of a collection, in its order; a document by itself has none."""
    documents = [await pages.document(part.document) for part in document.parts]
    starts = [part.start for part in document.parts]
    titles = [each.title for each in documents]
    return [Member(*each) for each in zip(titles, told_apart(documents), starts, strict=True)]


async def collections_with(pages: PageStore, document: Document) -> list[Document]:
    """The collections that hold a document."""
    return [other for other in await pages.documents() if any(part.document == document.id for part in other.parts)]

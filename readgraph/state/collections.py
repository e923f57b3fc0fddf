"""Collections: several documents that are read and asked as one. Their texts stay with the documents."""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import accumulate

from readgraph.state.errors import BadInput
from readgraph.state.page_store import PageStore, utc_now
from readgraph.state.records import Document, Part, digest
from readgraph.state.stored_items import ROOT


async def add_collection(pages: PageStore, documents: Sequence[Document], title: str = "") -> Document:
    """The documents joined as one document; the same ones in this order are the same collection.

    One document alone is itself. Pages don't cross from one document into the next; offsets count through all of
    them, and `Document.parts` says where each stands.
    """
    different = list({document.id: document for document in documents}.values())
    if len(different) == 1:
        return different[0]
    if any(document.parts or document.sessions for document in different):
        raise BadInput("A collection holds neither another one nor a history, which grows: ask that by itself.")
    ends = [*accumulate(document.characters for document in different)]
    parts = [Part(document.id, end - document.characters, end) for document, end in zip(different, ends, strict=True)]
    identity = digest(["collection", [document.id for document in different]])
    if (known := (await pages.get((ROOT, "documents"), [identity]))[0]) is not None:
        return Document.load(known)
    words = sum(document.words for document in different)
    named = title or ", ".join(document.title or document.id for document in different)
    collection = Document(identity, named, "", words, ends[-1], utc_now(), parts=tuple(parts))
    await pages.put([((ROOT, "documents"), identity, asdict(collection))])
    return collection


async def collections_with(pages: PageStore, document: Document) -> list[Document]:
    """The collections that hold a document."""
    return [other for other in await pages.documents() if any(part.document == document.id for part in other.parts)]

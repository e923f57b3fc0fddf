"""What may be stopped halfway: storing a text that is too long for one commit, and forgetting a document.

A record of each stands in the store until it is done, and whoever opens the library next finishes it
(see `readgraph.state.forgetting.finish`). So nobody has to look through a store for what nothing names any more.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from readgraph.state.errors import BadInput, Damaged, Forgotten
from readgraph.state.records import Document
from readgraph.state.stored_items import BATCH, ROOT, StoredItems, StoredValue

UNFINISHED = (ROOT, "unfinished")
"""Namespace of these records, by the document's id: the record of a document that is being forgotten, else nothing."""

TEXTS = ("text", "places", "sessions")
"""What is stored of a document beside its record."""


async def store_document(items: StoredItems, document: Document, parts: Sequence[StoredValue], *, new: bool) -> None:
    """Store what belongs to a document, and its record last. A new one is there as a whole, or not at all."""
    record: StoredValue = ((ROOT, "documents"), document.id, asdict(document))
    if len(parts) < BATCH:  # committed together
        await items.put([*parts, record])
        return
    if new:
        await items.put([(UNFINISHED, document.id, {})])
    await items.put(parts)
    await items.put([record, (UNFINISHED, document.id, None)])


async def drop_document(items: StoredItems, identity: str) -> None:
    """Delete what is stored of a document, and what says that it is unfinished."""
    for kind in TEXTS:
        await items.clear((ROOT, kind, identity))
    await items.put([((ROOT, "documents"), identity, None), (UNFINISHED, identity, None)])


async def begin_forgetting(items: StoredItems, identity: str) -> Document:
    """Take the document's record out of the list, so that nobody begins to read it, and keep it among the unfinished.

    Gives the record; raises `BadInput` where it is in neither place.
    """
    (value,) = await items.get((ROOT, "documents"), [identity])
    if value is not None:
        await items.put([((ROOT, "documents"), identity, None), (UNFINISHED, identity, {"document": value})])
        return _document(identity, value)
    if marked := await being_forgotten(items, identity):
        return marked
    raise BadInput(f"The library holds no document '{identity}': it was forgotten already.")


async def being_forgotten(items: StoredItems, identity: str) -> Document | None:
    """The record of a document whose forgetting has begun and not ended."""
    (value,) = await items.get(UNFINISHED, [identity])
    return _document(identity, value["document"]) if value and "document" in value else None


async def check_not_forgotten(items: StoredItems, identity: str) -> None:
    """Raise `Forgotten` where the document is being forgotten."""
    if document := await being_forgotten(items, identity):
        named = document.title or identity
        raise Forgotten(f"'{named}' is being forgotten: wait a moment and give the same command again.")


def _document(identity: str, value: Any) -> Document:
    """The record; where it is damaged, one that holds no more than the id, by which all that is kept is found."""
    try:
        return Document.load(value)
    except Damaged:
        return unreadable(identity)


def unreadable(identity: str) -> Document:
    """Stands for a document whose record is damaged, to forget it."""
    return Document(identity, identity, "", 0, 0, "")

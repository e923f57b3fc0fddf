"""Search inside the texts, and the named collections."""

from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import Response
from pydantic import BaseModel, Field

from readgraph.api import functions
from readgraph.api.results import Hit
from readgraph.library.collections import NamedCollection, NamedCollections
from readgraph.serve.requests import RequestBody
from readgraph.serve.room import Room

MOST_HITS = 50


class CollectionEntry(BaseModel):
    """A named collection."""

    name: str
    documents: list[dict[str, str]] = Field(description="Their ids and titles, in the order in which they came in.")


class MembersBody(RequestBody):
    """Documents that come into a collection."""

    documents: list[str] = Field(min_length=1)


class Finding:
    """What can be found in a room."""

    def __init__(self, room: Room) -> None:
        self.room, self.collections = room, NamedCollections(room.pages)

    async def search(
        self, words: str, document: str = "", collection: str = "", most: Annotated[int, Query(ge=1, le=MOST_HITS)] = 20
    ) -> dict[str, list[Hit]]:
        """The passages that share most words with these, the best first: of one document, a collection or all."""
        named: dict[str, Any] = {"documents": [document] if document else [], "collection": collection or None}
        return {"hits": await functions.search(self.room.library, words, most=most, **named)}

    async def list_collections(self) -> dict[str, list[CollectionEntry]]:
        """The named collections."""
        return {"collections": [_entry(each) for each in await self.collections.list_collections()]}

    async def add(self, name: str, given: MembersBody) -> CollectionEntry:
        """Put documents into a collection; a new name makes one."""
        documents = [await self.room.pages.document(identity) for identity in given.documents]
        return _entry(await self.collections.add(name, documents))

    async def remove(self, name: str, document: str = "") -> Response:
        """Take a document out of a collection, or all of them; the library keeps them."""
        documents = [await self.room.pages.document(document)] if document else None
        await self.collections.remove(name, documents)
        return Response(status_code=204)


def _entry(collection: NamedCollection) -> CollectionEntry:
    documents = [{"id": each.id, "title": each.title or each.id} for each in collection.documents]
    return CollectionEntry(name=collection.name, documents=documents)

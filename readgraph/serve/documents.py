"""The documents of the library, their memories and pages, as the page and programs get them."""

import asyncio
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field

from readgraph.report.data import ReportData, report_of_document, shown_pages
from readgraph.serve.room import Room
from readgraph.state.corrections import Corrected, correct, restore
from readgraph.state.errors import BadInput
from readgraph.state.originals import with_originals
from readgraph.state.records import Document, Memory
from readgraph.state.search.catalogue import catalogue_of, records
from readgraph.tools.finding import searchable
from readgraph.tools.memories import method_of, newest_first, note_of

MOST_PAGES = 100
"""Most pages whose texts are given at once."""


class ShownMemory(BaseModel):
    """What one method built of a document."""

    id: str
    method: str
    purpose: str
    model: str
    pages: int
    read_to: int = Field(description="Characters that were read.")
    complete: bool
    started: str
    note: str = Field(description="The method's word for the note of a page.")


class ShownPartOf(BaseModel):
    """A document of a collection, and its span in the joined text."""

    document: str
    start: int
    end: int


class ShownDocument(BaseModel):
    """A document and its memories, the newest first."""

    id: str
    title: str
    source: str
    words: int
    characters: int
    added: str
    sessions: int = Field(description="Of a history: how many; else 0.")
    parts: list[ShownPartOf] = Field(description="Of a collection: its documents.")
    has_original: bool = Field(description="Whether pages of its PDF can be shown.")
    memories: list[ShownMemory]


class Listed(BaseModel):
    """Some documents of the library, and how many there are."""

    total: int
    words: int
    documents: list[ShownDocument]


async def listed_documents(room: Room, query: str, offset: int, limit: int) -> Listed:
    """The documents whose title holds these words, the newest first, without the collections that questions made."""
    words = query.casefold().split()
    if catalogue := await catalogue_of(room.pages):
        found = await catalogue.newest(offset, limit, words)
        documents = await records(room.pages, found.ids)
        kept = await asyncio.gather(*(shown_document(room, document) for document in documents))
        return Listed(total=found.total, words=found.words, documents=kept)
    known = await searchable(room.pages)
    documents = [each for each in known if all(word in each.title.casefold() for word in words)]
    shown = documents[offset : offset + limit]
    memories = await room.pages.all_memories() if len(shown) > 1 else {}
    if len(shown) == 1:
        memories = {shown[0].id: await room.pages.memories(shown[0].id)}
    originals = await asyncio.to_thread(with_originals, room.library, shown, ".pdf")
    return Listed(
        total=len(documents),
        words=sum(document.words for document in documents),
        documents=[_shown(each, memories.get(each.id, []), has_original=each.id in originals) for each in shown],
    )


async def shown_document(room: Room, document: Document) -> ShownDocument:
    """A document and its memories."""
    originals = await asyncio.to_thread(with_originals, room.library, [document], ".pdf")
    return _shown(document, await room.pages.memories(document.id), has_original=document.id in originals)


def _shown(document: Document, memories: Sequence[Memory], *, has_original: bool) -> ShownDocument:
    return ShownDocument(
        **{name: getattr(document, name) for name in ("id", "title", "words", "characters", "added", "sessions")},
        source=document.source,
        parts=[ShownPartOf(document=part.document, start=part.start, end=part.end) for part in document.parts],
        has_original=has_original,
        memories=[_shown_memory(memory) for memory in newest_first(memories)],
    )


def _shown_memory(memory: Memory) -> ShownMemory:
    return ShownMemory(
        id=memory.id,
        method=method_of(memory),
        purpose=memory.recipe.purpose,
        model=memory.recipe.model,
        pages=memory.pages,
        read_to=memory.read_to,
        complete=memory.complete,
        started=memory.started,
        note=note_of(memory),
    )


async def memory_report(room: Room, identity: str, memory: str) -> ReportData:
    """A memory with its pages and notes, as the report shows it."""
    document, known = await room.pages.document_and_memory(identity, memory)
    return await report_of_document(room.pages, document, known, note_of(known))


async def pages_with_texts(room: Room, identity: str, memory: str, numbers: Sequence[int]) -> list[dict[str, Any]]:
    """Pages of a memory with their texts; raises `BadInput` for too many at once."""
    if len(numbers) > MOST_PAGES:
        raise BadInput(f"At most {MOST_PAGES} pages are given at once.")
    document, known = await room.pages.document_and_memory(identity, memory)
    shown = await shown_pages(room.pages, document, known, numbers, with_texts=True)
    return [{"number": number, **page} for number, page in shown.items()]


async def change_note(room: Room, identity: str, memory: str, number: int, text: str | None) -> Corrected:
    """Replace the note of a page by the user's, or with None put the method's own back."""
    _, known = await room.pages.document_and_memory(identity, memory)
    if text is None:
        return await restore(room.pages, known, number)
    return await correct(room.pages, known, number, text)

"""The documents of the library, their memories and pages; texts, files and addresses become documents."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from readgraph.api.documents import store_file
from readgraph.api.finding import searchable
from readgraph.api.memories import method_of, newest_first, note_of
from readgraph.library.corrections import Corrected, correct, restore
from readgraph.library.library import keep_original, with_originals
from readgraph.library.search.catalogue import catalogue_of, records
from readgraph.report.page import ReportData, report_of_document, shown_pages
from readgraph.serve.room import Room, Run
from readgraph.sources.converting import show_conversion
from readgraph.sources.inputs import Address, file_or_address
from readgraph.sources.loading import SourceFile, file_of_bytes, read_file
from readgraph.state.errors import BadInput
from readgraph.state.records import Document, Memory

MOST_PAGES = 100
"""Most pages whose texts are given at once."""


class MemoryDetails(BaseModel):
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


class PartDetails(BaseModel):
    """A document of a collection, and its span in the joined text."""

    document: str
    start: int
    end: int


class DocumentDetails(BaseModel):
    """A document and its memories, the newest first."""

    id: str
    title: str
    source: str
    words: int
    characters: int
    added: str
    sessions: int = Field(description="Of a history: how many; else 0.")
    parts: list[PartDetails] = Field(description="Of a collection: its documents.")
    has_original: bool = Field(description="Whether pages of its PDF can be shown.")
    memories: list[MemoryDetails]


class DocumentList(BaseModel):
    """Some documents of the library, and how many there are."""

    total: int
    words: int
    documents: list[DocumentDetails]


async def documents_by_title(room: Room, query: str, offset: int, limit: int) -> DocumentList:
    """The documents whose title holds these words, the newest first, without the collections that questions made."""
    words = query.casefold().split()
    if catalogue := await catalogue_of(room.pages):
        found = await catalogue.newest(offset, limit, words)
        documents = await records(room.pages, found.ids)
        kept = await asyncio.gather(*(load_document_details(room, document) for document in documents))
        return DocumentList(total=found.total, words=found.words, documents=kept)
    known = await searchable(room.pages)
    documents = [each for each in known if all(word in each.title.casefold() for word in words)]
    shown = documents[offset : offset + limit]
    memories = await room.pages.all_memories() if len(shown) > 1 else {}
    if len(shown) == 1:
        memories = {shown[0].id: await room.pages.memories(shown[0].id)}
    originals = await asyncio.to_thread(with_originals, room.library, shown, ".pdf")
    return DocumentList(
        total=len(documents),
        words=sum(document.words for document in documents),
        documents=[
            _document_details(each, memories.get(each.id, []), has_original=each.id in originals) for each in shown
        ],
    )


async def load_document_details(room: Room, document: Document) -> DocumentDetails:
    """A document and its memories."""
    originals = await asyncio.to_thread(with_originals, room.library, [document], ".pdf")
    return _document_details(document, await room.pages.memories(document.id), has_original=document.id in originals)


def _document_details(document: Document, memories: Sequence[Memory], *, has_original: bool) -> DocumentDetails:
    return DocumentDetails(
        **{name: getattr(document, name) for name in ("id", "title", "words", "characters", "added", "sessions")},
        source=document.source,
        parts=[PartDetails(document=part.document, start=part.start, end=part.end) for part in document.parts],
        has_original=has_original,
        memories=[_memory_details(memory) for memory in newest_first(memories)],
    )


def _memory_details(memory: Memory) -> MemoryDetails:
    return MemoryDetails(
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


KEPT = (".pdf",)
"""Kinds of which the file itself is kept, so that its pages can be shown."""


def add_text(room: Room, text: str, title: str) -> Run:
    """Begin to add a text."""

    async def work(run: Run) -> Document:
        return await room.pages.add_document(text, title=" ".join(title.split()) or text.strip()[:60])

    return _begin_adding(room, title or "a text", work)


def add_address(room: Room, address: str) -> Run:
    """Begin to add what stands at an address of the web; raises `BadInput` where it is none."""
    there = file_or_address(address.strip())
    if not isinstance(there, Address):
        raise BadInput("An address of the web begins with https:// or http://.")

    async def work(run: Run) -> Document:
        return await _convert_file(room, run, await asyncio.to_thread(read_file, there))

    return _begin_adding(room, address, work)


def add_file(room: Room, name: str, data: bytes) -> Run:
    """Begin to add a file that came as bytes; raises `BadInput` for a kind that can't be read."""
    name = Path(name.replace("\\", "/")).name
    file = file_of_bytes(name, data)

    async def work(run: Run) -> Document:
        document = await _convert_file(room, run, file)
        ending = Path(name).suffix.lower()
        if ending in KEPT:
            await asyncio.to_thread(keep_original, room.library, document, data, ending)
        return document

    return _begin_adding(room, name, work)


def _begin_adding(room: Room, title: str, work: Callable[[Run], Any]) -> Run:
    run = Run("add", asyncio.get_running_loop(), title=title)

    async def add_and_tell() -> None:
        document = await work(run)
        run.tell({"type": "document", "document": (await load_document_details(room, document)).model_dump()})
        run.change(state="done", documents=[document.id], title=document.title)

    return room.begin(run, add_and_tell)


async def _convert_file(room: Room, run: Run, file: SourceFile) -> Document:
    """The document of a file, which is converted only if that was not done before."""

    def show(name: str, done: int, of: int) -> None:
        run.tell({"type": "converting", "name": name, "done": done, "of": of})

    with show_conversion(show):
        stored = await store_file(room.pages, file)
    for problem in stored.problems:
        run.tell({"type": "left_out", "problem": str(problem)})
    return stored.document

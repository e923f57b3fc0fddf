"""The documents of the library, their memories and pages, search in them, and the named collections.

Texts, files and addresses become documents.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field

from readgraph.api import functions
from readgraph.api.documents import searchable, store_texts
from readgraph.api.memories import method_of, newest_first, note_of
from readgraph.api.results import Hit
from readgraph.api.up_to import members_up_to
from readgraph.doors.report.page import page_marks, report_of_document, shown_pages
from readgraph.doors.serve.requests import Limit, NoteBody, Offset, RequestBody, file_in
from readgraph.doors.serve.room import Room, Run, RunState, in_background_loop
from readgraph.doors.serve.suggesting import suggest_questions
from readgraph.doors.serve.wording import in_page_words, report_in_page_words
from readgraph.library.collections import NamedCollection, NamedCollections, collections_with, joint_by_document
from readgraph.library.corrections import correct, restore
from readgraph.library.library import keep_original, original_in, with_originals
from readgraph.library.notices import document_notices
from readgraph.library.search.catalogue import catalogue_of, records
from readgraph.library.store import InUse, wait_until_unused
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.library.upkeep.joint_readings import JointReading, list_joint
from readgraph.library.versions import replaced_by
from readgraph.library.watched import STATES, WatchedFile
from readgraph.sources.converting import convert_in_thread, show_conversion
from readgraph.sources.formats.plain_text import places_of_text
from readgraph.sources.inputs import Address, file_or_address
from readgraph.sources.loading import SourceFile, file_of_bytes, read_file
from readgraph.sources.pdf.in_child import page_picture
from readgraph.sources.places import last_page_before, page_starts
from readgraph.state.apart import run_apart
from readgraph.state.errors import BadInput
from readgraph.state.records import Document

MOST_PAGES = 100  # most pages whose texts are given at once


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
    last_page: int | None = Field(None, description="Of a PDF that is known up to a place: no later page is shown.")


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
    notices: list[str] = Field(
        description="What its conversion left out or could not have. A list has single documents'."
    )
    has_original: bool = Field(description="Whether pages of its PDF can be shown.")
    read_together: int = Field(0, description="In a list: how often it was read together with others; else 0.")
    replaced_by: str = Field("", description="In a list: the id of the newer document that stands in its place.")
    memories: list[MemoryDetails]


class DocumentList(BaseModel):
    """Some documents of the library, and how many there are."""

    total: int
    words: int
    documents: list[DocumentDetails]


class TextBody(RequestBody):
    """A text that becomes a document."""

    text: str
    title: str = ""


class AddressBody(RequestBody):
    """An address of the web, whose page or file becomes a document."""

    address: str


MEMORY = "/api/documents/{document}/memories/{memory}"
KEPT = (".pdf",)  # kinds of which the file itself is kept, so that its pages can be shown

EXAMPLE = "The Lamp at Sarn Head.txt"


def _example() -> bytes:
    """The example story: it is put into the package where one is built, else it stands beside the package."""
    story, package = "the-lamp-at-sarn-head.txt", files("readgraph")
    built = package / "doors" / "serve" / "assets" / story
    return (built if built.is_file() else Path(str(package)).parent / "examples" / story).read_bytes()


class Documents:
    """What can be asked of the documents of a room."""

    def __init__(self, room: Room) -> None:
        self.room, self.pages = room, room.pages

    def add_routes(self, app: FastAPI) -> None:
        """Serve them."""
        app.get("/api/documents")(self.list_documents)
        app.get("/api/documents/{document}")(self.one)
        app.delete("/api/documents/{document}")(self.delete)
        app.get("/api/documents/{document}/joint")(self.list_joint)
        app.post("/api/texts")(self.add_text)
        app.post("/api/example")(self.add_example)
        app.post("/api/addresses")(self.add_address)
        app.put("/api/files/{name:path}")(self.add_file)
        app.get(MEMORY)(self.of_memory)
        app.get(f"{MEMORY}/pages")(self.texts)
        app.get(f"{MEMORY}/marks")(self.marks)
        app.get("/api/documents/{document}/suggestions")(self.suggestions)
        app.put(f"{MEMORY}/notes/{{number}}")(self.replace_note)
        app.delete(f"{MEMORY}/notes/{{number}}")(self.restore_note)
        app.get("/api/documents/{document}/original/{number}.png")(self.original)

    async def list_documents(self, query: str = "", offset: Offset = 0, limit: Limit = 50) -> DocumentList:
        """The documents of the library, the newest first; `query`: words of the title."""
        words = query.casefold().split()
        if catalogue := await catalogue_of(self.pages):
            newest_documents = await catalogue.newest(offset, limit, words)
            shown = await records(self.pages, newest_documents.ids)
            counts = {"total": newest_documents.total, "words": newest_documents.words}
        else:
            documents = await searchable(self.pages)
            matching = [entry for entry in documents if all(word in entry.title.casefold() for word in words)]
            shown = matching[offset : offset + limit]
            counts = {"total": len(matching), "words": sum(document.words for document in matching)}
        joint = await joint_by_document(self.pages)
        replaced = await replaced_by(self.pages, shown)
        listed = (
            self._load_details(
                entry,
                read_together=len(joint.get(entry.id, ())),
                replaced_by=replaced[entry.id].id if entry.id in replaced else "",
            )
            for entry in shown
        )
        return DocumentList(**counts, documents=await asyncio.gather(*listed))

    async def one(self, document: str) -> DocumentDetails:
        """A document and its memories."""
        record = await self.pages.document(document)
        details = await self._load_details(record)
        notices = [*map(in_page_words, await document_notices(self.pages, record))]
        return details.model_copy(update={"notices": notices})

    async def list_joint(self, document: str) -> dict[str, list[JointReading]]:
        """What was read and asked of a document together with others, which deleting it deletes too, and what stays."""
        return {"joint": await list_joint(self.room.library, await self.pages.document(document))}

    async def delete(self, document: str) -> dict[str, int]:
        """Delete a document with its notes and questions, also those of `joint`; says how much that was."""
        library, record = self.room.library, await self.pages.document(document)
        read = [record, *await collections_with(self.pages, record)]
        try:
            for entry in read:
                self.room.check_unused(entry)
                await wait_until_unused(library.store, entry.id, wait=False)
        except InUse:
            raise BadInput(
                f"'{record.title or record.id}' is being read by another program: wait for its end."
            ) from None
        counts = await in_background_loop(forget_document, library, record)
        self.room.drop_runs(lambda run: not {entry.id for entry in read}.isdisjoint(run.documents))
        return counts

    async def _load_details(self, document: Document, **more: Any) -> DocumentDetails:
        originals = await asyncio.to_thread(with_originals, self.room.library, [document], ".pdf")
        memories = newest_first(await self.pages.memories(document.id))
        return DocumentDetails(
            **{name: getattr(document, name) for name in ("id", "title", "words", "characters", "added", "sessions")},
            source=document.source,
            parts=await self._describe_parts(document),
            notices=[*map(in_page_words, document.notices)],
            has_original=document.id in originals,
            **more,
            memories=[
                MemoryDetails(
                    **{name: getattr(memory, name) for name in ("id", "pages", "read_to", "complete", "started")},
                    method=method_of(memory),
                    purpose=memory.recipe.purpose,
                    model=memory.recipe.model,
                    note=note_of(memory),
                )
                for memory in memories
            ],
        )

    async def _describe_parts(self, document: Document) -> list[PartDetails]:
        members = await self.pages.members_of(document, document.parts) if document.parts else {}
        return [
            PartDetails(
                document=part.document,
                start=part.start,
                end=part.end,
                last_page=await self._last_page(members[part.document][0], part.end - part.start),
            )
            for part in document.parts
        ]

    async def _last_page(self, whole: Document, end: int) -> int | None:
        """The last page to show of a document that is known up to this offset; None for all, or where it has none."""
        begins = page_starts(await self.pages.places(whole)) if end < whole.characters else []
        return last_page_before(begins, end) if begins else None

    async def add_text(self, given: TextBody) -> RunState:
        """Add a text as a document."""

        async def work(run: Run) -> list[Document]:
            title = " ".join(given.title.split()) or given.text.strip()[:60]
            places = [(place.start, place.label) for place in places_of_text(given.text)]
            return [await self.pages.add_document(given.text, title=title, places=places)]

        return self._begin_adding(given.title or "a text", work)

    async def add_example(self) -> RunState:
        """Add the story that comes with the program."""
        file = file_of_bytes(EXAMPLE, await asyncio.to_thread(_example))
        return self._begin_adding(EXAMPLE, lambda run: self._convert_file(run, file))

    async def add_address(self, given: AddressBody) -> RunState:
        """Add what stands at an address of the web as a document."""
        there = file_or_address(given.address.strip())
        if not isinstance(there, Address):
            raise BadInput("An address of the web begins with https:// or http://.")

        async def work(run: Run) -> list[Document]:
            return await self._convert_file(run, await asyncio.to_thread(read_file, there))

        return self._begin_adding(given.address, work)

    async def add_file(self, name: str, request: Request) -> RunState:
        """Add a file as a document: its bytes are the body."""
        data = await file_in(request, name)
        name = Path(name.replace("\\", "/")).name
        file = file_of_bytes(name, data)

        async def work(run: Run) -> list[Document]:
            documents = await self._convert_file(run, file)
            ending = Path(name).suffix.lower()
            if ending in KEPT:
                await asyncio.to_thread(keep_original, self.room.library, documents[0], data, ending)
            return documents

        return self._begin_adding(name, work)

    def _begin_adding(self, title: str, work: Callable[[Run], Any]) -> RunState:
        run = Run("add", asyncio.get_running_loop(), title=title, is_apart=True)

        async def add_and_tell() -> None:
            documents: list[Document] = await work(run)
            for document in documents:
                run.tell({"type": "document", "document": (await self._load_details(document)).model_dump()})
            titles = ", ".join(document.title for document in documents)
            run.change(state="done", documents=[document.id for document in documents], title=titles)

        return self.room.begin(run, add_and_tell).snapshot

    async def _convert_file(self, run: Run, file: SourceFile) -> list[Document]:
        """The documents of a file, of several chats one each; it is converted only if that was not done before."""

        def show(name: str, done: int, of: int) -> None:
            run.tell({"type": "converting", "name": name, "done": done, "of": of})

        with show_conversion(show):
            stored = await store_texts(self.pages, file)
        for each in stored:
            for notice in each.document.notices:
                run.tell({"type": "left_out", "problem": in_page_words(notice)})
            if each.notice:
                run.tell({"type": "notice", "text": in_page_words(each.notice)})
        return [each.document for each in stored]

    async def of_memory(self, document: str, memory: str) -> JSONResponse:
        """A memory as the report shows it; of one with many pages the first alone, with its `numbers`."""
        source, record = await self.pages.document_and_memory(document, memory)
        read = await report_of_document(self.pages, source, record, note_of(record), can_ask=True)
        return JSONResponse(report_in_page_words(read))

    async def marks(self, document: str, memory: str, request: Request) -> Response:
        """What a strip shows of all pages of a memory, as lists. The browser keeps it as long as it is so."""
        source, record = await self.pages.document_and_memory(document, memory)
        tag = f'"{record.id}-{record.started}-{record.pages}-{record.read_to}"'
        headers = {"etag": tag, "cache-control": "private, no-cache"}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return JSONResponse(await page_marks(self.pages, source, record), headers=headers)

    async def texts(self, document: str, memory: str, numbers: str) -> JSONResponse:
        """Pages with their texts; `numbers`: such as 3,4,5."""
        wanted = [int(number) for number in numbers.split(",") if number.strip().isdecimal() and len(number) < 20]
        if len(wanted) > MOST_PAGES:
            raise BadInput(f"At most {MOST_PAGES} pages are given at once.")
        source, record = await self.pages.document_and_memory(document, memory)
        shown = await shown_pages(self.pages, source, record, wanted, with_texts=True)
        return JSONResponse({"pages": [{"number": number, **page} for number, page in shown.items()]})

    async def suggestions(self, document: str, up_to: str = "") -> dict[str, list[str]]:
        """Questions to begin with: from the headings and names of a text, or of it up to a place, without a model."""
        known = await members_up_to(self.pages, [await self.pages.document(document)], up_to)
        return {"questions": await suggest_questions(self.pages, known[-1])}

    async def replace_note(self, document: str, memory: str, number: int, given: NoteBody) -> dict[str, Any]:
        """Replace the note of a page by the user's."""
        _, record = await self.pages.document_and_memory(document, memory)
        return asdict(await correct(self.pages, record, number, given.text))

    async def restore_note(self, document: str, memory: str, number: int) -> dict[str, Any]:
        """Put the method's own note of a page back."""
        _, record = await self.pages.document_and_memory(document, memory)
        return asdict(await restore(self.pages, record, number))

    async def original(
        self, document: str, number: int, width: Annotated[int, Query(ge=50, le=2400)] = 900
    ) -> Response:
        """A page of a document's PDF as a picture; pages count from 1."""
        file = await asyncio.to_thread(
            original_in, self.room.library.store, await self.pages.document(document), ".pdf"
        )
        if file is None:
            raise BadInput("The PDF of this document is not there any more.")
        return Response(await convert_in_thread(page_picture, file, number, width), media_type="image/png")


MOST_HITS = 50


class CollectionEntry(BaseModel):
    """A named collection."""

    name: str
    documents: list[dict[str, str]] = Field(description="Their ids and titles, in the order in which they came in.")


class WatchedFolder(BaseModel):
    """A folder that was watched: how many files are in each state, and those that were not simply read."""

    folder: str
    counts: dict[str, int]
    files: list[WatchedFile] = Field(description="At most 200: files that wait or were left out, with the reason.")


MOST_WATCHED = 200


class MembersBody(RequestBody):
    """Documents that come into a collection."""

    documents: list[str] = Field(min_length=1)


class Finding:
    """What can be found in a room."""

    def __init__(self, room: Room) -> None:
        self.room, self.collections = room, NamedCollections(room.pages)

    def add_routes(self, app: FastAPI) -> None:
        """Serve it."""
        app.get("/api/search")(self.search)
        app.get("/api/watched")(self.list_watched)
        app.get("/api/collections")(self.list_collections)
        app.put("/api/collections/{name}")(self.add)
        app.delete("/api/collections/{name}")(self.remove)

    async def search(
        self,
        query: str,
        documents: Annotated[list[str], Query()] = [],  # noqa: B006  (a default of the schema; never changed)
        collection: str = "",
        as_of: str = "",
        up_to: str = "",
        most: Annotated[int, Query(ge=1, le=MOST_HITS)] = 20,
    ) -> dict[str, list[Hit]]:
        """The passages that share most words with a query, the best first: of documents, a collection or all."""
        scope: dict[str, Any] = {"documents": documents, "collection": collection or None}
        scope |= {"as_of": as_of, "up_to": up_to}
        return {"hits": await run_apart(functions.search, self.room.library, query, most=most, **scope)}

    async def list_collections(self) -> dict[str, list[CollectionEntry]]:
        """The named collections."""
        return {"collections": [_entry(collection) for collection in await self.collections.list_collections()]}

    async def list_watched(self) -> dict[str, list[WatchedFolder]]:
        """The folders that were watched (`readgraph corpus FOLDER --watch`), with the states of their files."""
        folders = list[WatchedFolder]()
        for folder, watched in groupby(await self.room.library.watched.of(), key=lambda entry: entry.folder):
            listed = sorted(watched, key=lambda entry: STATES.index(entry.state))
            counts = Counter[str](watched_file.state for watched_file in listed)
            watched_files = [
                watched_file for watched_file in listed if watched_file.reason or watched_file.state != "read"
            ][:MOST_WATCHED]
            folders.append(WatchedFolder(folder=folder, counts=counts, files=watched_files))
        return {"folders": folders}

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
    documents = [{"id": document.id, "title": document.title or document.id} for document in collection.documents]
    return CollectionEntry(name=collection.name, documents=documents)

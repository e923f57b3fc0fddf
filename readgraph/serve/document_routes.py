"""What can be asked of documents: lists, uploads, memories with their pages and notes."""

import asyncio
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.responses import JSONResponse, Response

from readgraph.serve import adding, documents
from readgraph.serve.bodies import file_in
from readgraph.serve.documents import Listed, ShownDocument
from readgraph.serve.given import Given, GivenNote, Limit, Offset
from readgraph.serve.room import Room
from readgraph.serve.run import RunState
from readgraph.sources.converting import beside_the_loop
from readgraph.sources.pdf.picture import page_picture
from readgraph.state.errors import BadInput
from readgraph.state.originals import original_of


class GivenText(Given):
    """A text that becomes a document."""

    text: str
    title: str = ""


class GivenAddress(Given):
    """An address of the web, whose page or file becomes a document."""

    address: str


def add_documents(app: FastAPI, room: Room) -> None:
    """Documents: listed, shown, added."""

    @app.get("/api/documents")
    async def listed(query: str = "", offset: Offset = 0, limit: Limit = 50) -> Listed:
        """The documents of the library, the newest first; `query`: words of the title."""
        return await documents.listed_documents(room, query, offset, limit)

    @app.get("/api/documents/{document}")
    async def one(document: str) -> ShownDocument:
        """A document and its memories."""
        return await documents.shown_document(room, await room.pages.document(document))

    @app.post("/api/texts")
    async def add_text(given: GivenText) -> RunState:
        """Add a text as a document."""
        return adding.add_text(room, given.text, given.title).shown

    @app.post("/api/addresses")
    async def add_address(given: GivenAddress) -> RunState:
        """Add what stands at an address of the web as a document."""
        return adding.add_address(room, given.address).shown

    @app.put("/api/files/{name:path}")
    async def add_file(name: str, request: Request) -> RunState:
        """Add a file as a document: its bytes are the body."""
        return adding.add_file(room, name, await file_in(request, name)).shown


def add_pages(app: FastAPI, room: Room) -> None:
    """Pages and notes of a memory, and the pages of a PDF as pictures."""
    memory_path = "/api/documents/{document}/memories/{memory}"

    @app.get(memory_path)
    async def of_memory(document: str, memory: str) -> JSONResponse:
        """A memory as the report shows it: its pages with notes, and texts where the document is not too long."""
        return JSONResponse(await documents.memory_report(room, document, memory))

    @app.get(f"{memory_path}/pages")
    async def texts(document: str, memory: str, numbers: str) -> JSONResponse:
        """Pages with their texts; `numbers`: such as 3,4,5."""
        wanted = [int(number) for number in numbers.split(",") if number.strip().isdecimal() and len(number) < 20]
        return JSONResponse({"pages": await documents.pages_with_texts(room, document, memory, wanted)})

    @app.put(f"{memory_path}/notes/{{number}}")
    async def replace_note(document: str, memory: str, number: int, given: GivenNote) -> dict[str, Any]:
        """Replace the note of a page by the user's."""
        return asdict(await documents.change_note(room, document, memory, number, given.text))

    @app.delete(f"{memory_path}/notes/{{number}}")
    async def restore_note(document: str, memory: str, number: int) -> dict[str, Any]:
        """Put the method's own note of a page back."""
        return asdict(await documents.change_note(room, document, memory, number, None))

    @app.get("/api/documents/{document}/original/{number}.png")
    async def original(document: str, number: int, width: Annotated[int, Query(ge=50, le=2400)] = 900) -> Response:
        """A page of a document's PDF as a picture; pages count from 1."""
        file = await asyncio.to_thread(original_of, room.library, await room.pages.document(document), ".pdf")
        if file is None:
            raise BadInput("The PDF of this document is not there any more.")
        return Response(await beside_the_loop(page_picture, file, number, width), media_type="image/png")

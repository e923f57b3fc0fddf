"""What can be asked of documents, runs, questions and agents, and the events of a run as server-sent events."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import FastAPI, HTTPException, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import Field
from starlette.responses import StreamingResponse

from readgraph.library.library import original_of
from readgraph.report.page import ReportData, render
from readgraph.serve import documents, questions, reading
from readgraph.serve import documents as adding
from readgraph.serve.agents import AgentDetails, AgentEntry, Agents, StorageMatches
from readgraph.serve.documents import DocumentDetails, DocumentList
from readgraph.serve.questions import Branch, QuestionList, branch
from readgraph.serve.reading import RunEstimate, RunRequest, estimate_run
from readgraph.serve.requests import Limit, NoteBody, Offset, RequestBody, file_in
from readgraph.serve.room import ENDED, Room, Run, RunState
from readgraph.sources.converting import convert_in_thread
from readgraph.sources.pdf.in_child import page_picture
from readgraph.state.errors import BadInput


class TextBody(RequestBody):
    """A text that becomes a document."""

    text: str
    title: str = ""


class AddressBody(RequestBody):
    """An address of the web, whose page or file becomes a document."""

    address: str


def add_documents(app: FastAPI, room: Room) -> None:
    """Documents: listed, shown, added."""

    @app.get("/api/documents")
    async def list_documents(query: str = "", offset: Offset = 0, limit: Limit = 50) -> DocumentList:
        """The documents of the library, the newest first; `query`: words of the title."""
        return await documents.documents_by_title(room, query, offset, limit)

    @app.get("/api/documents/{document}")
    async def one(document: str) -> DocumentDetails:
        """A document and its memories."""
        return await documents.load_document_details(room, await room.pages.document(document))

    @app.post("/api/texts")
    async def add_text(given: TextBody) -> RunState:
        """Add a text as a document."""
        return adding.add_text(room, given.text, given.title).snapshot

    @app.post("/api/addresses")
    async def add_address(given: AddressBody) -> RunState:
        """Add what stands at an address of the web as a document."""
        return adding.add_address(room, given.address).snapshot

    @app.put("/api/files/{name:path}")
    async def add_file(name: str, request: Request) -> RunState:
        """Add a file as a document: its bytes are the body."""
        return adding.add_file(room, name, await file_in(request, name)).snapshot


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
    async def replace_note(document: str, memory: str, number: int, given: NoteBody) -> dict[str, Any]:
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
        return Response(await convert_in_thread(page_picture, file, number, width), media_type="image/png")


ALIVE = 15.0
"""Seconds of silence after which a comment is sent, so that nothing between takes the connection for dead."""


def event_stream(run: Run, after: int) -> StreamingResponse:
    """The events behind the one with this number, and those that come."""
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(_lines(run, after), media_type="text/event-stream", headers=headers)


async def _lines(run: Run, after: int) -> AsyncIterator[bytes]:
    yield b"retry: 1000\n\n"
    events = run.events(after)
    following = asyncio.ensure_future(anext(events, None))
    try:
        while True:
            done, _ = await asyncio.wait([following], timeout=ALIVE)
            if not done:
                yield b": still here\n\n"
                continue
            if (event := following.result()) is None:
                return
            number, told = event
            data = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
            yield f"id: {number}\ndata: {data}\n\n".encode(errors="replace")  # of a lone surrogate there is no form
            following = asyncio.ensure_future(anext(events, None))
    finally:
        following.cancel()


AS_REPORT = {"content-disposition": 'attachment; filename="report.html"'}

GONE = (
    "This server has no such run: it may have been started anew since. Begin it once more: nothing is paid for twice."
)

GO_ON = ("paused", "stopped", "failed")
"""States of a run that can go on."""


class GoOnBody(RequestBody):
    """How a run goes on."""

    pages: list[int] | None = Field(None, description="Of a run that waits for it: the pages to read again.")


def add_runs(app: FastAPI, room: Room) -> None:
    """Runs: begun, listed, followed."""

    @app.post("/api/runs")
    async def begin(wanted: RunRequest) -> RunState:
        """Begin to read, or to answer a question."""
        return (await reading.begin(room, wanted)).snapshot

    @app.post("/api/estimate")
    async def estimate(wanted: RunRequest) -> RunEstimate:
        """What a run will take, without a call."""
        return await estimate_run(room, wanted)

    @app.get("/api/runs")
    async def runs() -> dict[str, list[RunState]]:
        """The runs of this server, the newest first."""
        return {"runs": [run.snapshot for run in reversed(room.runs.values())]}

    @app.get("/api/runs/{run}")
    async def one(run: str) -> RunState:
        """How far a run is."""
        return _require_run(room, run).snapshot

    @app.get("/api/runs/{run}/events")
    async def events(run: str, request: Request, after: Offset = 0) -> Response:
        """All that a run tells, as server-sent events; `Last-Event-ID` or `after` says which are known."""
        seen = request.headers.get("last-event-id", "")
        return event_stream(_require_run(room, run), int(seen) if seen.isdecimal() and len(seen) < 20 else after)


def add_steering(app: FastAPI, room: Room) -> None:
    """Runs: stopped, gone on with, reported."""

    @app.post("/api/runs/{run}/stop")
    async def stop(run: str) -> RunState:
        """Stop a run; what it read is kept."""
        room.stop(_require_run(room, run))
        return _require_run(room, run).snapshot

    @app.post("/api/runs/{run}/go-on")
    async def go_on(run: str, given: GoOnBody | None = None) -> RunState:
        """Go on with a run that was stopped, has failed, or waits for a person."""
        known = _require_run(room, run)
        if known.again is None:
            raise BadInput("This run can't go on: do what it was for once more.")
        if known.state not in GO_ON:
            raise BadInput("This run is done: begin a new one." if known.state in ENDED else "This run is at work.")
        await known.again(given.pages if given else None)
        return known.snapshot

    @app.get("/api/runs/{run}/report.html")
    async def report(run: str) -> Response:
        """The report of a run as a file."""
        known = _require_run(room, run)
        if known.result is None:
            raise BadInput("This run has no report yet.")
        return await _as_file(known.result["report"])


def add_questions(app: FastAPI, room: Room) -> None:
    """Questions that were asked, and their steps."""

    @app.get("/api/questions")
    async def list_questions(document: str = "", offset: Offset = 0, limit: Limit = 50) -> QuestionList:
        """The questions that were asked, the newest first."""
        return await questions.list_questions(room, document, offset, limit)

    @app.get("/api/questions/{thread}")
    async def one(thread: str) -> JSONResponse:
        """A question as the report shows it, and the steps to go back to."""
        return JSONResponse(await questions.question_report(room, thread))

    @app.get("/api/questions/{thread}/report.html")
    async def report(thread: str) -> Response:
        """The report of a question as a file."""
        known = await questions.question_report(room, thread)
        if known["report"] is None:
            raise BadInput("This question has no report: its run ended before anything was read. Go on with it first.")
        return await _as_file(known["report"])

    @app.post("/api/questions/{thread}/fork")
    async def fork(thread: str, wanted: Branch) -> RunState:
        """Go on from a step of a question once more, asked otherwise or with other pages."""
        return (await branch(room, thread, wanted)).snapshot


def _require_run(room: Room, run: str) -> Run:
    if known := room.run(run):
        return known
    raise HTTPException(404, GONE)


async def _as_file(report: ReportData) -> Response:
    return Response(await asyncio.to_thread(render, report), media_type="text/html", headers=AS_REPORT)


class MessageBody(RequestBody):
    """A message to an agent."""

    text: str


class DocumentBody(RequestBody):
    """A document of the library, by its id."""

    document: str


def add_agents(app: FastAPI, agents: Agents) -> None:
    """Agents: listed, shown, talked with, corrected."""

    @app.get("/api/agents")
    async def list_agents() -> dict[str, list[AgentEntry]]:
        """The agents that can be talked with."""
        return {"agents": await agents.list_agents()}

    @app.get("/api/agents/{name:path}/search")
    async def search(name: str, store: Literal["recall", "archival"] = "recall", query: str = "") -> StorageMatches:
        """What an agent's storage holds for these words; without words, the newest."""
        return await agents.search(name, store, query)

    @app.get("/api/agents/{name:path}")
    async def one(name: str) -> AgentDetails:
        """An agent's working context, storages and newest events."""
        return await agents.load_details(name)

    @app.post("/api/agents/{name:path}/messages")
    async def send(name: str, given: MessageBody) -> RunState:
        """Send an agent a message; an agent of a new name begins with it."""
        return agents.send(name, given.text).snapshot

    @app.post("/api/agents/{name:path}/documents")
    async def upload(name: str, given: DocumentBody) -> RunState:
        """Give an agent a document of the library."""
        return (await agents.upload(name, given.document)).snapshot

    @app.put("/api/agents/{name:path}/blocks/{label}")
    async def rewrite(name: str, label: str, given: NoteBody) -> AgentDetails:
        """Replace the text of a block of an agent's working context."""
        await agents.rewrite(name, label, given.text)
        return await agents.load_details(name)

    @app.post("/api/agents/{name:path}/undo")
    async def undo(name: str) -> dict[str, Any]:
        """Take back the newest turn that a user began, and all since."""
        return {"undone": await agents.undo(name)}

"""The application: the page, and the JSON interface that it uses, which programs can use too (`/openapi.json`)."""

import asyncio
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import FastAPI, HTTPException, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException as AnyHTTPException
from starlette.requests import ClientDisconnect

import readgraph
from readgraph.report.data import ReportData
from readgraph.report.page import render
from readgraph.serve import adding, documents, page, questions, reading
from readgraph.serve.about import About, about
from readgraph.serve.agents import AgentInList, Agents, FoundInMemory, ShownAgent
from readgraph.serve.documents import Listed, ShownDocument
from readgraph.serve.estimating import Estimated, estimated
from readgraph.serve.event_stream import event_stream
from readgraph.serve.given import Given
from readgraph.serve.guard import Guard, Guarded
from readgraph.serve.questions import AskedQuestions
from readgraph.serve.reading import Wanted
from readgraph.serve.room import Room
from readgraph.serve.run import ENDED, Run, RunState
from readgraph.serve.steering import Branch, branch
from readgraph.sources.given_files import most_bytes, too_large
from readgraph.sources.pdf.picture import page_picture
from readgraph.state.errors import BadInput, ReadgraphError
from readgraph.state.originals import original_of

MOST_LISTED = 200
AS_REPORT = {"content-disposition": 'attachment; filename="report.html"'}
GONE = (
    "This server has no such run: it may have been started anew since. Begin it once more: nothing is paid for twice."
)

LARGEST = 2**63 - 1
"""No number of a page, event or question is larger: the library's files hold none."""

Offset = Annotated[int, Query(ge=0, le=LARGEST)]
GO_ON = ("paused", "stopped", "failed")
"""States of a run that can go on."""

Limit = Annotated[int, Query(ge=1, le=MOST_LISTED)]


class Problem(BaseModel):
    """What can't be done, and why."""

    problem: str = Field(description="One line.")


class GivenText(Given):
    """A text that becomes a document."""

    text: str
    title: str = ""


class GivenAddress(Given):
    """An address of the web, whose page or file becomes a document."""

    address: str


class GivenNote(Given):
    """A person's note in place of a method's."""

    text: str


class GivenMessage(Given):
    """A message to an agent."""

    text: str


class GivenDocument(Given):
    """A document of the library, by its id."""

    document: str


class GoOn(Given):
    """How a run goes on."""

    pages: list[int] | None = Field(None, description="Of a run that waits for it: the pages to read again.")


def library_app(room: Room, guard: Guard) -> Guarded:
    """The application over a room, behind its guard."""
    app = FastAPI(
        title="readgraph",
        version=readgraph.__version__,
        description="A library of long documents: read them, ask about them, watch how.",
        docs_url=None,  # these pages would load scripts of another host
        redoc_url=None,
        responses={"4XX": {"model": Problem, "description": "It can't be done: one line says why."}},
    )
    _add_errors(app)
    _add_page(app, room, guard)
    _add_documents(app, room)
    _add_pages(app, room)
    _add_runs(app, room)
    _add_questions(app, room)
    _add_agents(app, Agents(room))
    return Guarded(app, guard)


def _add_errors(app: FastAPI) -> None:
    """Errors are one line, under `problem`."""

    @app.exception_handler(ReadgraphError)
    async def of_ours(request: Request, problem: ReadgraphError) -> JSONResponse:
        return JSONResponse({"problem": str(problem)}, 400 if isinstance(problem, BadInput) else 500)

    @app.exception_handler(RequestValidationError)
    async def of_form(request: Request, problem: RequestValidationError) -> JSONResponse:
        first = problem.errors()[0]
        where = ".".join(str(each) for each in first["loc"] if each != "body")
        return JSONResponse({"problem": f"{where or 'The request'}: {first['msg']}."}, 422)

    @app.exception_handler(AnyHTTPException)
    async def of_paths(request: Request, problem: AnyHTTPException) -> JSONResponse:
        return JSONResponse({"problem": str(problem.detail)}, problem.status_code)


def _add_page(app: FastAPI, room: Room, guard: Guard) -> None:
    shown: dict[str, Any] = {"include_in_schema": False}

    @app.get("/", **shown)
    async def index() -> HTMLResponse:
        return HTMLResponse(page.index())

    @app.get("/assets/room.css", **shown)
    async def style() -> Response:
        return Response(page.style(), media_type="text/css")

    @app.get("/assets/room.js", **shown)
    async def script() -> Response:
        return Response(page.script(), media_type="text/javascript")

    @app.post("/api/login", **shown)
    async def log_in(request: Request) -> Response:
        return await guard.log_in(request)

    @app.get("/api/about")
    async def about_this() -> About:
        """The methods and settings of this server."""
        return await asyncio.to_thread(about, room)


def _add_documents(app: FastAPI, room: Room) -> None:
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
        return adding.add_file(room, name, await _body(request, name)).shown


async def _body(request: Request, name: str) -> bytes:
    """The body of a request; raises `BadInput` as soon as it is too large."""
    data, most = bytearray(), most_bytes()
    said = request.headers.get("content-length", "")
    if said.isdecimal() and (len(said) > 18 or int(said) > most):
        raise too_large(name)
    try:
        async for piece in request.stream():
            data += piece
            if len(data) > most:
                raise too_large(name)
    except ClientDisconnect:
        raise BadInput(f"{name} did not come whole.") from None
    return bytes(data)


def _add_pages(app: FastAPI, room: Room) -> None:
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
        return Response(await asyncio.to_thread(page_picture, file, number, width), media_type="image/png")


def _add_runs(app: FastAPI, room: Room) -> None:
    @app.post("/api/runs")
    async def begin(wanted: Wanted) -> RunState:
        """Begin to read, or to answer a question."""
        return (await reading.begin(room, wanted)).shown

    @app.post("/api/estimate")
    async def estimate(wanted: Wanted) -> Estimated:
        """What a run will take, without a call."""
        return await estimated(room, wanted)

    @app.get("/api/runs")
    async def runs() -> dict[str, list[RunState]]:
        """The runs of this server, the newest first."""
        return {"runs": [run.shown for run in reversed(room.runs.values())]}

    @app.get("/api/runs/{run}")
    async def one(run: str) -> RunState:
        """How far a run is."""
        return _known(room, run).shown

    @app.get("/api/runs/{run}/events")
    async def events(run: str, request: Request, after: Offset = 0) -> Response:
        """All that a run tells, as server-sent events; `Last-Event-ID` or `after` says which are known."""
        seen = request.headers.get("last-event-id", "")
        return event_stream(_known(room, run), int(seen) if seen.isdecimal() and len(seen) < 20 else after)

    @app.post("/api/runs/{run}/stop")
    async def stop(run: str) -> RunState:
        """Stop a run; what it read is kept."""
        room.stop(_known(room, run))
        return _known(room, run).shown

    @app.post("/api/runs/{run}/go-on")
    async def go_on(run: str, given: GoOn | None = None) -> RunState:
        """Go on with a run that was stopped, has failed, or waits for a person."""
        known = _known(room, run)
        if known.again is None:
            raise BadInput("This run can't go on: do what it was for once more.")
        if known.state not in GO_ON:
            raise BadInput("This run is done: begin a new one." if known.state in ENDED else "This run is at work.")
        await known.again(given.pages if given else None)
        return known.shown

    @app.get("/api/runs/{run}/report.html")
    async def report(run: str) -> Response:
        """The report of a run as a file."""
        known = _known(room, run)
        if known.result is None:
            raise BadInput("This run has no report yet.")
        return await _as_file(known.result["report"])


async def _as_file(report: ReportData) -> Response:
    return Response(await asyncio.to_thread(render, report), media_type="text/html", headers=AS_REPORT)


def _known(room: Room, run: str) -> Run:
    if known := room.run(run):
        return known
    raise HTTPException(404, GONE)


def _add_questions(app: FastAPI, room: Room) -> None:
    @app.get("/api/questions")
    async def asked(document: str = "", offset: Offset = 0, limit: Limit = 50) -> AskedQuestions:
        """The questions that were asked, the newest first."""
        return await questions.asked_questions(room, document, offset, limit)

    @app.get("/api/questions/{thread}")
    async def one(thread: str) -> JSONResponse:
        """A question as the report shows it, and the steps to go back to."""
        return JSONResponse(await questions.question_report(room, thread))

    @app.get("/api/questions/{thread}/report.html")
    async def report(thread: str) -> Response:
        """The report of a question as a file."""
        return await _as_file((await questions.question_report(room, thread))["report"])

    @app.post("/api/questions/{thread}/fork")
    async def fork(thread: str, wanted: Branch) -> RunState:
        """Go on from a step of a question once more, asked otherwise or with other pages."""
        return (await branch(room, thread, wanted)).shown


def _add_agents(app: FastAPI, agents: Agents) -> None:
    @app.get("/api/agents")
    async def listed() -> dict[str, list[AgentInList]]:
        """The agents that can be talked with."""
        return {"agents": await agents.listed()}

    @app.get("/api/agents/{name:path}/search")
    async def search(name: str, store: Literal["recall", "archival"] = "recall", query: str = "") -> FoundInMemory:
        """What an agent's storage holds for these words; without words, the newest."""
        return await agents.search(name, store, query)

    @app.get("/api/agents/{name:path}")
    async def one(name: str) -> ShownAgent:
        """An agent's working context, storages and newest events."""
        return await agents.shown(name)

    @app.post("/api/agents/{name:path}/messages")
    async def send(name: str, given: GivenMessage) -> RunState:
        """Send an agent a message; an agent of a new name begins with it."""
        return agents.send(name, given.text).shown

    @app.post("/api/agents/{name:path}/documents")
    async def upload(name: str, given: GivenDocument) -> RunState:
        """Give an agent a document of the library."""
        return (await agents.upload(name, given.document)).shown

    @app.put("/api/agents/{name:path}/blocks/{label}")
    async def rewrite(name: str, label: str, given: GivenNote) -> ShownAgent:
        """Replace the text of a block of an agent's working context."""
        await agents.rewrite(name, label, given.text)
        return await agents.shown(name)

    @app.post("/api/agents/{name:path}/undo")
    async def undo(name: str) -> dict[str, Any]:
        """Take back the newest turn that a user began, and all since."""
        return {"undone": await agents.undo(name)}

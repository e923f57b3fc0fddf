"""The application: the page, the JSON interface that it uses (`/openapi.json`), what it offers; and its server."""

import asyncio
import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import uvicorn
from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException as AnyHTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

import readgraph
from readgraph.doors.report.page import PARTS, STYLES
from readgraph.doors.serve.documents import Documents, Finding
from readgraph.doors.serve.guard import Guard, GuardedApp
from readgraph.doors.serve.making import pages
from readgraph.doors.serve.openai_form import OpenAIForm
from readgraph.doors.serve.page_files import read_page, serve_page
from readgraph.doors.serve.questions import Questions
from readgraph.doors.serve.requests import OPENAI, BodyLimit, Refused, problem_response
from readgraph.doors.serve.room import OFFERED, Room
from readgraph.doors.serve.runs import Runs
from readgraph.doors.serve.wording import in_page_words, page_error_line
from readgraph.graphs.method import Method
from readgraph.graphs.method_facts import settings_of
from readgraph.graphs.methods import every_method
from readgraph.library.documents import NotHeld
from readgraph.library.library import ONLY_READ
from readgraph.state.declaring import Declaration
from readgraph.state.errors import BadInput, ReadgraphError


class OfferedMethod(BaseModel):
    """A method in a line."""

    name: str
    line: str
    note: str = Field(description="Its word for the note of a page.")


class MethodDetails(BaseModel):
    """The nodes of a method, and the settings that it uses to answer, and to read alone."""

    name: str
    steps: list[str] = Field(description="The names of its nodes.")
    settings: list[str]
    reading_settings: list[str]


class OfferedSetting(BaseModel):
    """A setting of a run."""

    name: str
    kind: Literal["text", "whole", "number", "switch", "choice", "list"]
    choices: list[str] | None
    default: Any
    value: Any = Field(description="What this server uses where a run doesn't say.")
    least: float | None
    most: float | None
    help: str
    panel: str


class ServerInfo(BaseModel):
    """What a server offers."""

    version: str
    library: str = Field(description="The name of the library's folder or database.")
    model: str
    method: str = Field(description="The method that is set for all runs; empty: chosen for each document.")
    methods: list[OfferedMethod]
    settings: list[OfferedSetting]
    links: list[tuple[str, str]] = Field(description="Labels and paths of pages on how a question was answered.")


def _methods() -> list[OfferedMethod]:
    """Ours and those of other packages; `readgraph methods` says why one of these can't be used."""
    offered = list[OfferedMethod]()
    for method in every_method():
        with suppress(Exception, SystemExit) if method.package else nullcontext():
            if method.package:
                _describe_method(method)
            offered.append(OfferedMethod(name=method.name, line=method.line, note=method.note))
    return offered


@cache
def _describe_method(method: Method) -> MethodDetails:
    """Its graph is built for that, which takes a moment."""
    return MethodDetails(
        name=method.name,
        steps=[*method.build().nodes],
        settings=sorted(settings_of(method, asks=True)),
        reading_settings=sorted(settings_of(method, asks=False)),
    )


_KINDS: dict[Any, Any] = {Literal: "choice", tuple: "list", bool: "switch", int: "whole", float: "number"}


def _describe_setting(setting: Declaration, value: Any) -> OfferedSetting:
    declared: Any = setting.kind
    if get_origin(declared) in (Union, UnionType):
        declared = next(argument for argument in get_args(declared) if argument is not type(None))
    kind = _KINDS.get(get_origin(declared) or declared, "text")
    choices = [str(argument) for argument in get_args(declared)] if kind == "choice" else None
    same = {name: getattr(setting, name) for name in ("name", "default", "least", "most", "panel")}
    return OfferedSetting(kind=kind, choices=choices, value=value, help=in_page_words(setting.help.text), **same)


class Problem(BaseModel):
    """What can't be done, and why."""

    problem: str = Field(description="One line.")


def library_app(room: Room, guard: Guard) -> GuardedApp:
    """The application over a room, behind its guard."""
    app = FastAPI(
        title="readgraph",
        version=readgraph.__version__,
        description="A library of long documents: read them, ask about them, watch how.",
        docs_url=None,  # these pages would load scripts of another host
        redoc_url=None,
        dependencies=[Depends(_check_query)],
        responses={"4XX": {"model": Problem, "description": "It can't be done: one line says why."}},
    )
    _add_errors(app)
    _add_page(app, room, guard)
    _add_routes(app, room)
    return GuardedApp(BodyLimit(OnlyAnswers(app) if room.library.is_copy else app), guard)


def _check_query(request: Request) -> None:
    """Refuse a parameter that a path doesn't take: it would be passed over, and something else be answered."""
    known = [field.alias for field in request.scope["route"].dependant.query_params]
    if unknown := [name for name in request.query_params if name not in known]:
        takes = ", ".join(known) or "none"
        raise BadInput(f"{request.url.path} takes no parameter '{unknown[0]:.60}': it takes {takes}.")


ADDING = ("/api/texts", "/api/addresses", "/api/example", "/api/agents")  # where POST adds or changes something


class OnlyAnswers:
    """An application over a library that can only be read, which takes questions and no changes."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on to the application, or refuse."""
        if scope["type"] == "http":
            adds = scope["method"] == "POST" and scope["path"].startswith(ADDING)
            if scope["method"] in ("PUT", "DELETE") or adds:
                line = f"{ONLY_READ}: nothing can be added, changed or deleted."
                await problem_response(scope["path"], line, 403)(scope, receive, send)
                return
        await self.app(scope, receive, send)


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(ReadgraphError)
    async def of_ours(request: Request, problem: ReadgraphError) -> JSONResponse:
        status = 400 if isinstance(problem, BadInput) else 500
        if isinstance(problem, NotHeld) and request.url.path.startswith("/api/documents/"):
            status = 404  # it is what the path names
        line = " ".join(page_error_line(problem).split())  # what a path names may hold line ends
        return problem_response(request.url.path, line, status)

    @app.exception_handler(RequestValidationError)
    async def of_form(request: Request, problem: RequestValidationError) -> JSONResponse:
        first = problem.errors()[0]
        where = ".".join(str(each) for each in first["loc"] if each != "body")
        path, line = request.url.path, f"{where}: {first['msg']}."
        if first["type"] == "json_invalid":  # its place is a number
            where, line = "", f"The request is no valid JSON, from character {where} on: {first['ctx']['error']}."
        elif not where:
            line = "The request must be a JSON object, with the content type application/json."
        return problem_response(path, line, 400 if path.startswith(OPENAI) else 422, {"param": where or None})

    @app.exception_handler(AnyHTTPException)
    async def of_paths(request: Request, problem: AnyHTTPException) -> JSONResponse:
        about, path, line = problem.about if isinstance(problem, Refused) else None, request.url.path, problem.detail
        if line in ("Not Found", "Method Not Allowed"):  # of no route here
            line = f"There is no {request.method} {path}: GET /openapi.json lists what there is."
        return problem_response(path, str(line), problem.status_code, about)

    @app.exception_handler(Exception)
    async def of_nobody(request: Request, problem: Exception) -> JSONResponse:  # which is logged besides
        return problem_response(request.url.path, f"An unexpected {type(problem).__name__} ended it.", 500)


OWN_STYLES = tuple("room fields library live".split())
OWN_SCRIPTS = tuple(
    "api forms keys router shown library adding live run settings_panel document picking ask questions compare agents "
    "room".split()
)
"""The room's files, in the order in which they are joined behind the report's."""


def _add_page(app: FastAPI, room: Room, guard: Guard) -> None:
    own, report = "readgraph.doors.serve", "readgraph.doors.report"
    styles, scripts = ((report, STYLES), (own, OWN_STYLES)), ((report, PARTS), (own, OWN_SCRIPTS))
    serve_page(app, read_page("/", "room", own, styles, scripts))
    app.post("/api/login", include_in_schema=False)(guard.log_in)

    @app.get("/api/about")
    def about_this() -> ServerInfo:  # in a thread: graphs of other packages' methods are built for the first answer
        """The methods and settings of this server."""
        return ServerInfo(
            version=readgraph.__version__,
            library=room.library.whole_store.name,
            model=room.context.model,
            method=room.method,
            methods=_methods(),
            settings=[
                _describe_setting(declaration, getattr(room.context, declaration.name)) for declaration in OFFERED
            ],
            links=[page.link for page in pages() if page.link],
        )

    @app.get("/api/methods/{name}")
    def about_method(name: str) -> MethodDetails:
        """The nodes and settings of a method."""
        return _describe_method(room.method_for(name, None))


def _add_routes(app: FastAPI, room: Room) -> None:
    runs = Runs(room)
    for subject in (Documents(room), Finding(room), runs, OpenAIForm(room, runs), Questions(room)):
        subject.add_routes(app)
    for page in pages():
        page.add_routes(app, room)


SECONDS_TO_END = 2  # that connections may take to end once the runs have: one whose other side doesn't read never would
_log = logging.getLogger("uvicorn.error")


class Server(uvicorn.Server):
    """A server that leaves signals to the command, which stops the runs first."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take no signal."""
        yield


async def serve_room(room: Room, guard: Guard, listener: socket.socket) -> None:
    """Serve until cancelled; runs are stopped then, and go on when they are begun again."""
    _log.setLevel(logging.WARNING)
    config = uvicorn.Config(
        library_app(room, guard),
        log_level="warning",
        access_log=False,
        ws="none",
        lifespan="off",
        timeout_graceful_shutdown=SECONDS_TO_END,
    )
    server = Server(config)
    serving = asyncio.ensure_future(server.serve([listener]))
    try:
        await asyncio.shield(serving)
    finally:
        server.should_exit = True
        await room.close()  # who follows a run gets its end, and lets go of the connection
        _log.setLevel(logging.CRITICAL)  # connections that are cut now are no errors
        await asyncio.wait([serving])

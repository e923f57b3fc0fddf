"""The application: the page, and the JSON interface that it uses, which programs can use too (`/openapi.json`)."""

import asyncio
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException as AnyHTTPException

import readgraph
from readgraph.serve import page
from readgraph.serve.about import About, about
from readgraph.serve.agent_routes import add_agents
from readgraph.serve.agents import Agents
from readgraph.serve.bodies import Limited
from readgraph.serve.document_routes import add_documents, add_pages
from readgraph.serve.guard import Guard, Guarded
from readgraph.serve.refusing import said
from readgraph.serve.room import Room
from readgraph.serve.run_routes import add_questions, add_runs, add_steering
from readgraph.state.errors import BadInput, ReadgraphError


class Problem(BaseModel):
    """What can't be done, and why."""

    problem: str = Field(description="One line.")


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
    add_documents(app, room)
    add_pages(app, room)
    add_runs(app, room)
    add_steering(app, room)
    add_questions(app, room)
    add_agents(app, Agents(room))
    return Guarded(Limited(app), guard)


def _add_errors(app: FastAPI) -> None:
    """Errors are one line, under `problem`."""

    @app.exception_handler(ReadgraphError)
    async def of_ours(request: Request, problem: ReadgraphError) -> JSONResponse:
        return JSONResponse({"problem": said(problem)}, 400 if isinstance(problem, BadInput) else 500)

    @app.exception_handler(RequestValidationError)
    async def of_form(request: Request, problem: RequestValidationError) -> JSONResponse:
        first = problem.errors()[0]
        where = ".".join(str(each) for each in first["loc"] if each != "body")
        return JSONResponse({"problem": f"{where or 'The request'}: {first['msg']}."}, 422)

    @app.exception_handler(AnyHTTPException)
    async def of_paths(request: Request, problem: AnyHTTPException) -> JSONResponse:
        return JSONResponse({"problem": str(problem.detail)}, problem.status_code)

    @app.exception_handler(Exception)
    async def of_nobody(request: Request, problem: Exception) -> JSONResponse:  # which is logged besides
        return JSONResponse({"problem": f"An unexpected {type(problem).__name__} ended it."}, 500)


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

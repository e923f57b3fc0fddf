"""What can be asked of runs and of questions: their events, their steps, their reports."""

import asyncio

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse, Response
from pydantic import Field

from readgraph.report.data import ReportData
from readgraph.report.page import render
from readgraph.serve import questions, reading
from readgraph.serve.estimating import Estimated, estimated
from readgraph.serve.event_stream import event_stream
from readgraph.serve.given import Given, Limit, Offset
from readgraph.serve.questions import AskedQuestions
from readgraph.serve.reading import Wanted
from readgraph.serve.room import Room
from readgraph.serve.run import ENDED, Run, RunState
from readgraph.serve.steering import Branch, branch
from readgraph.state.errors import BadInput

AS_REPORT = {"content-disposition": 'attachment; filename="report.html"'}

GONE = (
    "This server has no such run: it may have been started anew since. Begin it once more: nothing is paid for twice."
)

GO_ON = ("paused", "stopped", "failed")
"""States of a run that can go on."""


class GoOn(Given):
    """How a run goes on."""

    pages: list[int] | None = Field(None, description="Of a run that waits for it: the pages to read again.")


def add_runs(app: FastAPI, room: Room) -> None:
    """Runs: begun, listed, followed."""

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


def add_steering(app: FastAPI, room: Room) -> None:
    """Runs: stopped, gone on with, reported."""

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


def add_questions(app: FastAPI, room: Room) -> None:
    """Questions that were asked, and their steps."""

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
        known = await questions.question_report(room, thread)
        if known["report"] is None:
            raise BadInput("This question has no report: its run ended before anything was read. Go on with it first.")
        return await _as_file(known["report"])

    @app.post("/api/questions/{thread}/fork")
    async def fork(thread: str, wanted: Branch) -> RunState:
        """Go on from a step of a question once more, asked otherwise or with other pages."""
        return (await branch(room, thread, wanted)).shown


def _known(room: Room, run: str) -> Run:
    if known := room.run(run):
        return known
    raise HTTPException(404, GONE)


async def _as_file(report: ReportData) -> Response:
    return Response(await asyncio.to_thread(render, report), media_type="text/html", headers=AS_REPORT)

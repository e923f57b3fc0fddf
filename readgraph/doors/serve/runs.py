"""What can be asked of runs: begun, listed, followed as server-sent events, stopped, gone on with, reported."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, replace
from typing import Any
from uuid import uuid4

from fastapi import FastAPI, Request
from fastapi.responses import Response
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from pydantic import BaseModel, Field
from starlette.responses import StreamingResponse

from readgraph.api.documents import PickingScope, documents_as_one, in_one_order, pick_documents
from readgraph.api.functions import check_asked
from readgraph.api.routing import estimate_with_question
from readgraph.api.running import builder_for, check_pauses, cost_with
from readgraph.api.tools import AsOf, Choices, CollectionName, MethodName, UpTo
from readgraph.api.up_to import check_named
from readgraph.doors.report.page import whole_report
from readgraph.doors.serve.making import ANSWER, Making, making_named
from readgraph.doors.serve.reading import PreparedRun, check_at_rest, start_run
from readgraph.doors.serve.requests import Offset, RequestBody, report_file
from readgraph.doors.serve.room import ENDED, Room, Run, RunState
from readgraph.graphs.methods import ROWS
from readgraph.state.apart import run_apart
from readgraph.state.channels import MOST_QUESTION_TURNS
from readgraph.state.errors import BadInput
from readgraph.state.reading import Question, QuestionTurn

ALIVE = 15.0  # seconds of silence after which a comment is sent, so that nothing between takes the connection for dead


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


GO_ON = ("paused", "stopped", "failed")  # states of a run that can go on


class GoOnBody(RequestBody):
    """How a run goes on."""

    pages: list[int] | None = Field(None, description="Of a run that waits for it: the pages to read again.")
    reply: dict[str, Any] | None = Field(None, description="Of a run that asks: the reply, in the form that it names.")


MOST_OPTIONS = 26


class RunRequest(RequestBody):
    """What a run is to do."""

    documents: list[str] = Field([], description="Ids of documents; several are read as one. Empty: retrieval picks.")
    method: MethodName = ""
    question: str = Field("", description="What is asked; empty: the documents are only read.")
    task: str = Field(ANSWER, description="What is made: an answer; a summary, a table, a check, or a wiki.")
    part: str = Field("", description="Of a summary: only this part, by its heading or number.")
    words: int | None = Field(None, ge=20, le=10_000, description="Of a summary: most words.")
    collection: CollectionName = ""
    as_of: AsOf = ""
    up_to: UpTo = ""
    options: Choices = Field([], max_length=MOST_OPTIONS)
    settings: dict[str, Any] = Field({}, description="Settings by their names that differ from the server's.")
    follow_up: str = Field("", description="The thread of the question that this one follows.")
    turns: list[QuestionTurn] = Field(
        [], max_length=MOST_QUESTION_TURNS, description="Questions before it, of a conversation that no thread keeps."
    )
    pause_before: list[str] = Field([], description="Nodes of the method before which a person decides.")
    review: bool = Field(
        False, description="Steps ask a person: which pages, which plan, and whether the answer stands."
    )

    def check(self) -> None:
        """Raise `BadInput` for what can't be asked."""
        if self.task != ANSWER:
            self._check_task()
        elif self.question.strip():
            check_asked(self.question, self.options)
        elif not self.documents:
            raise BadInput("Name a document to read, or ask a question.")
        elif self.options:
            raise BadInput("Options belong to a question: write one.")
        check_named(self.up_to, self.documents, self.collection or None)
        if self.turns and (self.follow_up or self.task != ANSWER or not self.question.strip()):
            raise BadInput("Turns stand before a question that follows no thread: leave them out.")

    def _check_task(self) -> None:
        if not self.documents:
            raise BadInput("Choose the texts first.")
        if self.options or self.follow_up or self.pause_before or self.review:
            raise BadInput(f"A {self.task} has no options, follows no question, and stops nowhere: leave these out.")
        if self.up_to and making_named(self.task).in_one_order:
            raise BadInput(f"A {self.task} is made of whole texts: leave the place out.")
        if (lacks := making_named(self.task).lacks) and not self.question.strip():
            raise BadInput(lacks)

    def made(self) -> Making | None:
        """The summary, table, check or wiki that is wanted."""
        return None if self.task == ANSWER else making_named(self.task).of(self.question, self.part)


class EstimateRange(BaseModel):
    """Expected if replies can be used at once, at most if none can at first; null where there is no bound."""

    expected: float
    high: float | None


class RunEstimate(BaseModel):
    """What a run will take."""

    words: int = Field(description="Words of the documents.")
    calls: EstimateRange
    input_words: EstimateRange
    output_words: EstimateRange
    cost: float | None = Field(description="Expected dollars; null where the price is not known.")
    model: str
    way: str = Field("", description="Where a method chooses the one that answers: what that is, and why.")


def _chat(turns: Sequence[QuestionTurn], question: str) -> list[AnyMessage]:
    """The conversation as messages. Their ids keep them single where the run goes on."""
    said = list[AnyMessage]()
    for turn in turns:
        said.append(HumanMessage(turn["question"], id=uuid4().hex))
        if turn["answer"]:
            said.append(AIMessage(turn["answer"], id=uuid4().hex))
    return [*said, HumanMessage(question, id=uuid4().hex)]


class Runs:
    """What can be asked of the runs of a room."""

    def __init__(self, room: Room) -> None:
        self.room = room

    def add_routes(self, app: FastAPI) -> None:
        """Serve them."""
        app.post("/api/runs")(self.begin)
        app.post("/api/estimate")(self.estimate)
        app.get("/api/runs")(self.runs)
        app.get("/api/runs/{run}")(self.one)
        app.delete("/api/runs/{run}")(self.delete)
        app.get("/api/runs/{run}/events")(self.events)
        app.post("/api/runs/{run}/stop")(self.stop)
        app.post("/api/runs/{run}/go-on")(self.go_on)
        app.get("/api/runs/{run}/report.html")(self.report)

    async def begin(self, wanted: RunRequest) -> RunState:
        """Begin to read, or to answer a question."""
        prepared, question = await self._prepare(wanted), wanted.question.strip()
        if wanted.follow_up:
            saved = await self.room.library.checkpointer.aget_tuple({"configurable": {"thread_id": wanted.follow_up}})
            about = dict(saved.metadata) if saved else {}
            if "method" not in about:
                raise BadInput("The library holds no question to follow: ask without follow_up.")
            is_same = prepared.method.router or about["method"] == prepared.method.name
            if not is_same or about.get("document") != prepared.document.id:
                raise BadInput(
                    f"A question follows one about the same document, by the same method ({about['method']}): "
                    "ask it without follow_up."
                )
            await check_at_rest(self.room, wanted.follow_up)
        asked, keeps, follows = Question(), bool(question), bool(wanted.follow_up)
        if prepared.task:
            heading = prepared.task.heading(prepared.task, prepared.document.title or "the text")
            asked, keeps = Question(question=heading), prepared.task.kept
        elif wanted.turns:
            asked = Question(question=question, options=wanted.options, messages=_chat(wanted.turns, question))
        elif question:
            asked = Question(question=question, options=wanted.options, follow_up=follows)
        thread = (wanted.follow_up or uuid4().hex) if keeps else ""
        return start_run(
            self.room,
            prepared,
            asked,
            documents=wanted.documents,
            thread=thread,
            pause_before=wanted.pause_before,
            review=wanted.review and bool(question),
        )

    async def _prepare(self, wanted: RunRequest) -> PreparedRun:
        wanted.check()
        room, pages, question = self.room, self.room.pages, wanted.question.strip()
        context, task = room.context_with(wanted.settings), wanted.made()
        context = replace(context, summary_words=wanted.words) if wanted.words else context
        if wanted.documents:
            documents = [await pages.document(identity) for identity in dict.fromkeys(wanted.documents)]
        else:
            scope = PickingScope(collection=wanted.collection or None, as_of=wanted.as_of)
            asked = [*(turn["question"] for turn in wanted.turns), question, *wanted.options]
            documents = await run_apart(pick_documents, pages, " ".join(asked), scope)
        documents = in_one_order(documents) if task and task.in_one_order else documents
        alone = documents[0] if len(documents) == 1 else None
        decided = wanted.review or bool(wanted.pause_before)  # by a person, at steps that are known before
        asks = bool(question) and not decided
        goes_on = wanted.follow_up and wanted.method in ROWS  # such as a summary: what follows goes a way of its own
        named = "" if goes_on else wanted.method
        method = task.method if task else room.method_for(named, alone, asks=asks)
        check_pauses(method.name, builder_for(method), wanted.pause_before)
        if wanted.review:
            builder_for(method, asks_person=True)
        document = await run_apart(documents_as_one, pages, documents, wanted.as_of, wanted.up_to)
        return PreparedRun(document, method, context, task, wanted.as_of, wanted.up_to)

    async def estimate(self, wanted: RunRequest) -> RunEstimate:
        """What a run will take, without a call."""
        prepared, question = await self._prepare(wanted), wanted.question.strip()
        document, context = prepared.document, prepared.context
        if prepared.task:
            estimate = await run_apart(prepared.task.estimate, self.room.library, document, context)
        else:
            asked = (prepared.method, document, context, question or None, wanted.options)
            estimate = await run_apart(estimate_with_question, self.room.pages, *asked)
        cost = cost_with(context, estimate, self.room.price)
        return RunEstimate(**asdict(estimate.whole()), words=document.words, cost=cost, model=context.model)

    async def runs(self) -> dict[str, list[RunState]]:
        """The runs of this server, the newest first."""
        return {"runs": [run.snapshot for run in reversed(self.room.runs.values())]}

    async def one(self, run: str) -> RunState:
        """How far a run is."""
        return self.room.run_named(run).snapshot

    async def events(self, run: str, request: Request, after: Offset = 0) -> Response:
        """All that a run tells, as server-sent events; `Last-Event-ID` or `after` says which are known."""
        seen = request.headers.get("last-event-id", "")
        return event_stream(self.room.run_named(run), int(seen) if seen.isdecimal() and len(seen) < 20 else after)

    async def stop(self, run: str) -> RunState:
        """Stop a run; what it read is kept."""
        self.room.stop(self.room.run_named(run))
        await asyncio.sleep(0)  # a run that was paused is stopped by then
        return self.room.run_named(run).snapshot

    async def delete(self, run: str) -> dict[str, str]:
        """Take a run that has ended from the list; what it read and answered stays."""
        if self.room.run_named(run).state not in ENDED:
            raise BadInput("This run is at work: stop it first, or wait for its end.")
        self.room.drop_runs(lambda each: each.id == run)
        return {"deleted": run}

    async def go_on(self, run: str, given: GoOnBody | None = None) -> RunState:
        """Go on with a run that was stopped, has failed, or waits for a person."""
        known = self.room.run_named(run)
        if known.again is None:
            raise BadInput("This run can't go on: do what it was for once more.")
        if known.state not in GO_ON:
            raise BadInput("This run is done: begin a new one." if known.state in ENDED else "This run is at work.")
        await known.again(given.pages if given else None, given.reply if given else None)
        return known.snapshot

    async def report(self, run: str) -> Response:
        """The report of a run as a file."""
        if (result := self.room.run_named(run).result) is None:
            raise BadInput("This run has no report yet.")
        return await report_file(
            await whole_report(self.room.pages, result["report"], result["document"], result["memory"])
        )

"""Questions that were asked: listed, shown again, and gone on with from any of their steps, asked otherwise."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.responses import JSONResponse, Response
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.graph import START
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateSnapshot
from pydantic import BaseModel, Field

from readgraph.api.running import is_at_work
from readgraph.doors.report.page import report_of_answer, whole_report
from readgraph.doors.serve.reading import PreparedRun, check_at_rest, check_pages, start_run
from readgraph.doors.serve.requests import Limit, Offset, RequestBody, report_file
from readgraph.doors.serve.room import ENDED, Room, RunState
from readgraph.doors.serve.wording import report_in_page_words
from readgraph.graphs.methods import method_kept
from readgraph.models.prices import cost
from readgraph.nodes.answering.citations import with_marks
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.reading import Question

SHOWN_OF_ANSWER = 300  # characters of an answer in the list of questions
NEXT = "branch:to:"  # how the name of the channel begins in which LangGraph keeps that a node comes next
MOST_STEPS = 100  # steps to which a person can go back, the newest first


class QuestionEntry(BaseModel):
    """A question that was asked, the last one of its thread."""

    thread: str
    document: str
    title: str
    method: str
    question: str
    answer: str | None = Field(description="The beginning of the answer.")
    status: str = Field(description="Of the answer; without one: waiting, working, paused, stopped or failed.")
    asked: str = Field(description="When its last step was, in UTC.")


class QuestionList(BaseModel):
    """Some questions, the newest first, and how many threads there are."""

    total: int
    questions: list[QuestionEntry]


class StepDetails(BaseModel):
    """A step to which a person can go back: what came after it, and what it did."""

    checkpoint: str
    next: list[str]
    node: str
    summary: str
    at: str


def has_question(following: Sequence[str], values: Mapping[str, Any]) -> bool:
    """Whether the question of a step with these values, and these nodes behind it, is the one that was asked."""
    return bool(values.get("question_text")) and not {*following} & {START, "open"}


async def _steps(graph: CompiledStateGraph[Any, ReaderContext, Any, Any], newest: StateSnapshot) -> list[StepDetails]:
    """The steps of the newest question that led to this one, the newest first; not those of other branches."""
    steps, snapshot = list[StepDetails](), newest
    while len(steps) < MOST_STEPS and (has_question(snapshot.next, snapshot.values) or not snapshot.next):
        done = snapshot.values.get("steps") or [{}]
        shown = StepDetails(
            checkpoint=snapshot.config["configurable"]["checkpoint_id"],
            next=[*snapshot.next],
            node=done[-1].get("node", ""),
            summary=done[-1].get("summary", ""),
            at=snapshot.created_at or "",
        )
        if (snapshot.metadata or {}).get("source") != "fork":  # a copy of the step that it goes on from
            steps.append(shown)
        if snapshot.parent_config is None:
            break
        snapshot = await graph.aget_state(snapshot.parent_config)
    return steps


def _question_of(values: Mapping[str, Any]) -> Question:
    return Question(question=values["question_text"], options=[*(values.get("choices") or {}).values()])


GONE = "The library holds no such step any more: of a thread's older questions only the last one is kept."


class Branch(RequestBody):
    """From where a question goes on, and what is otherwise."""

    checkpoint: str = Field(description="The step, as the question's list of steps names it.")
    question: str = Field("", description="Another question in place of the one that was asked.")
    pages: list[int] | None = Field(None, description="The pages to read again, instead of those chosen so far.")
    settings: dict[str, Any] = Field({}, description="Settings by their names that differ from the server's.")


class Questions:
    """What can be asked of the questions of a room."""

    def __init__(self, room: Room) -> None:
        self.room = room

    def add_routes(self, app: FastAPI) -> None:
        """Serve them."""
        app.get("/api/questions")(self.list_questions)
        app.get("/api/questions/{thread}")(self.one)
        app.delete("/api/questions/{thread}")(self.delete)
        app.get("/api/questions/{thread}/report.html")(self.report)
        app.post("/api/questions/{thread}/fork")(self.fork)

    async def list_questions(self, document: str = "", offset: Offset = 0, limit: Limit = 50) -> QuestionList:
        """The questions that were asked, the newest first."""
        saver = self.room.library.checkpointer
        newest, total = await saver.question_threads(document=document, offset=offset, limit=limit)
        questions = [await self._question_entry(saved) for saved in newest]
        return QuestionList(total=total, questions=[question for question in questions if question])

    async def _question_entry(self, saved: CheckpointTuple) -> QuestionEntry | None:
        values, about = saved.checkpoint["channel_values"], dict(saved.metadata)
        if not values.get("question_text"):
            return None
        document = await self.room.pages.find_document(str(about.get("document", "")))
        answer, turns = values.get("answer"), values.get("question_turns")
        return QuestionEntry(
            thread=saved.config["configurable"]["thread_id"],
            document=str(about.get("document", "")),
            title=document.title if document else "",
            method=str(about.get("method", "")),
            question=turns[-1]["question"] if turns else values["question_text"],  # without those before it
            answer=answer[:SHOWN_OF_ANSWER] if answer else None,
            status=await self._status(saved),
            asked=saved.checkpoint["ts"],
        )

    async def _status(self, saved: CheckpointTuple) -> str:
        """How the last question of a thread ended; of one that no process works at any more, that it failed."""
        values, thread = saved.checkpoint["channel_values"], saved.config["configurable"]["thread_id"]
        if (status := values.get("status", "")) != "reading" and not any(each.startswith(NEXT) for each in values):
            return str(status)
        run = next((run for run in reversed(self.room.runs.values()) if run.thread == thread), None)
        if (run is None or run.state in ENDED) and await is_at_work(self.room.pages, thread):
            return "working"
        return run.state if run and run.state != "done" else "failed"

    async def one(self, thread: str) -> JSONResponse:
        """A question as the report shows it, and the steps to go back to."""
        return JSONResponse(await self._report(thread))

    async def report(self, thread: str) -> Response:
        """The report of a question as a file."""
        known = await self._report(thread)
        if known["report"] is None:
            raise BadInput("This question has no report: its run ended before anything was read. Go on with it first.")
        return await report_file(
            await whole_report(self.room.pages, known["report"], known["document"], known["memory"])
        )

    async def _report(self, thread: str) -> dict[str, Any]:
        """The last question of a thread with its steps; no report where its run ended before it had a memory."""
        saved = await self.room.library.checkpointer.aget_tuple({"configurable": {"thread_id": thread}})
        if saved is None or not saved.checkpoint["channel_values"].get("question_text"):
            raise BadInput("The library holds no such question any more.")
        about = dict(saved.metadata)
        method = method_kept(str(about.get("method", "")))
        graph = self.room.graph(method)
        config: RunnableConfig = {"configurable": {"thread_id": thread}}
        state = await graph.aget_state(config)
        outputs: Any = graph.output_channels
        found = {name: state.values[name] for name in outputs if name in state.values and name != "messages"}
        found |= {"method": method.name, "cost": cost(found.get("steps", []), self.room.price)}
        question, report = _question_of(state.values), None
        if found.get("memory"):
            marked = with_marks(found, question["question"])
            answered = await report_of_answer(self.room.pages, question, marked, method.note, can_ask=True)
            report = report_in_page_words(answered)
        steps = await _steps(graph, state)
        return {
            "report": report,
            "document": found.get("document", ""),
            "memory": found.get("memory", ""),
            "thread": thread,
            "method": method.name,
            "question": question["question"],
            "status": await self._status(saved),
            "checkpoints": [step.model_dump() for step in steps],
        }

    async def delete(self, thread: str) -> dict[str, str]:
        """Delete a question with its answer and steps; what was read for it stays."""
        saver = self.room.library.checkpointer
        saved = await saver.aget_tuple({"configurable": {"thread_id": thread}})
        if saved is None or not saved.checkpoint["channel_values"].get("question_text"):
            raise BadInput("The library holds no such question any more.")
        await check_at_rest(self.room, thread)
        await saver.adelete_thread(thread)
        self.room.drop_runs(lambda run: run.thread == thread)
        return {"deleted": thread}

    async def fork(self, thread: str, wanted: Branch) -> RunState:
        """Go on from a step of a question once more, asked otherwise or with other pages."""
        room = self.room
        config: RunnableConfig = {
            "configurable": {"thread_id": thread, "checkpoint_ns": "", "checkpoint_id": wanted.checkpoint}
        }
        saved = await room.library.checkpointer.aget_tuple(config)
        if saved is None:
            raise BadInput(GONE)
        about, values = dict(saved.metadata), saved.checkpoint["channel_values"]
        method = method_kept(str(about.get("method", "")))
        await check_at_rest(room, thread)
        graph = room.graph(method)
        following, otherwise = (await graph.aget_state(config)).next, wanted.question.strip()
        if not following:
            raise BadInput("Nothing comes behind this step: choose an earlier one.")
        if not has_question(following, values):
            raise BadInput("At this step nothing was asked yet: choose a later one.")
        if otherwise and values.get("answer"):
            raise BadInput("At this step the answer is written: choose an earlier one to ask otherwise.")
        document = await room.pages.document(str(about.get("document", "")))
        prepared = PreparedRun(document, method, room.context_with(wanted.settings))
        changed: dict[str, Any] = {"question_text": otherwise} if otherwise else {}
        if wanted.pages is not None:
            await check_pages(room.pages, values, wanted.pages)
            changed["pages_read"] = wanted.pages
        checkpoint = saved.config["configurable"]["checkpoint_id"]
        if changed:
            config["metadata"] = {"document": document.id, "method": method.name}  # as each step of a question has it
            checkpoint = (await graph.aupdate_state(config, changed))["configurable"]["checkpoint_id"]
        question = _question_of({**values, **changed})
        return start_run(room, prepared, question, thread=thread, checkpoint=checkpoint)

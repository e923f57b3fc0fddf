"""Questions that were asked: listed, shown again, and gone on with from any of their steps, asked otherwise."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.graph import START
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateSnapshot
from pydantic import BaseModel, Field

from readgraph.api.running import is_at_work
from readgraph.graphs.methods import method_named
from readgraph.library.checkpointer import question_threads
from readgraph.models.prices import cost
from readgraph.nodes.answering.citations import with_marks
from readgraph.report.page import report_of_answer
from readgraph.serve.reading import PreparedRun, RunWork, check_at_rest, check_pages
from readgraph.serve.requests import RequestBody
from readgraph.serve.room import ENDED, Room, Run
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.reading import Question

SHOWN_OF_ANSWER = 300
"""Characters of an answer in the list of questions."""


NEXT = "branch:to:"
"""How the name of the channel begins in which LangGraph keeps that a node comes next."""

MOST_STEPS = 100
"""Steps to which a person can go back, the newest first."""


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


async def list_questions(room: Room, document: str, offset: int, limit: int) -> QuestionList:
    """The questions about a document, or about all, the newest first."""
    found = await question_threads(room.library.checkpointer, document=document, offset=offset, limit=limit)
    questions = [await _question_entry(room, saved) for saved in found.newest]
    return QuestionList(total=found.total, questions=[each for each in questions if each])


async def _question_entry(room: Room, saved: CheckpointTuple) -> QuestionEntry | None:
    values, about = saved.checkpoint["channel_values"], dict(saved.metadata)
    if not values.get("question_text"):
        return None
    known = await room.pages.find_document(str(about.get("document", "")))
    answer, turns = values.get("answer"), values.get("question_turns")
    return QuestionEntry(
        thread=saved.config["configurable"]["thread_id"],
        document=str(about.get("document", "")),
        title=known.title if known else "",
        method=str(about.get("method", "")),
        question=turns[-1]["question"] if turns else values["question_text"],  # without those before it
        answer=answer[:SHOWN_OF_ANSWER] if answer else None,
        status=await _status(room, saved),
        asked=saved.checkpoint["ts"],
    )


async def _status(room: Room, saved: CheckpointTuple) -> str:
    """How the last question of a thread ended; of one that no process works at any more, that it failed."""
    values, thread = saved.checkpoint["channel_values"], saved.config["configurable"]["thread_id"]
    if (status := values.get("status", "")) != "reading" and not any(each.startswith(NEXT) for each in values):
        return str(status)
    run = next((run for run in reversed(room.runs.values()) if run.thread == thread), None)
    if (run is None or run.state in ENDED) and await is_at_work(room.pages, thread):
        return "working"
    return run.state if run and run.state != "done" else "failed"


async def question_report(room: Room, thread: str) -> dict[str, Any]:
    """The last question of a thread as the report shows it, and the steps to go back to.

    The report is None where the run ended before there was a memory to show.
    """
    saved = await room.library.checkpointer.aget_tuple({"configurable": {"thread_id": thread}})
    if saved is None or not saved.checkpoint["channel_values"].get("question_text"):
        raise BadInput("The library holds no such question any more.")
    about = dict(saved.metadata)
    method = method_named(str(about.get("method", "")))
    graph = room.graph(method)
    config: RunnableConfig = {"configurable": {"thread_id": thread}}
    state = await graph.aget_state(config)
    outputs: Any = graph.output_channels
    found = {name: state.values[name] for name in outputs if name in state.values and name != "messages"}
    found |= {"method": method.name, "cost": cost(found.get("steps", []), room.price)}
    asked = Question(question=state.values["question_text"], options=_options(state.values))
    report = await report_of_answer(room.pages, asked, with_marks(found), method.note) if found.get("memory") else None
    steps = await _steps(graph, state)
    return {
        "report": report,
        "document": found.get("document", ""),
        "memory": found.get("memory", ""),
        "thread": thread,
        "method": method.name,
        "question": asked["question"],
        "status": await _status(room, saved),
        "checkpoints": [step.model_dump() for step in steps],
    }


def has_question(following: Sequence[str], values: Mapping[str, Any]) -> bool:
    """Whether the question of a step with these values, and these nodes behind it, is the one that was asked."""
    return bool(values.get("question_text")) and not {*following} & {START, "open"}


async def _steps(graph: CompiledStateGraph[Any, ReaderContext, Any, Any], newest: StateSnapshot) -> list[StepDetails]:
    """The steps of the newest question that led to this one, the newest first; not those of other branches."""
    steps, each = list[StepDetails](), newest
    while len(steps) < MOST_STEPS and (has_question(each.next, each.values) or not each.next):
        done = each.values.get("steps") or [{}]
        shown = StepDetails(
            checkpoint=each.config["configurable"]["checkpoint_id"],
            next=[*each.next],
            node=done[-1].get("node", ""),
            summary=done[-1].get("summary", ""),
            at=each.created_at or "",
        )
        if (each.metadata or {}).get("source") != "fork":  # a copy of the step that it goes on from
            steps.append(shown)
        if each.parent_config is None:
            break
        each = await graph.aget_state(each.parent_config)
    return steps


def _options(values: dict[str, Any]) -> list[str]:
    return [*(values.get("choices") or {}).values()]


GONE = "The library holds no such step any more: of a thread's older questions only the last one is kept."


class Branch(RequestBody):
    """From where a question goes on, and what is otherwise."""

    checkpoint: str = Field(description="The step, as the question's list of steps names it.")
    question: str = Field("", description="Another question in place of the one that was asked.")
    pages: list[int] | None = Field(None, description="The pages to read again, instead of those chosen so far.")
    settings: dict[str, Any] = Field({}, description="Settings by their names that differ from the server's.")


async def branch(room: Room, thread: str, wanted: Branch) -> Run:
    """Begin a run that goes on from a step of a thread; what came behind that step stays in the library."""
    config: RunnableConfig = {
        "configurable": {"thread_id": thread, "checkpoint_ns": "", "checkpoint_id": wanted.checkpoint}
    }
    saved = await room.library.checkpointer.aget_tuple(config)
    if saved is None:
        raise BadInput(GONE)
    about, values = dict(saved.metadata), saved.checkpoint["channel_values"]
    method = method_named(str(about.get("method", "")))
    await check_at_rest(room, thread)
    graph = room.graph(method)
    _check_step((await graph.aget_state(config)).next, values, otherwise=bool(wanted.question.strip()))
    document = await room.pages.document(str(about.get("document", "")))
    prepared = PreparedRun(document, method, room.context_with(wanted.settings))
    question = wanted.question.strip() or values["question_text"]
    changed: dict[str, Any] = {"question_text": question} if wanted.question.strip() else {}
    if wanted.pages is not None:
        await check_pages(room.pages, values, wanted.pages)
        changed["pages_read"] = wanted.pages
    checkpoint = wanted.checkpoint
    if changed:
        config["metadata"] = {"document": document.id, "method": method.name}  # as each step of a question has it
        checkpoint = (await graph.aupdate_state(config, changed))["configurable"]["checkpoint_id"]
    run = Run(
        "ask",
        asyncio.get_running_loop(),
        title=document.title or document.id,
        documents=[document.id],
        method=method.name,
        question=question,
        thread=thread,
    )
    asked = Question(question=question, options=[*(values.get("choices") or {}).values()])
    work = RunWork(room, run, prepared, asked, checkpoint=checkpoint)
    run.again = work.go_on
    return room.begin(run, work.run_rest)


def _check_step(following: Sequence[str], values: Mapping[str, Any], *, otherwise: bool) -> None:
    """Raise `BadInput` for a step from which nothing can go on, or, asked otherwise, only the old answer."""
    if not following:
        raise BadInput("Nothing comes behind this step: choose an earlier one.")
    if not has_question(following, values):
        raise BadInput("At this step nothing was asked yet: choose a later one.")
    if otherwise and values.get("answer"):
        raise BadInput("At this step the answer is written: choose an earlier one to ask otherwise.")

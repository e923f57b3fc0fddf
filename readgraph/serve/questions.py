"""Questions that were asked: listed, shown again, and gone on with from any of their steps."""

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.graph import START
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateSnapshot
from pydantic import BaseModel, Field

from readgraph.graphs.methods import method_named
from readgraph.models.names.prices import cost
from readgraph.nodes.answering.marks import with_marks
from readgraph.report.data import report_of_answer
from readgraph.serve.room import Room
from readgraph.serve.run import ENDED
from readgraph.state.checkpointing.threads import question_threads
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.reading import Question
from readgraph.tools.running import is_at_work

SHOWN_OF_ANSWER = 300
"""Characters of an answer in the list of questions."""


NEXT = "branch:to:"
"""How the name of the channel begins in which LangGraph keeps that a node comes next."""

MOST_STEPS = 100
"""Steps to which a person can go back, the newest first."""


class AskedQuestion(BaseModel):
    """A question that was asked, the last one of its thread."""

    thread: str
    document: str
    title: str
    method: str
    question: str
    answer: str | None = Field(description="The beginning of the answer.")
    status: str = Field(description="Of the answer; without one: waiting, working, paused, stopped or failed.")
    asked: str = Field(description="When its last step was, in UTC.")


class AskedQuestions(BaseModel):
    """Some questions, the newest first, and how many threads there are."""

    total: int
    questions: list[AskedQuestion]


class ShownStep(BaseModel):
    """A step to which a person can go back: what came after it, and what it did."""

    checkpoint: str
    next: list[str]
    node: str
    summary: str
    at: str


async def asked_questions(room: Room, document: str, offset: int, limit: int) -> AskedQuestions:
    """The questions about a document, or about all, the newest first."""
    found = await question_threads(room.library.checkpointer, document=document, offset=offset, limit=limit)
    questions = [await _asked(room, saved) for saved in found.newest]
    return AskedQuestions(total=found.total, questions=[each for each in questions if each])


async def _asked(room: Room, saved: CheckpointTuple) -> AskedQuestion | None:
    values, about = saved.checkpoint["channel_values"], dict(saved.metadata)
    if not values.get("question_text"):
        return None
    known = await room.pages.known_document(str(about.get("document", "")))
    answer, turns = values.get("answer"), values.get("question_turns")
    return AskedQuestion(
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


def asked_at(following: Sequence[str], values: Mapping[str, Any]) -> bool:
    """Whether the question of a step with these values, and these nodes behind it, is the one that was asked."""
    return bool(values.get("question_text")) and not {*following} & {START, "open"}


async def _steps(graph: CompiledStateGraph[Any, ReaderContext, Any, Any], newest: StateSnapshot) -> list[ShownStep]:
    """The steps of the newest question that led to this one, the newest first; not those of other branches."""
    steps, each = list[ShownStep](), newest
    while len(steps) < MOST_STEPS and (asked_at(each.next, each.values) or not each.next):
        done = each.values.get("steps") or [{}]
        shown = ShownStep(
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

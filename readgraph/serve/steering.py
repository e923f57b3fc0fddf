"""Going back: a question goes on once more from one of its steps, asked otherwise or with other pages."""

import asyncio
from typing import Any

from langchain_core.runnables import RunnableConfig
from pydantic import BaseModel, ConfigDict, Field

from readgraph.graphs.methods import method_named
from readgraph.serve.reading import Prepared, Reading
from readgraph.serve.room import Room
from readgraph.serve.run import Run
from readgraph.state.errors import BadInput
from readgraph.state.reading import Question

GONE = "The library holds no such step any more: of a thread's older questions only the last one is kept."


class Branch(BaseModel):
    """From where a question goes on, and what is otherwise."""

    model_config = ConfigDict(extra="forbid")

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
    if not values.get("question_text"):
        raise BadInput("At this step nothing was asked yet: choose a later one.")
    method = method_named(str(about.get("method", "")))
    document = await room.pages.document(str(about.get("document", "")))
    question = wanted.question.strip() or values["question_text"]
    changed: dict[str, Any] = {"question_text": question} if wanted.question.strip() else {}
    changed |= {} if wanted.pages is None else {"pages_read": wanted.pages}
    checkpoint = wanted.checkpoint
    if changed:
        graph = room.graph(method)
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
    prepared = Prepared(document, method, room.context_with(wanted.settings))
    work = Reading(room, run, prepared, asked, checkpoint=checkpoint)
    return room.begin(run, work.rest)

"""Going back: a question goes on once more from one of its steps, asked otherwise or with other pages."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from pydantic import Field

from readgraph.graphs.methods import method_named
from readgraph.serve.chosen_pages import check_pages
from readgraph.serve.given import Given
from readgraph.serve.questions import asked_at
from readgraph.serve.reading import Prepared, Reading, check_at_rest
from readgraph.serve.room import Room
from readgraph.serve.run import Run
from readgraph.state.errors import BadInput
from readgraph.state.reading import Question

GONE = "The library holds no such step any more: of a thread's older questions only the last one is kept."


class Branch(Given):
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
    prepared = Prepared(document, method, room.context_with(wanted.settings))
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
    work = Reading(room, run, prepared, asked, checkpoint=checkpoint)
    run.again = work.go_on
    return room.begin(run, work.rest)


def _check_step(following: Sequence[str], values: Mapping[str, Any], *, otherwise: bool) -> None:
    """Raise `BadInput` for a step from which nothing can go on, or, asked otherwise, only the old answer."""
    if not following:
        raise BadInput("Nothing comes behind this step: choose an earlier one.")
    if not asked_at(following, values):
        raise BadInput("At this step nothing was asked yet: choose a later one.")
    if otherwise and values.get("answer"):
        raise BadInput("At this step the answer is written: choose an earlier one to ask otherwise.")

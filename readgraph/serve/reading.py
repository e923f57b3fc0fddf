"""The work of a run: reading documents, and answering questions about them."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from langchain_core.runnables import RunnableConfig

from readgraph.api.running import RunThread, is_at_work, run_method
from readgraph.graphs.methods import Method
from readgraph.library.checkpointer import steps_back
from readgraph.library.page_store import PageStore
from readgraph.models.prices import cost
from readgraph.nodes.answering.citations import with_marks
from readgraph.report.page import ReportData, report_of_answer, report_of_document
from readgraph.serve.room import Room, Run, RunState
from readgraph.serve.telling import MODES, RunReporter
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.reading import Question
from readgraph.state.records import Document


async def check_pages(pages: PageStore, values: Mapping[str, Any], chosen: Sequence[int]) -> None:
    """Raise `BadInput` where the memory of a question, at a step with these values, has not all these pages."""
    if not values.get("memory"):
        raise BadInput("Pages can't be chosen at this step: the document is not read yet.")
    memory = await pages.memory(values["document"], values["memory"])
    if wrong := [number for number in chosen if not 0 <= number < memory.pages]:
        held = f"the pages are 0 to {memory.pages - 1}" if memory.pages else "none is read yet"
        raise BadInput(f"There is no page {wrong[0]}: {held}.")


async def check_at_rest(room: Room, thread: str) -> None:
    """Raise `BadInput` where a run, of this server or of another process, works at a thread now."""
    here = any(run.thread == thread and run.state in ("waiting", "working") for run in room.runs.values())
    if here or await is_at_work(room.pages, thread):
        raise BadInput("This question is still at work: wait for its answer.")


class PreparedRun(NamedTuple):
    """A run that can begin: its document, method and settings are known."""

    document: Document
    method: Method
    context: ReaderContext


@dataclass
class RunWork:
    """One reading, or one question, of a run."""

    room: Room
    run_: Run
    prepared: PreparedRun
    asked: Question
    pause_before: Sequence[str] = ()
    checkpoint: str = ""

    async def run(self) -> None:
        """Begin, or begin once more: what was read and paid for is taken as it is."""
        if self.checkpoint:  # a branch goes on from the newest step behind it
            newest, thread = "", {"thread_id": self.run_.thread}
            async for saved in steps_back(self.room.library.checkpointer, {"configurable": thread}):
                step = str(saved.config["configurable"]["checkpoint_id"])
                newest = newest or step
                if step == self.checkpoint:
                    self.checkpoint = newest
                    break
        await self._run(None if self.checkpoint else self.asked)

    async def go_on(self, pages: list[int] | None) -> None:
        """Go on after a pause, with these pages to read again where a person chose them."""
        if self.run_.state != "paused":
            self.room.begin(self.run_, self.run)
            return
        if pages is not None:
            document, method = self.prepared.document, self.prepared.method
            config: RunnableConfig = {
                "configurable": {"thread_id": self.run_.thread},
                "metadata": {"document": document.id, "method": method.name},  # as each step of a question has it
            }
            graph = self.room.graph(method)
            await check_pages(self.room.pages, (await graph.aget_state(config)).values, pages)
            await graph.aupdate_state(config, {"pages_read": pages})
        if self.run_.state != "paused":  # somebody else went on meanwhile
            raise BadInput("This run is at work.")
        self.room.begin(self.run_, self.run_rest)

    async def run_rest(self) -> None:
        """What comes behind the step at which the thread stands, or behind the one of `checkpoint`."""
        await self._run(None)

    async def _run(self, question: Question | None) -> None:
        room, run, (document, method, context) = self.room, self.run_, self.prepared
        telling = RunReporter(run, room.pages, document, context, room.price)
        following = asyncio.ensure_future(telling.follow())
        try:
            thread = RunThread(
                saver=room.library.checkpointer if run.thread else None,
                id=run.thread,
                checkpoint=self.checkpoint,
                pause_before=self.pause_before,
            )
            given = (room.pages, room.builder(method), method.name, document, question, context)
            modes = MODES if run.thread else [mode for mode in MODES if mode != "messages"]
            found = await run_method(*given, telling.listen, thread, modes=modes)
            await telling.look()
        finally:
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following
        if run.thread and await self._pause_if_interrupted(found):
            return
        report = await self._report(found)
        about = {"document": document.id, "memory": found["memory"], "thread": run.thread}
        run.tell({"type": "result", "report": report, **about})
        run.change(state="done")

    async def _pause_if_interrupted(self, found: Mapping[str, Any]) -> bool:
        """Whether the run waits for a person; if so, it says so."""
        if not self.pause_before:
            return False
        config: RunnableConfig = {"configurable": {"thread_id": self.run_.thread}}
        state = await self.room.graph(self.prepared.method).aget_state(config)
        if not state.next:
            return False
        self.run_.change(state="paused")
        checkpoint = state.config["configurable"]["checkpoint_id"]
        where = {"thread": self.run_.thread, "checkpoint": checkpoint, "pages_read": found.get("pages_read", [])}
        self.run_.tell({"type": "paused", "before": [*state.next], **where})
        return True

    async def _report(self, found: dict[str, Any]) -> ReportData:
        pages, method = self.room.pages, self.prepared.method
        if not self.asked:
            memory = await pages.memory(found["document"], found["memory"])
            return await report_of_document(pages, self.prepared.document, memory, method.note)
        priced = {**found, "cost": cost(found["steps"], self.room.price, batch=self.prepared.context.batch)}
        return await report_of_answer(pages, self.asked, with_marks(priced), method.note)


def start_run(
    room: Room,
    prepared: PreparedRun,
    asked: Question,
    *,
    documents: Sequence[str] = (),
    thread: str = "",
    pause_before: Sequence[str] = (),
    checkpoint: str = "",
) -> RunState:
    """Begin a reading, or with a `thread` a question; `checkpoint`: the step of the thread from which it goes on.

    `documents`: the ids that were named; without them, the one that is read.
    """
    run = Run(
        "ask" if thread else "read",
        asyncio.get_running_loop(),
        title=prepared.document.title or prepared.document.id,
        documents=[*documents] or [prepared.document.id],
        method=prepared.method.name,
        question=asked.get("question", ""),
        thread=thread,
    )
    work = RunWork(room, run, prepared, asked, pause_before, checkpoint)
    run.again = work.go_on
    return room.begin(run, work.run_rest if checkpoint else work.run).snapshot

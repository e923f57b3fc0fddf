"""The work of a run: reading documents, and answering questions about them; and what it will take, before it."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from pydantic import BaseModel, Field

from readgraph.api.documents import WHOLE_LIBRARY, pick_documents
from readgraph.api.running import is_at_work, run_method
from readgraph.graphs.estimates.arithmetic import Estimate, of_options
from readgraph.graphs.estimates.methods import estimate_reading
from readgraph.graphs.methods import Method
from readgraph.library.checkpointer import steps_back
from readgraph.library.collections import add_collection
from readgraph.library.page_store import PageStore
from readgraph.models.prices import cost, price_to_pay
from readgraph.nodes.answering.citations import with_marks
from readgraph.nodes.purpose import with_question
from readgraph.report.page import ReportData, report_of_answer, report_of_document
from readgraph.serve.requests import RequestBody
from readgraph.serve.room import Room, Run
from readgraph.serve.telling import MODES, RunReporter
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.reading import Question
from readgraph.state.records import Document
from readgraph.state.words import count_words


async def check_pages(pages: PageStore, values: Mapping[str, Any], chosen: Sequence[int]) -> None:
    """Raise `BadInput` where the memory of a question, at a step with these values, has not all these pages."""
    if not values.get("memory"):
        raise BadInput("Pages can't be chosen at this step: the document is not read yet.")
    memory = await pages.memory(values["document"], values["memory"])
    if wrong := [number for number in chosen if not 0 <= number < memory.pages]:
        held = f"the pages are 0 to {memory.pages - 1}" if memory.pages else "none is read yet"
        raise BadInput(f"There is no page {wrong[0]}: {held}.")


MOST_OPTIONS = 26


class RunRequest(RequestBody):
    """What a run is to do."""

    documents: list[str] = Field([], description="Ids of documents; several are read as one. Empty: retrieval picks.")
    method: str = Field("", description="The reading method; empty: the server's own choice.")
    question: str = Field("", description="What is asked; empty: the documents are only read.")
    options: list[str] = Field([], max_length=MOST_OPTIONS, description="Options of a multiple choice.")
    settings: dict[str, Any] = Field({}, description="Settings by their names that differ from the server's.")
    follow_up: str = Field("", description="The thread of the question that this one follows.")
    pause_before: list[str] = Field([], description="Nodes of the method before which a person decides.")

    def check(self) -> None:
        """Raise `BadInput` for what can't be asked."""
        if len(self.options) == 1:
            raise BadInput("A multiple choice needs at least two options; there is one.")
        if not self.question.strip() and not self.documents:
            raise BadInput("Name a document to read, or ask a question.")
        if self.options and not self.question.strip():
            raise BadInput("Options belong to a question: write one.")


@dataclass
class PreparedRun:
    """A run that can begin: its document, method and settings are known."""

    document: Document
    method: Method
    context: ReaderContext


async def prepare(room: Room, wanted: RunRequest) -> PreparedRun:
    """What is to be run; raises `BadInput` where that is not there, or can't be."""
    wanted.check()
    pages, question = room.pages, wanted.question.strip()
    context = room.context_with(wanted.settings)
    if wanted.documents:
        documents = [await pages.document(identity) for identity in dict.fromkeys(wanted.documents)]
    else:
        documents = await pick_documents(pages, " ".join([question, *wanted.options]), WHOLE_LIBRARY)
    method = room.method_for(wanted.method, documents[0] if len(documents) == 1 else None)
    if unknown := sorted({*wanted.pause_before} - {*room.builder(method).nodes}):
        raise BadInput(f"{method.name} has no step '{unknown[0]}' to pause before.")
    return PreparedRun(await add_collection(pages, documents), method, context)


async def begin(room: Room, wanted: RunRequest) -> Run:
    """Begin a reading or a question."""
    prepared = await prepare(room, wanted)
    question = wanted.question.strip()
    if wanted.follow_up:
        await _check_thread(room, wanted.follow_up, prepared)
    run = Run(
        "ask" if question else "read",
        asyncio.get_running_loop(),
        title=prepared.document.title or prepared.document.id,
        documents=wanted.documents or [prepared.document.id],
        method=prepared.method.name,
        question=question,
        thread=(wanted.follow_up or uuid4().hex) if question else "",
    )
    asked = Question(question=question, options=wanted.options, follow_up=bool(wanted.follow_up)) if question else {}
    work = RunWork(room, run, prepared, asked, wanted.pause_before)
    run.again = work.go_on
    return room.begin(run, work.run)


async def _check_thread(room: Room, thread: str, prepared: PreparedRun) -> None:
    """Raise `BadInput` where no question of the same document and method is there to be followed."""
    saved = await room.library.checkpointer.aget_tuple({"configurable": {"thread_id": thread}})
    about = dict(saved.metadata) if saved else {}
    if "method" not in about:
        raise BadInput("The library holds no question to follow: ask without follow_up.")
    if (about["method"], about.get("document")) != (prepared.method.name, prepared.document.id):
        raise BadInput(
            f"A question follows one about the same document, by the same method ({about['method']}): ask it without "
            "follow_up."
        )
    await check_at_rest(room, thread)


async def check_at_rest(room: Room, thread: str) -> None:
    """Raise `BadInput` where a run, of this server or of another process, works at a thread now."""
    here = any(run.thread == thread and run.state in ("waiting", "working") for run in room.runs.values())
    if here or await is_at_work(room.pages, thread):
        raise BadInput("This question is still at work: wait for its answer.")


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
        if self.checkpoint:
            self.checkpoint = await self._find_newest_step()
        await self._run(None if self.checkpoint else self.asked)

    async def _find_newest_step(self) -> str:
        """The newest step behind the one of `checkpoint`, from where a branch goes on."""
        saver = self.room.library.checkpointer
        newest = ""
        async for saved in steps_back(saver, {"configurable": {"thread_id": self.run_.thread}}):
            step = str(saved.config["configurable"]["checkpoint_id"])
            newest = newest or step
            if step == self.checkpoint:
                return newest
        return self.checkpoint

    async def go_on(self, pages: list[int] | None) -> None:
        """Go on after a pause, with these pages to read again where a person chose them."""
        if self.run_.state != "paused":
            self.room.begin(self.run_, self.run)
            return
        if pages is not None:
            await self._choose(pages)
        if self.run_.state != "paused":  # somebody else went on meanwhile
            raise BadInput("This run is at work.")
        self.room.begin(self.run_, self.run_rest)

    async def _choose(self, pages: list[int]) -> None:
        """Put these pages in place of those that the method chose."""
        document, method = self.prepared.document, self.prepared.method
        config: RunnableConfig = {
            "configurable": {"thread_id": self.run_.thread},
            "metadata": {"document": document.id, "method": method.name},  # as each step of a question has it
        }
        graph = self.room.graph(method)
        await check_pages(self.room.pages, (await graph.aget_state(config)).values, pages)
        await graph.aupdate_state(config, {"pages_read": pages})

    async def run_rest(self) -> None:
        """What comes behind the step at which the thread stands, or behind the one of `checkpoint`."""
        await self._run(None)

    async def _run(self, question: Question | None) -> None:
        room, run, (document, method, context) = self.room, self.run_, vars(self.prepared).values()
        telling = RunReporter(run, room.pages, document, context, room.price)
        following = asyncio.ensure_future(telling.follow())
        try:
            found = await run_method(
                room.pages,
                room.builder(method),
                method.name,
                document,
                question,
                context,
                telling.listen,
                room.library.checkpointer if run.thread else None,
                run.thread,
                checkpoint=self.checkpoint,
                pause_before=self.pause_before,
                modes=MODES if run.thread else [mode for mode in MODES if mode != "messages"],
            )
            await telling.look()
        finally:
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following
        if run.thread and await self._pause_if_interrupted(found):
            return
        report = await self._report(found)
        run.tell(
            {
                "type": "result",
                "report": report,
                "document": document.id,
                "memory": found["memory"],
                "thread": run.thread,
            }
        )
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
        self.run_.tell(
            {
                "type": "paused",
                "before": [*state.next],
                "thread": self.run_.thread,
                "checkpoint": checkpoint,
                "pages_read": found.get("pages_read", []),
            }
        )
        return True

    async def _report(self, found: dict[str, Any]) -> ReportData:
        pages, method = self.room.pages, self.prepared.method
        if not self.asked:
            memory = await pages.memory(found["document"], found["memory"])
            return await report_of_document(pages, self.prepared.document, memory, method.note)
        priced = {**found, "cost": cost(found["steps"], self.room.price, batch=self.prepared.context.batch)}
        return await report_of_answer(pages, self.asked, with_marks(priced), method.note)


class EstimateRange(BaseModel):
    """At least, expected, at most; `high` is null where there is no bound."""

    low: float
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


async def estimate_run(room: Room, wanted: RunRequest) -> RunEstimate:
    """What the run will take; raises `BadInput` where the method has no estimate."""
    prepared = await prepare(room, wanted)
    document, context, question = prepared.document, prepared.context, wanted.question.strip()
    asked = None
    if question:
        context, asked = with_question(context, question, wanted.options), " ".join([question, *wanted.options])
        context = of_options(context) if wanted.options else context
    words = None if asked is None else count_words(asked)
    estimate = await estimate_reading(prepared.method, room.pages, document, context, words)
    return RunEstimate(
        **asdict(estimate), words=document.words, cost=_expected_cost(room, context, estimate), model=context.model
    )


def _expected_cost(room: Room, context: ReaderContext, estimate: Estimate) -> float | None:
    price = price_to_pay(room.price, context.model, batch=context.batch)
    if not estimate.calls.expected:
        return 0.0
    return price.of_words(estimate.input_words.expected, estimate.output_words.expected) if price else None

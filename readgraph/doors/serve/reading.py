"""The work of a run: reading documents and answering questions, and telling the page of it."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from langchain_core.messages import AIMessageChunk
from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, Overwrite, StreamMode

from readgraph.api.notices import answer_notices
from readgraph.api.routing import Routed, route_question
from readgraph.api.running import (
    BUILDS,
    Pace,
    RunThread,
    builder_for,
    is_at_work,
    is_by_rules,
    node_activity,
    run_method,
)
from readgraph.doors.report.page import ReportData, report_of_answer, report_of_document, sends_some, shown_pages
from readgraph.doors.serve.making import Making
from readgraph.doors.serve.room import Room, Run, RunState
from readgraph.doors.serve.wording import in_page_words, report_in_page_words
from readgraph.graphs.method import Method
from readgraph.library.checkpointer import steps_back
from readgraph.library.page_store import PageStore
from readgraph.models.prices import Price, cost, price_to_pay
from readgraph.nodes.answering.citations import with_marks
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, ReadgraphError
from readgraph.state.reading import Question, Usage
from readgraph.state.records import Document
from readgraph.state.transports import price_share

MODES: tuple[StreamMode, ...] = ("custom", "messages", "tasks", "updates", "values")
EVERY = 0.04  # seconds between two looks at pages and notes that are new
LOOKED_AT = 200  # pages without a note that are looked at again each time
TOLD = ("steps", "pages_read", "hops", "rounds", "findings", "citations", "answer", "status", "choice", "memory")
"""What of a node's update the page shows."""


@dataclass
class RunReporter:
    """Tells a run what its graph does. It lives in the loop in which the graph runs."""

    run: Run
    pages: PageStore
    document: Document
    context: ReaderContext
    price: Price | None
    at_once: bool = False  # a question without a model: of a text that was read, the answer is there before its pages
    memory: str = ""
    looked_at: str = ""
    told_to: int = 0
    without_note: dict[int, None] = field(default_factory=dict)
    latest: dict[str, Any] | None = None
    pace: Pace = field(default_factory=Pace)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    looking: asyncio.Lock = field(default_factory=asyncio.Lock)

    def listen(self, mode: str, event: Any) -> None:
        """Take an event of the graph's stream."""
        if mode == "custom":
            if told := event.get("progress"):
                if told.get("document", self.document.id) != self.document.id:  # of one of those that are read as one
                    told = {"node": told["node"], "usage": told["usage"]}
                self.latest = {**(self.latest or {}), **told}
                self.news.set()
            for kind in ("waiting", "refused", "batch"):
                if kind in event:
                    self.run.tell({"type": kind, **event[kind]})
            if "event" in event:
                self.run.tell({"type": "event", "event": event["event"]})
        elif mode == "tasks" and "input" in event:
            node = event["name"]
            self.run.tell({"type": "begin", "node": node, "doing": node_activity(node)})
        elif mode == "updates":
            for node, update in event.items():
                if isinstance(update, Mapping):  # and no interrupt
                    kept = {name: _plain(value) for name, value in update.items() if name in TOLD}
                    if update.get("memory"):
                        self.memory = str(update["memory"])
                        self.news.set()
                    self.run.tell({"type": "step", "node": node, "update": kept})
        elif mode == "messages":
            piece, about = event
            if isinstance(piece, AIMessageChunk) and (text := str(piece.text)):
                self.run.tell({"type": "text", "node": about.get("langgraph_node", ""), "text": text})

    async def follow(self) -> None:
        """Tell pages, notes and progress while they come, until cancelled."""
        while True:
            await self.news.wait()
            self.news.clear()
            with suppress(ReadgraphError):  # such as a document that was forgotten meanwhile: the run tells it
                await self.look()
            await asyncio.sleep(EVERY)

    async def look(self) -> None:
        """Tell what is new since the last look."""
        async with self.looking:
            latest, self.latest = self.latest, None
            if memory := (latest or {}).get("memory") or self.memory:
                await self._look_at(memory)
            if latest:
                node = latest["node"]
                seconds = None
                if "of" in latest and node in BUILDS:
                    ends = self.pace.ends(latest["done"], latest["of"])
                    seconds = None if ends is None else round(max(0.0, ends - time.monotonic()), 1)
                usage: Usage = latest["usage"]
                dollars: float | None = None if usage["calls"] else 0.0  # so far; None where the price isn't known
                if usage["calls"] and usage["input_tokens"]:
                    price = price_to_pay(self.price, self.context.model, price_share(self.context))
                    dollars = round(price.of(usage), 6) if price else None
                sizes: dict[str, Any] = {
                    name: latest[name] for name in ("done", "of", "pages", "notes") if name in latest
                }
                used = {"usage": usage, "cost": dollars, "seconds_left": seconds}
                self.run.tell({"type": "progress", "node": node, "doing": node_activity(node), **sizes, **used})

    async def _look_at(self, identity: str) -> None:
        memory = await self.pages.memory(self.document.id, identity)
        if identity != self.looked_at:
            has_marks = sends_some(memory)
            if self.at_once and has_marks:
                return
            self.looked_at, self.told_to = identity, 0
            self.without_note.clear()
            sizes = {"characters": self.document.characters, "words": self.document.words}
            parts = [(part.start, await self.pages.document(part.document)) for part in self.document.parts]
            titles = [{"title": one.title or one.id, "start": start} for start, one in parts]
            about = {"memory": identity, "document": self.document.id, "parts": titles, **sizes}
            self.run.tell({"type": "memory", "has_marks": has_marks, **about})
            if has_marks:  # its pages stand in the strip as one
                self.told_to = memory.pages
        waiting = [*islice(self.without_note, LOOKED_AT)]
        noted = sorted(note.page for note in await self.pages.notes(identity, waiting))
        new = range(self.told_to, memory.pages)
        self.told_to = memory.pages
        shown = await shown_pages(self.pages, self.document, memory, [*noted, *new])
        for number in waiting:  # those that still wait go behind the others
            self.without_note.pop(number)
        unnoted = {*waiting, *new} - {number for number, page in shown.items() if page["note"] is not None}
        self.without_note |= dict.fromkeys(sorted(unnoted))
        if shown:
            told = [{"number": number, **page} for number, page in shown.items()]
            for page in told:
                page.pop("text", None)
                page.pop("blocks", None)
            self.run.tell({"type": "pages", "memory": identity, "pages": told})


def _plain(value: Any) -> Any:
    """The value that a channel gets; the first step of a question sets channels anew by an `Overwrite`."""
    value = value.value if isinstance(value, Overwrite) else value
    return [*value] if isinstance(value, Sequence) and not isinstance(value, str) else value


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
    task: Making | None = None  # None: it is read, or a question is answered
    as_of: str = ""
    up_to: str = ""


@dataclass
class RunWork:
    """One reading, or one question, of a run."""

    room: Room
    run_: Run
    prepared: PreparedRun
    asked: Question
    pause_before: Sequence[str] = ()
    checkpoint: str = ""
    review: bool = False  # steps ask a person

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
        question = self.asked
        if question.get("messages"):  # the last of them is the question
            question = Question(messages=question["messages"], options=question.get("options", []))
        await self._run(None if self.checkpoint else question)

    async def go_on(self, pages: list[int] | None, reply: dict[str, Any] | None) -> None:
        """Go on after a pause, with these pages to read again where a person chose them, or with the person's reply."""
        if self.run_.state != "paused":
            self.room.begin(self.run_, self.run)
            return
        if self.review:
            if reply is None:
                raise BadInput("This run asks something: give a reply.")
            self.room.begin(self.run_, partial(self._run, Command(resume=reply)))
            return
        if reply is not None:
            raise BadInput("This run asks nothing: leave the reply out.")
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

    async def _run(self, question: Question | Command[Any] | None) -> None:
        room, run, (document, method, context, *_) = self.room, self.run_, self.prepared
        at_once = bool(self.asked) and not context.model
        telling = RunReporter(run, room.pages, document, context, room.price, at_once)
        following = asyncio.ensure_future(telling.follow())
        try:
            saver = room.library.checkpointer if run.thread else None
            thread = RunThread(saver=saver, id=run.thread, checkpoint=self.checkpoint, pause_before=self.pause_before)
            if self.prepared.task:
                found = await self.prepared.task.make(room.library, document, context, telling.listen, thread)
            else:
                routed = Routed(method, context)
                if isinstance(question, dict) and question:
                    routed = await route_question(room.pages, method, document, self.asked, context, telling.listen)
                    method = routed.method
                    self.prepared = self.prepared._replace(method=method)
                    run.change(method=method.name)
                builder = builder_for(method, asks_person=self.review)
                given = (room.pages, builder, method.name, document, question, routed.context)
                modes = MODES if run.thread else [mode for mode in MODES if mode != "messages"]
                found = routed.add_to(await run_method(*given, telling.listen, thread, modes=modes))
            await telling.look()
        finally:
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following
        if "asked" in found:
            run.change(state="paused")
            run.tell({"type": "asked", "asked": found["asked"]})
            return
        if run.thread and self.pause_before:
            state = await room.graph(method).aget_state({"configurable": {"thread_id": run.thread}})
            if state.next:  # it waits for a person
                run.change(state="paused")
                checkpoint = state.config["configurable"]["checkpoint_id"]
                where = {"thread": run.thread, "checkpoint": checkpoint, "pages_read": found.get("pages_read", [])}
                run.tell({"type": "paused", "before": [*state.next], **where})
                return
        report = await self._report(found)
        about = {"document": document.id, "memory": found["memory"], "thread": run.thread}
        run.tell({"type": "result", "report": report, **about})
        run.change(state="done")

    async def _report(self, found: dict[str, Any]) -> ReportData:
        pages, method = self.room.pages, self.prepared.method
        if not self.asked:
            memory = await pages.memory(found["document"], found["memory"])
            read = await report_of_document(pages, self.prepared.document, memory, method.note, can_ask=True)
            return report_in_page_words(read)
        priced = {**found, "cost": cost(found["steps"], self.room.price, price_share(self.prepared.context))}
        if not self.prepared.task:
            question = Question(question=self.asked["question"], options=self.asked.get("options", []))
            prepared, document = self.prepared, self.prepared.document
            notices = await answer_notices(pages, method, document, question, found, prepared.as_of, prepared.up_to)
            priced["notices"] = [*map(in_page_words, notices)]
        marked = with_marks(priced, self.asked["question"])
        report = await report_of_answer(pages, self.asked, marked, method.note, can_ask=True)
        return report_in_page_words(report)


def start_run(
    room: Room,
    prepared: PreparedRun,
    asked: Question,
    *,
    documents: Sequence[str] = (),
    thread: str = "",
    pause_before: Sequence[str] = (),
    checkpoint: str = "",
    review: bool = False,
) -> RunState:
    """Begin a reading, or what is `asked`, kept in a `thread`; `checkpoint`: the step from which it goes on.

    `documents`: the ids that were named; without them, the one that is read.
    """
    run = Run(
        "ask" if asked else "read",
        asyncio.get_running_loop(),
        title=prepared.document.title or prepared.document.id,
        documents=[*documents] or [prepared.document.id],
        method=prepared.method.name,
        question=asked.get("question", ""),
        thread=thread,
        is_apart=is_by_rules(prepared.context),
    )
    work = RunWork(room, run, prepared, asked, pause_before, checkpoint, review)
    run.again = work.go_on
    return room.begin(run, work.run_rest if checkpoint else work.run).snapshot

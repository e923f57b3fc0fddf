"""Readings that go on after the call that began them: each has a handle, which a new server understands too.

How far one has come is told to the client while a call waits: clients give up on calls that stay silent.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from mcp.server.mcpserver import Context
from pydantic import BaseModel, Field

from readgraph.api.documents import store_each, store_texts
from readgraph.api.functions import read
from readgraph.api.results import Reading
from readgraph.api.routing import estimate_with_question
from readgraph.api.running import cost_with, is_by_rules
from readgraph.doors.mcp.refusing import tool_error_line
from readgraph.graphs.methods import method_for, method_named
from readgraph.library.collections import add_collection
from readgraph.library.library import Library
from readgraph.sources.loading import read_file
from readgraph.state.apart import run_apart
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, ReadgraphError
from readgraph.state.logs import log_run, new_inner_run
from readgraph.state.records import Document
from readgraph.state.words import format_count

T = TypeVar("T")
EVERY = 1.0  # seconds between notifications
AGAIN = 0.001  # added where nothing new was done: each notification's number must be greater than the last


@dataclass
class Progress:
    """How far a reading has come, as its graph tells: characters, pages, notes, and calls to the model."""

    done: int = 0
    of: int = 0
    pages: int = 0
    notes: int = 0
    calls: int = 0

    def listen(self, mode: str, event: Any) -> None:
        """Take an event of the graph's stream."""
        told = event.get("progress") if mode == "custom" and isinstance(event, Mapping) else None
        if not told:
            return
        self.calls = told["usage"]["calls"]
        for name in ("done", "of", "pages", "notes"):
            setattr(self, name, told.get(name, getattr(self, name)))

    @property
    def line(self) -> str:
        """One line for a person."""
        read = f"{self.done:,} of {self.of:,} characters, {format_count(self.pages, 'page')}; " if self.of else ""
        return f"{read}{format_count(self.calls, 'call')} to the model"


async def report_while(run: Context[Any, Any], work: "asyncio.Task[Any]", progress: Progress, most: float) -> None:
    """Tell the client how far it is, until the work is done or this many seconds are over."""
    sent, end = 0.0, time.monotonic() + most
    while not work.done() and (left := end - time.monotonic()) > 0:
        await run.report_progress(sent, progress.of or None, progress.line)
        await asyncio.wait([work], timeout=min(EVERY, left))
        sent = max(sent + AGAIN, progress.done)


async def run_as_asked(work: Callable[..., Coroutine[Any, Any, T]], *given: Any, **named: Any) -> T:
    """What the work gives; in a loop of its own where its context asks no model, so that the server's stays free."""
    if is_by_rules(named["context"]):
        return await run_apart(work, *given, **named)
    return await work(*given, **named)


async def run_with_progress(
    run: Context[Any, Any], work: Callable[..., Coroutine[Any, Any, T]], *given: Any, **named: Any
) -> T:
    """What the work gives, as a run of logs and spans; a client that takes its call back ends it."""
    progress = Progress()

    async def work_and_log() -> T:
        with log_run(new_inner_run()):
            return await run_as_asked(work, *given, listen=progress.listen, **named)

    task = asyncio.ensure_future(work_and_log())
    try:
        await report_while(run, task, progress, float("inf"))
        return await task
    finally:
        task.cancel()


class ExpectedUse(BaseModel):
    """What a reading will take by estimate, if replies can be used at once: what is asked for again comes on top."""

    calls: float
    input_words: float
    output_words: float
    cost: float | None = Field(description="Dollars; null where the price is not known.")


AT = "@"  # between the source and the method in a handle


class ReadingStatus(BaseModel):
    """Where a reading is: under way, done or failed."""

    handle: str = Field(description="Call read with this handle to learn how far it is, and to go on after a stop.")
    state: Literal["reading", "done", "failed", "estimated"]
    document: str = Field(description="The id of the document; empty while its file is converted.")
    title: str
    method: str
    done: int = Field(description="Characters that were read.")
    of: int = Field(description="Characters of the whole document; 0 while this is not known.")
    pages: int
    notes: int
    problem: str | None = Field(description="Why it failed, in one line; what was read before is kept.")
    notice: str = Field(description="Which document its file says it supersedes that is not there; empty for none.")
    notices: list[str] = Field(description="What the conversion of its file left out or could not have.")
    reading: Reading | None = Field(description="The finished memory.")
    expected: ExpectedUse | None = Field(description="What it will take, where that alone was asked for.")


@dataclass
class ReadingJob:
    """One reading: of a document of the library, or of a file that becomes one."""

    handle: str
    source: Document | Path
    method: str
    progress: Progress = field(default_factory=Progress)
    notice: str = ""
    task: "asyncio.Task[Reading] | None" = None

    @property
    def state(self) -> ReadingStatus:
        """Where it is."""
        document = self.source if isinstance(self.source, Document) else None
        problem, reading, sizes = None, None, self.progress
        if self.task and self.task.cancelled():
            problem = "The reading was stopped."
        elif self.task and self.task.done():
            if failure := self.task.exception():
                unexpected = f"An unexpected {type(failure).__name__} ended it."
                problem = tool_error_line(failure) if isinstance(failure, ReadgraphError) else unexpected
            else:
                reading = self.task.result()
        return ReadingStatus(
            handle=self.handle,
            state="failed" if problem else "done" if reading else "reading",
            document=document.id if document else "",
            title=document.title if document else "",
            method=self.method,
            done=document.characters if document and reading and reading.complete else sizes.done,
            of=document.characters if document else sizes.of,
            pages=reading.pages if reading else sizes.pages,
            notes=reading.notes if reading else sizes.notes,
            problem=problem,
            notice=self.notice,
            notices=[*document.notices] if document else [],
            reading=reading,
            expected=None,
        )


class ReadingJobs:
    """The readings of one server. They end with it, and go on where they were when their handle is given again."""

    def __init__(self, library: Library, context: ReaderContext) -> None:
        self.library, self.context = library, context
        self._jobs: dict[str, ReadingJob] = {}

    def begin_reading(self, source: Document | Path, method: str = "", *, known: bool = False) -> ReadingJob:
        """The reading of this source, which is under way or begins; `known`: by its handle, so it may be done too.

        Without the handle a file is looked at again, which may have changed. Raises `BadInput` without such a method.
        """
        document = source if isinstance(source, Document) else None
        name = (method_named(method) if method else method_for(document)).name
        handle = f"{document.id if document else source}{AT}{name}"
        job = self._jobs.get(handle)
        if job is None or (job.task and job.task.done() and not known):
            job = self._jobs[handle] = ReadingJob(handle, source, name)
            job.task = asyncio.create_task(self._read(job))
        return job

    async def estimate_reading(self, source: Document | Path, method: str = "") -> ReadingStatus:
        """What the reading of this source will take, without a call; a file's text is kept in the library."""
        pages, context = self.library.pages, self.context
        if isinstance(source, Path):
            source = await add_collection(pages, await store_each(pages, await asyncio.to_thread(read_file, source)))
        chosen = method_named(method) if method else method_for(source)
        estimate = await run_apart(estimate_with_question, pages, chosen, source, context, None)
        whole = estimate.whole()
        expected = ExpectedUse(
            calls=whole.calls.expected,
            input_words=whole.input_words.expected,
            output_words=whole.output_words.expected,
            cost=cost_with(context, estimate),
        )
        state = ReadingJob(f"{source.id}{AT}{chosen.name}", source, chosen.name).state
        return state.model_copy(update={"state": "estimated", "of": source.characters, "expected": expected})

    def report_state(self, job: ReadingJob) -> ReadingStatus:
        """Where a reading is; a failure is told once, and the next call with its handle tries again."""
        state = job.state
        if state.state == "failed":
            self._jobs.pop(job.handle, None)
        return state

    async def close(self) -> None:
        """End all readings; what they read is kept."""
        tasks = [job.task for job in self._jobs.values() if job.task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(self, job: ReadingJob) -> Reading:
        """The reading as a run of logs and spans, with the handle as its id."""
        with log_run(new_inner_run(job.handle, method=job.method)):
            if isinstance(job.source, Path):
                stored = await store_texts(self.library.pages, await asyncio.to_thread(read_file, job.source))
                job.source = await add_collection(self.library.pages, [each.document for each in stored])
                job.notice = stored[0].notice
            told = job.progress.listen
            given = {"method": job.method, "context": self.context, "listen": told}
            return await run_as_asked(read, self.library, job.source.id, **given)


def split_handle(handle: str) -> tuple[str, str]:
    """The source and the method that a handle names; raises `BadInput` where it is none."""
    source, at, method = handle.rpartition(AT)
    if not (source and at and method):
        raise BadInput(f"'{handle}' is no handle: give one that read returned.")
    return source, method

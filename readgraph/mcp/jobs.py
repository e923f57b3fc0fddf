"""Readings that go on after the call that began them: each has a handle, which a new server understands too."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field

from readgraph.graphs.methods import method_for, method_named
from readgraph.mcp.progress import Progress
from readgraph.mcp.refusing import said
from readgraph.sources.converting import beside_the_loop
from readgraph.sources.loading import load
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, ReadgraphError
from readgraph.state.logs import told_run
from readgraph.state.opened import Library
from readgraph.state.records import Document
from readgraph.state.running.runs import run_within
from readgraph.tools.documents import store_source
from readgraph.tools.functions import read
from readgraph.tools.results import Reading

AT = "@"
"""Between the source and the method in a handle."""


class ReadingState(BaseModel):
    """Where a reading is: under way, done or failed."""

    handle: str = Field(description="Call read with this handle to learn how far it is, and to go on after a stop.")
    state: Literal["reading", "done", "failed"]
    document: str = Field(description="The id of the document; empty while its file is converted.")
    title: str
    method: str
    done: int = Field(description="Characters that were read.")
    of: int = Field(description="Characters of the whole document; 0 while this is not known.")
    pages: int
    notes: int
    problem: str | None = Field(description="Why it failed, in one line; what was read before is kept.")
    reading: Reading | None = Field(description="The finished memory.")


@dataclass
class Job:
    """One reading: of a document of the library, or of a file that becomes one."""

    handle: str
    source: Document | Path
    method: str
    progress: Progress = field(default_factory=Progress)
    task: "asyncio.Task[Reading] | None" = None

    @property
    def state(self) -> ReadingState:
        """Where it is."""
        document = self.source if isinstance(self.source, Document) else None
        ended = self.task is not None and self.task.done()
        problem = _problem(self.task) if ended and self.task else None
        sizes = self.progress
        reading = self.task.result() if self.task and ended and not problem else None
        return ReadingState(
            handle=self.handle,
            state="failed" if problem else "done" if reading else "reading",
            document=document.id if document else "",
            title=document.title if document else "",
            method=self.method,
            done=sizes.done,
            of=sizes.of,
            pages=reading.pages if reading else sizes.pages,
            notes=reading.notes if reading else sizes.notes,
            problem=problem,
            reading=reading,
        )


def _problem(task: "asyncio.Task[Reading]") -> str | None:
    if task.cancelled():
        return "The reading was stopped."
    problem = task.exception()
    if problem is None:
        return None
    return said(problem) if isinstance(problem, ReadgraphError) else f"An unexpected {type(problem).__name__} ended it."


class Jobs:
    """The readings of one server. They end with it, and go on where they were when their handle is given again."""

    def __init__(self, library: Library, context: ReaderContext) -> None:
        self.library, self.context = library, context
        self._jobs: dict[str, Job] = {}

    def begun(self, source: Document | Path, method: str = "", *, known: bool = False) -> Job:
        """The reading of this source, which is under way or begins; `known`: by its handle, so it may be done too.

        A file may have changed since it was read: without the handle it is looked at again. Raises `BadInput` where
        there is no such method.
        """
        document = source if isinstance(source, Document) else None
        name = (method_named(method) if method else method_for(document)).name
        handle = f"{document.id if document else source}{AT}{name}"
        job = self._jobs.get(handle)
        if job is None or (job.task and job.task.done() and not known):
            job = self._jobs[handle] = Job(handle, source, name)
            job.task = asyncio.create_task(self._logged(job))
        return job

    def told(self, job: Job) -> ReadingState:
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

    async def _logged(self, job: Job) -> Reading:
        """The reading as a run of logs and spans, with the handle as its id."""
        with told_run(run_within(job.handle, method=job.method)):
            return await self._read(job)

    async def _read(self, job: Job) -> Reading:
        if isinstance(job.source, Path):
            source = await beside_the_loop(load, job.source)
            job.source = await store_source(self.library.pages, source)
        return await read(
            self.library, job.source.id, method=job.method, context=self.context, listen=job.progress.listen
        )


def parts_of(handle: str) -> tuple[str, str]:
    """The source and the method that a handle names; raises `BadInput` where it is none."""
    source, at, method = handle.rpartition(AT)
    if not (source and at and method):
        raise BadInput(f"'{handle}' is no handle: give one that read returned.")
    return source, method

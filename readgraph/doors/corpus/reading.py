"""All documents of a corpus, given to workers one by one, within a bound of calls over all workers."""

import asyncio
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any

from readgraph.doors.corpus.worker import (
    CorpusJob,
    CorpusLine,
    Worker,
    WorkerEnded,
    WorkerReport,
    failure_report,
    is_read,
    read_document,
)
from readgraph.library.library import Library
from readgraph.library.opening import open_library
from readgraph.state.errors import LibraryError, ModelUnavailable
from readgraph.state.reading import NOTHING_USED, Usage, add_usage


class Allowance:
    """Gives each document a part of the `total` calls, and takes back what it did not need: no more are ever made."""

    def __init__(self, total: int | None, each: int | None) -> None:
        """`each`: the most calls of one document. None: no bound."""
        self.left, self.each = total, each
        self.hands = 1  # documents that may be under way at once

    @property
    def is_spent(self) -> bool:
        """Whether no call is left to give."""
        return self.left is not None and self.left < 1

    def take(self) -> int | None:
        """The most calls of the next document; None: no bound but its own."""
        if self.left is None:
            return None
        given = max(1, self.left // self.hands)
        given = given if self.each is None else min(given, self.each)
        self.left -= given
        return given

    def give_back(self, given: int | None, used: int) -> None:
        """A document that had so many calls made this many."""
        if self.left is not None and given is not None:
            self.left += max(0, given - used)


Workers = AbstractAsyncContextManager[Sequence[Worker]]
Tell = Callable[[CorpusLine], None]
UNANSWERED = 10  # so many documents in turn without an answer of the model server end the reading
MOST_HERE = 1000  # files that this process tells to be known; workers say it of the others


@dataclass
class CorpusTotals:
    """What became of all documents, without what workers had paid for before they ended."""

    documents: int = 0
    read: int = 0
    known: int = 0
    incomplete: int = 0
    left_out: int = 0
    not_begun: int = 0  # the calls for all were spent before
    ended: int = 0  # how often a worker ended at every try of a document
    workers: int = 0
    pages: int = 0
    notes: int = 0
    note_words: int = 0
    words: int = 0
    usage: Usage = field(default_factory=lambda: Usage(**NOTHING_USED))
    fallbacks: dict[str, int] = field(default_factory=dict)
    cost: float | None = 0.0
    seconds: float = 0.0

    def add(self, line: CorpusLine) -> None:
        """Count one more document."""
        self.documents += 1
        if not line["document"]:
            self.left_out += 1
        elif not line["complete"]:
            self.incomplete += 1
        elif line["known"]:
            self.known += 1
        else:
            self.read += 1
        for name in ("pages", "notes", "note_words", "words"):
            setattr(self, name, getattr(self, name) + line[name])
        self.usage = add_usage(self.usage, line["usage"])
        self.fallbacks = dict(Counter(self.fallbacks) + Counter(line["fallbacks"]))
        if line["usage"]["calls"]:
            self.cost = None if self.cost is None or line["cost"] is None else round(self.cost + line["cost"], 6)


async def read_corpus(
    job: CorpusJob, files: Sequence[str], workers: Workers, tell: Tell, *, calls_in_all: int | None = None
) -> CorpusTotals:
    """Read the files with these workers, a line for each to `tell`; raises `LibraryError`, and `ModelUnavailable`."""
    began = time.monotonic()
    reading = _CorpusReading(Allowance(calls_in_all, job.context.max_calls), tell)
    async with open_library(job.library) as library:
        before = await _read_before(library, job, files[:MOST_HERE])
        await reading.read_files([_ThisProcess(library, job)] * job.at_once, before)
    if others := files[len(before) :]:
        async with workers as started:
            reading.sum.workers = len(started)
            await reading.read_files([worker for worker in started for _ in range(job.at_once)], others)
    reading.sum.seconds = round(time.monotonic() - began, 4)
    return reading.sum


async def _read_before(library: Library, job: CorpusJob, files: Sequence[str]) -> list[str]:
    """The files before the first one that is still to be read."""
    for start in range(0, len(files), job.at_once):
        known = await asyncio.gather(*(is_read(library, job, file) for file in files[start : start + job.at_once]))
        if False in known:
            return [*files[: start + known.index(False)]]
    return [*files]


@dataclass
class _ThisProcess:
    """The process of the command, as the worker for what was read before."""

    library: Library
    job: CorpusJob
    process_id: int = field(default_factory=os.getpid)

    async def ready(self) -> None:
        """It is."""

    async def read(self, file: str, max_calls: int | None) -> WorkerReport:
        """Read a file as other workers do: a method's later steps may still have something to do."""
        return await read_document(self.library, self.job, file, max_calls)


class _CorpusReading:
    """The files that still wait, and the reports; `alone`: those that may end their worker, which are read last."""

    def __init__(self, allowance: Allowance, tell: Tell) -> None:
        self.waiting, self.allowance, self.tell = deque[str](), allowance, tell
        self.sum, self.alone, self.placed = CorpusTotals(), list[str](), list[Worker]()
        self.begun: dict[str, CorpusLine] = {}  # what documents took whose calls were spent before their end
        self.under_way, self.unanswered = 0, 0
        self.done = asyncio.Event()

    async def read_files(self, hands: Sequence[Worker], files: Iterable[str]) -> None:
        """Read these files; a hand is a worker with one file, and is not waited for where it is never placed."""
        self.waiting.extend(files)
        self.allowance.hands = len(hands)
        self.done.clear()
        self._check_done()
        tasks: set[asyncio.Future[Any]] = {asyncio.ensure_future(self._feed_worker(worker)) for worker in hands}
        tasks.add(asyncio.ensure_future(self.done.wait()))
        try:
            while tasks and not self.done.is_set():
                ended, tasks = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for future in ended:
                    future.result()  # raises what makes it useless to go on
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for file in self.alone:
            try:
                self._record_report(await self.placed[-1].read(file, self.allowance.take()), cut=False)
            except WorkerEnded:
                self.sum.ended += 1
                problem = f"{file} can't be read: its worker ended each time, the last time with nothing else to read."
                self._record_report(failure_report(file, problem), cut=False)
        self.sum.not_begun = len(self.waiting)

    async def _feed_worker(self, worker: Worker) -> None:
        await worker.ready()
        self.placed.append(worker)
        while self.waiting and not self.allowance.is_spent:
            file, given = self.waiting.popleft(), self.allowance.take()
            self.under_way += 1
            try:
                worker_report = await worker.read(file, given)
            except WorkerEnded:
                self.sum.ended += 1
                self.alone.append(file)
            else:
                self.allowance.give_back(given, worker_report["line"]["usage"]["calls"])
                self._record_report(worker_report, cut=given is not None)
            finally:
                self.under_way -= 1
                self._check_done()

    def _record_report(self, told: WorkerReport, *, cut: bool) -> None:
        """Tell of a file. `cut`: it had a part of the calls for all; where some are left, it is gone on with later."""
        if told["stops"]:
            raise LibraryError(told["stops"])
        self.unanswered = self.unanswered + 1 if told["line"]["unanswered"] else 0
        if self.unanswered >= UNANSWERED:
            raise ModelUnavailable(told["line"]["problem"])
        line = told["line"]
        if before := self.begun.pop(line["file"], None):
            costs = [corpus_line["cost"] for corpus_line in (before, line) if corpus_line["usage"]["calls"]]
            cost = None if None in costs else round(sum(each or 0.0 for each in costs), 6)
            line = {**line, "usage": add_usage(before["usage"], line["usage"]), "cost": cost}
        used = told["line"]["usage"]["calls"]
        if cut and used and line["document"] and not line["complete"] and not self.allowance.is_spent:
            self.begun[line["file"]] = line
            self.waiting.append(line["file"])
            return
        self.sum.add(line)
        self.tell(line)

    def _check_done(self) -> None:
        if not self.under_way and (not self.waiting or self.allowance.is_spent):
            self.done.set()

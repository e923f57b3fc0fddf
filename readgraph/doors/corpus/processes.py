"""Workers that are processes of this machine, and what such a process does."""

import asyncio
import itertools
import multiprocessing
import os
import signal
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from multiprocessing.connection import Connection
from threading import Lock, Thread
from typing import Any

from readgraph.doors.corpus.worker import (
    TRIES,
    CorpusJob,
    Worker,
    WorkerEnded,
    WorkerReport,
    failure_report,
    read_document,
)
from readgraph.library.opening import open_library_in_background
from readgraph.state.errors import LibraryError
from readgraph.state.logs import RunUsage, join_log, use_run
from readgraph.state.loops import background
from readgraph.state.wait_teller import wait_teller


def serve(connection: Connection, job: CorpusJob, environment: Mapping[str, str], tells: bool) -> None:
    """Read the files whose names come, several at once, until the other end closes; `tells` what is waited for."""
    wait_teller.start(is_quiet=not tells)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other end acts on it
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(environment)
    sending = Lock()
    price = (job.price.input, job.price.output) if job.price else None
    run = join_log(RunUsage(about={"command": "corpus"}, price=price))

    def send(number: int, told: object) -> None:
        with sending, suppress(OSError):  # whoever asked is gone
            connection.send((number, told))

    async def read(number: int, file: str, max_calls: int | None) -> None:
        send(number, await read_document(library, job, file, max_calls))

    with suppress(EOFError, OSError):
        try:
            library = open_library_in_background(job.library)
        except LibraryError as problem:
            while True:
                number, file, _ = connection.recv()
                send(number, failure_report(file, str(problem), stops=str(problem)))
        with use_run(run):
            while True:
                background().start_task_soon(read, *connection.recv())
    os._exit(0)  # nobody waits for what is still under way, and what was answered is kept


METHOD = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
"""A server of forks imports what workers need once; nothing of this process is inherited either way."""


@asynccontextmanager
async def processes(job: CorpusJob, workers: int) -> AsyncIterator[Sequence[Worker]]:
    """So many processes, which end with the `with`, and if this process is killed."""
    tells = [not wait_teller.is_quiet, *[False] * (workers - 1)]  # one of them for all
    started = [_Process(job, tell) for tell in tells]
    try:
        yield started
    finally:
        for process in started:
            process.end()
        await asyncio.gather(*(asyncio.to_thread(process.process.join) for process in started))


class _Process:
    """A process; one that is killed is replaced, and reads what its predecessor was reading."""

    def __init__(self, job: CorpusJob, tells: bool) -> None:
        self.job, self.tells, self.numbers, self.ended = job, tells, itertools.count(), False
        self.loop = asyncio.get_running_loop()
        self._start()

    @property
    def process_id(self) -> int:
        return self.process.pid or 0

    async def ready(self) -> None:
        """It takes files at once, and reads them when it has begun."""

    async def read(self, file: str, max_calls: int | None) -> WorkerReport:
        for _ in range(TRIES):
            number, future = next(self.numbers), self.loop.create_future()
            self.waiting[number] = future
            with suppress(OSError):  # it ended just now: who listens to it will notice
                self.connection.send((number, file, max_calls))
            with suppress(WorkerEnded):
                worker_report: WorkerReport = await future
                return worker_report
        raise WorkerEnded

    def _start(self) -> None:
        context: Any = multiprocessing.get_context(METHOD)
        if METHOD == "forkserver":
            context.set_forkserver_preload(["readgraph.doors.corpus.processes", "readgraph.graphs.read_agent"])
        self.connection, theirs = context.Pipe()
        self.waiting: dict[int, asyncio.Future[WorkerReport]] = {}
        self.process = context.Process(
            target=serve, args=(theirs, self.job, dict(os.environ)), kwargs={"tells": self.tells}, daemon=True
        )
        with _interrupts_held():
            self.process.start()
        theirs.close()
        Thread(target=self._listen, args=(self.connection, self.waiting), daemon=True).start()

    def _listen(self, connection: Connection, waiting: Mapping[int, "asyncio.Future[WorkerReport]"]) -> None:
        """Hand on what the process tells, until it ends."""
        with suppress(EOFError, OSError):
            while True:
                number, told = connection.recv()
                self.loop.call_soon_threadsafe(_settle, waiting, number, told)
        with suppress(RuntimeError):  # the event loop has ended before
            self.loop.call_soon_threadsafe(self._replace_process, connection)

    def _replace_process(self, connection: Connection) -> None:
        """The process has ended: begin another one, unless all is over."""
        lost = [future for future in self.waiting.values() if not future.done()]
        connection.close()
        if not self.ended:
            self._start()
        for future in lost:
            future.set_exception(WorkerEnded())

    def end(self) -> None:
        """End the process at once: what was answered is kept, and calls in flight are given up."""
        self.ended = True
        self.process.terminate()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """What is started within gets no Ctrl-C: the server of forks would print a traceback while it imports."""
    if METHOD != "forkserver":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _settle(waiting: Mapping[int, "asyncio.Future[WorkerReport]"], number: int, worker_report: WorkerReport) -> None:
    if not waiting[number].done():  # whoever waited may have left
        waiting[number].set_result(worker_report)

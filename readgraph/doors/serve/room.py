"""The room: an open library, the settings of its readings, and its runs with all that each has reported."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Literal, ParamSpec, TypeVar
from uuid import uuid4

from fastapi import HTTPException
from langgraph.graph.state import CompiledStateGraph
from pydantic import BaseModel, Field

from readgraph.api.running import builder_for
from readgraph.doors.serve.wording import page_error_line
from readgraph.graphs.method import Method
from readgraph.graphs.methods import method_for, method_named, method_typed
from readgraph.library.library import Library
from readgraph.library.page_store import PageStore
from readgraph.models.prices import Price
from readgraph.state.apart import run_apart
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import declarations_of, settings_in
from readgraph.state.errors import BadInput, ReadgraphError
from readgraph.state.logs import log_run, new_inner_run
from readgraph.state.loops import background
from readgraph.state.records import Document
from readgraph.state.settings import GROUPS, Tenant

Kind = Literal["add", "read", "ask", "chat"]
State = Literal["waiting", "working", "paused", "done", "failed", "stopped"]
ENDED = ("done", "failed", "stopped")
PASSING = ("pages", "progress", "converting", "waiting", "text", "begin")  # nobody needs them once it has ended


class RunState(BaseModel):
    """How far a run is."""

    id: str
    kind: Kind
    state: State
    problem: str | None = Field(description="Why it failed, in one line; what was read before is kept.")
    title: str
    documents: list[str] = Field(description="Their ids; empty where retrieval picks them, or a file is converted.")
    method: str
    question: str
    thread: str = Field(description="The thread that keeps the steps of a question.")
    began: str = Field(description="When it began, in UTC.")
    ended: str | None
    last_event: int = Field(description="The number of the newest event; they count from 1.")


def now() -> str:
    """The time in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass
class Run:
    """A run, which works in another thread; all that is shown of it changes in the server's event loop alone."""

    kind: Kind
    loop: asyncio.AbstractEventLoop
    title: str = ""
    documents: list[str] = field(default_factory=list)
    method: str = ""
    question: str = ""
    thread: str = ""
    id: str = field(default_factory=lambda: uuid4().hex[:12])
    state: State = "waiting"
    problem: str | None = None
    began: str = field(default_factory=now)
    ended: str | None = None
    result: dict[str, Any] | None = None
    work: "Future[Any] | None" = None
    task: "asyncio.Future[Any] | None" = None
    stopping: bool = False
    is_apart: bool = False  # it works in a loop of its own, since it asks no model
    refused: bool = False  # it failed since what was asked for can't be done
    again: Callable[[list[int] | None, dict[str, Any] | None], Any] | None = None
    """Goes on with the run: after a pause, with the pages that a person chose, or a reply to what a step asks."""

    last_event: int = 0
    _events: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    _bell: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def snapshot(self) -> RunState:
        """How far it is."""
        return RunState(**{name: getattr(self, name) for name in RunState.model_fields})

    def tell(self, event: dict[str, Any]) -> None:
        """Tell an event to whoever follows the run; from any thread."""
        self.loop.call_soon_threadsafe(self._take, event)

    def change(self, **changed: Any) -> None:
        """Change what is shown of the run, and tell it; from any thread."""
        self.loop.call_soon_threadsafe(self._change, changed)

    def _change(self, changed: dict[str, Any]) -> None:
        for name, value in changed.items():
            setattr(self, name, value)
        if self.state in ENDED and self.ended is None:
            self.ended = now()
            self._events = [event for event in self._events if event[1]["type"] not in PASSING]
            self._take({"type": "end"})
        elif self.state not in ENDED:
            if self.ended:  # it goes on: its end was none
                self._events = [event for event in self._events if event[1]["type"] != "end"]
            self.ended = None
            self._take({"type": "run"})

    def _take(self, event: dict[str, Any]) -> None:
        self.last_event += 1
        if event["type"] in ("run", "end"):
            event = {**event, "run": self.snapshot.model_dump()}
        if event["type"] == "result":
            self.result = event
        self._events.append((self.last_event, event))
        self._bell.set()
        self._bell = asyncio.Event()

    async def events(self, after: int = 0) -> AsyncIterator[tuple[int, dict[str, Any]]]:
        """The events behind this number, and those that come, until the run ends; each follower at its own pace."""
        place = next((at for at, (number, _) in enumerate(self._events) if number > after), len(self._events))
        log = self._events
        while True:
            while place < len(log):
                number, event = log[place]
                place += 1
                yield number, event
                after = number
                if event["type"] == "end" and number == self.last_event:
                    return
            if log is not self._events:  # the run ended meanwhile, and dropped what nobody needs any more
                log = self._events
                place = next((at for at, (number, _) in enumerate(log) if number > after), len(log))
                continue
            if self.state in ENDED:
                return
            await self._bell.wait()


P = ParamSpec("P")
T = TypeVar("T")
_log = logging.getLogger(__name__)
AGAIN = 0.5  # seconds until a task is cancelled once more
KEPT_RUNS = 200  # runs that have ended are kept until there are more; their answers stay in the library
OF_THE_MACHINE = (*settings_in(Tenant), "prompts")  # they name what is on it, so that no page may set them
OFFERED = tuple(
    declaration
    for declaration in declarations_of(GROUPS)
    if declaration.help.option and declaration.name not in OF_THE_MACHINE
)

GONE = (
    "This server has no such run: it may have been started anew since. Begin it once more: nothing is paid for twice."
)


@dataclass
class Room:
    """The library, the settings of a run that the user did not change, and the runs by their ids."""

    library: Library
    context: ReaderContext
    method: str = ""
    price: Price | None = None
    runs: dict[str, Run] = field(default_factory=dict)
    closed: bool = False

    def run_named(self, identity: str) -> Run:
        """The run with this id; a 404 where there is none."""
        if run := self.runs.get(identity):
            return run
        raise HTTPException(404, GONE)

    def graph(self, method: Method) -> CompiledStateGraph[Any, ReaderContext, Any, Any]:
        """The graph of a method over the library, to look at its threads and change them."""
        return builder_for(method).compile(checkpointer=self.library.checkpointer, store=self.library.store)

    @property
    def pages(self) -> PageStore:
        """The library's page store."""
        return self.library.pages

    def context_with(self, settings: dict[str, Any]) -> ReaderContext:
        """The settings of one run; raises `BadInput` for one that is unknown, out of its range, or not to be set."""
        offered = {declaration.name for declaration in OFFERED}
        if unknown := sorted(settings.keys() - offered):
            raise BadInput(f"There is no setting '{unknown[0]}' to change here: /api/about lists them.")
        return replace(self.context, **settings)

    def method_for(self, name: str, document: Document | None, *, asks: bool = False) -> Method:
        """The method of this name, or the one that is set, or the one for this kind of document, or for a question.

        A page or program may name no code to import: only who starts the server may.
        """
        if name and name != self.method:
            return method_named(name)
        return method_typed(self.method) if self.method else method_for(document, asks=asks)

    def begin(self, run: Run, work: Callable[[], Coroutine[Any, Any, None]]) -> Run:
        """Let the work of a run begin, apart from the server's own loop, so that a long one holds up no page."""
        for old in [each for each in self.runs.values() if each.state in ENDED][: max(0, len(self.runs) - KEPT_RUNS)]:
            del self.runs[old.id]
        if self.closed:
            raise BadInput("The server is ending: start it anew, and begin once more.")
        self.runs[run.id] = run
        run.state, run.problem, run.task, run.stopping = "working", None, None, False
        run.change(state="working", problem=None)
        run.work = background().start_task_soon(_watch_work, run, work, self.price)
        return run

    def stop(self, run: Run) -> None:
        """Stop a run; what it read is kept."""
        if run.state == "paused":
            run.change(state="stopped")
            return
        run.stopping = True  # before the look at its task: a run that only begins looks the other way round
        if (task := run.task) is not None:
            background().start_task_soon(_cancel_task, task)

    def check_unused(self, document: Document) -> None:
        """Raise `BadInput` where a run reads a document, or waits for a person to go on with that."""
        if any(run.state not in ENDED and document.id in run.documents for run in self.runs.values()):
            raise BadInput(
                f"'{document.title or document.id}' is being read: stop that run first, or wait for its end."
            )

    def drop_runs(self, is_dropped: Callable[[Run], bool]) -> None:
        """Forget runs that have ended, with all that they reported."""
        for run in [each for each in self.runs.values() if each.state in ENDED and is_dropped(each)]:
            del self.runs[run.id]

    async def close(self) -> None:
        """Stop all runs, also those that wait for a person, and wait until they have let go of the library."""
        self.closed = True
        for run in [each for each in self.runs.values() if each.state not in ENDED]:
            self.stop(run)
        working = [run for run in self.runs.values() if run.work and not run.work.done()]
        await asyncio.gather(*(asyncio.wrap_future(run.work) for run in working if run.work), return_exceptions=True)


async def in_background_loop(work: Callable[P, Awaitable[T]], *given: P.args, **named: P.kwargs) -> T:
    """Do this in the loop in which runs work, and wait for it: what they share has locks of that loop."""
    return await asyncio.wrap_future(background().start_task_soon(partial(work, *given, **named)))


async def _watch_work(run: Run, work: Callable[[], Awaitable[None]], price: Price | None) -> None:
    """Do the work in a task of its own, as a run of logs and spans with the same id, and say how it ended."""

    async def work_and_log() -> None:
        dollars, documents = (price.input, price.output) if price else None, ",".join(run.documents)
        with log_run(new_inner_run(run.id, dollars, kind=run.kind, method=run.method, document=documents)):
            await (run_apart(work) if run.is_apart else work())

    run.task = task = asyncio.ensure_future(work_and_log())
    if run.stopping:
        task.cancel()
    await asyncio.wait([task])
    run.task = None  # an error holds what the work had in hand, such as the bytes of a file
    if task.cancelled():
        run.change(state="stopped")
    elif (problem := task.exception()) is None:
        return
    elif isinstance(problem, ReadgraphError):
        run.change(state="failed", problem=page_error_line(problem), refused=isinstance(problem, BadInput))
    else:
        run.change(state="failed", problem=f"An unexpected {type(problem).__name__} ended it.")
        _log.error("run %s failed", run.id, exc_info=problem)


async def _cancel_task(task: "asyncio.Future[Any]") -> None:
    """Cancel a task until it has ended: one cancellation may be lost where work ends at the same moment."""
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=AGAIN)

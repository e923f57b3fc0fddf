"""The room: an open library, the settings of its readings, and its runs."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ParamSpec, TypeVar

from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph

from readgraph.graphs.methods import Method, method_for, method_named, method_typed
from readgraph.models.names.prices import Price
from readgraph.serve.refusing import said
from readgraph.serve.run import ENDED, Run
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import declared, settings_in
from readgraph.state.errors import BadInput, ReadgraphError
from readgraph.state.logs import told_run
from readgraph.state.opened import Library
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document
from readgraph.state.running.background import background
from readgraph.state.running.runs import run_within
from readgraph.state.settings import GROUPS, Tenant

P = ParamSpec("P")
T = TypeVar("T")

_log = logging.getLogger(__name__)

Builder = StateGraph[Any, ReaderContext, Any, Any]

AGAIN = 0.5
"""Seconds until a task is cancelled once more."""

KEPT_RUNS = 200
"""Runs that have ended are kept until there are more; their answers stay in the library."""

OF_THE_MACHINE = (*settings_in(Tenant), "prompts")
"""Settings that name what is on this machine, so that no page may set them."""

OFFERED = tuple(each for each in declared(GROUPS) if each.help.option and each.name not in OF_THE_MACHINE)
"""The settings that a page or program may set for a run."""


@dataclass
class Room:
    """The library, the settings of a run that the user did not change, and the runs by their ids."""

    library: Library
    context: ReaderContext
    method: str = ""
    price: Price | None = None
    runs: dict[str, Run] = field(default_factory=dict)
    closed: bool = False
    _builders: dict[str, Builder] = field(default_factory=dict)

    def builder(self, method: Method) -> Builder:
        """The graph of a method, not compiled; it is wired once."""
        if method.name not in self._builders:
            self._builders[method.name] = method.build()
        return self._builders[method.name]

    def graph(self, method: Method) -> CompiledStateGraph[Any, ReaderContext, Any, Any]:
        """The graph of a method over the library, to look at its threads and change them."""
        return self.builder(method).compile(checkpointer=self.library.checkpointer, store=self.library.store)

    @property
    def pages(self) -> PageStore:
        """The library's page store."""
        return self.library.pages

    def context_with(self, settings: dict[str, Any]) -> ReaderContext:
        """The settings of one run; raises `BadInput` for one that is unknown, out of its range, or not to be set."""
        offered = {each.name for each in OFFERED}
        if unknown := sorted(settings.keys() - offered):
            raise BadInput(f"There is no setting '{unknown[0]}' to change here: /api/about lists them.")
        return replace(self.context, **settings)

    def method_for(self, name: str, document: Document | None) -> Method:
        """The method of this name, or the one that is set, or the one for this kind of document.

        A page or program may name no code to import: only who starts the server may.
        """
        if name and name != self.method:
            return method_named(name)
        return method_typed(self.method) if self.method else method_for(document)

    def run(self, identity: str) -> Run | None:
        """The run with this id; None where this server has none, such as after a restart."""
        return self.runs.get(identity)

    def begin(self, run: Run, work: Callable[[], Coroutine[Any, Any, None]]) -> Run:
        """Let the work of a run begin, apart from the server's own loop, so that a long one holds up no page."""
        for old in [each for each in self.runs.values() if each.state in ENDED][: max(0, len(self.runs) - KEPT_RUNS)]:
            del self.runs[old.id]
        if self.closed:
            raise BadInput("The server is ending: start it anew, and begin once more.")
        self.runs[run.id] = run
        run.state, run.problem, run.task, run.stopping = "working", None, None, False
        run.change(state="working", problem=None)
        run.work = background().start_task_soon(_watched, run, work, self.price)
        return run

    def stop(self, run: Run) -> None:
        """Stop a run; what it read is kept."""
        if run.state == "paused":
            run.change(state="stopped")
            return
        run.stopping = True  # before the look at its task: a run that only begins looks the other way round
        if (task := run.task) is not None:
            background().start_task_soon(_cancelled, task)

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


async def _logged(run: Run, work: Callable[[], Awaitable[None]], price: Price | None) -> None:
    """Do the work as a run of logs and spans, with the same id."""
    dollars = (price.input, price.output) if price else None
    documents = ",".join(run.documents)
    told = run_within(run.id, dollars, kind=run.kind, method=run.method, document=documents)
    with told_run(told):
        await work()


async def _watched(run: Run, work: Callable[[], Awaitable[None]], price: Price | None) -> None:
    """Do the work in a task of its own, and say how it ended."""
    run.task = task = asyncio.ensure_future(_logged(run, work, price))
    if run.stopping:
        task.cancel()
    await asyncio.wait([task])
    run.task = None  # an error holds what the work had in hand, such as the bytes of a file
    if task.cancelled():
        run.change(state="stopped")
    elif (problem := task.exception()) is None:
        return
    elif isinstance(problem, ReadgraphError):
        run.change(state="failed", problem=said(problem))
    else:
        run.change(state="failed", problem=f"An unexpected {type(problem).__name__} ended it.")
        _log.error("run %s failed", run.id, exc_info=problem)


async def _cancelled(task: "asyncio.Future[Any]") -> None:
    """Cancel a task until it has ended: one cancellation may be lost where work ends at the same moment."""
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=AGAIN)

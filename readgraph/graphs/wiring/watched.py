"""A graph's run as a whole, in logs and spans: its nodes are parts of it, in whatever tasks and threads they run."""

import time
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from contextlib import ExitStack, contextmanager
from typing import TypeVar

from langchain_core.runnables import RunnableConfig

from readgraph.models.watching.spans import Span, begun, in_hand
from readgraph.models.watching.watched import OURS, watched
from readgraph.state.logs import fault, log, tell_end
from readgraph.state.running.runs import as_run, current_run, part_of_run

T = TypeVar("T")

UNNAMED = "LangGraph"
"""The name of a graph that was given none."""


class _WatchedRun:
    """One run of a graph. It is in hand only while the graph is at work, not while its caller has an event."""

    def __init__(self, name: str, config: RunnableConfig | None) -> None:
        known, around = (config or {}).get("metadata", {}), current_run()
        method = str(known.get("method") or ("" if name == UNNAMED else name.replace("_", "-")))
        self.outermost, self.began = around is None, time.perf_counter()
        self.run = part_of_run(method=around.about.get("method", method) if around else method)
        about = {"run": self.run.id, "method": method, "document": str(known.get("document", ""))}
        self.span = begun(f"run {method or 'graph'}", {f"{OURS}{key}": value for key, value in about.items()})
        if self.outermost:
            with as_run(self.run):
                log("run_begun")

    @contextmanager
    def in_hand(self) -> Iterator[None]:
        """Inside of the `with` the graph is at work."""
        with ExitStack() as stack:
            stack.enter_context(as_run(self.run))
            if self.span is not None:
                stack.enter_context(in_hand(self.span))
            yield

    def end(self, problem: BaseException | None) -> None:
        """Tell how it ended."""
        if self.span is not None:
            last = Span(self.span)
            if isinstance(problem, Exception):
                last.fail(fault(problem)["error"])
            last.add({f"{OURS}status": self.run.status})
            self.span.end()
        if self.outermost:
            with as_run(self.run):
                tell_end(self.run, self.began, problem)


def watched_stream(events: Iterator[T], name: str, config: RunnableConfig | None) -> Iterator[T]:
    """The events of a graph's run, of which logs and spans tell; the same where nobody listens."""
    return _watched(events, name, config) if watched() else events


def watched_astream(events: AsyncIterator[T], name: str, config: RunnableConfig | None) -> AsyncIterator[T]:
    """As `watched_stream`, of an asynchronous run."""
    return _watched_async(events, name, config) if watched() else events


def _watched(events: Iterator[T], name: str, config: RunnableConfig | None) -> Iterator[T]:
    run, problem = _WatchedRun(name, config), None
    try:
        while True:
            with run.in_hand():
                try:
                    event = next(events)
                except StopIteration:
                    return
            yield event
    except BaseException as caught:
        problem = caught
        raise
    finally:
        if isinstance(events, Generator):
            events.close()
        run.end(problem)
        problem = None


async def _watched_async(events: AsyncIterator[T], name: str, config: RunnableConfig | None) -> AsyncIterator[T]:
    run, problem = _WatchedRun(name, config), None
    try:
        while True:
            with run.in_hand():
                try:
                    event = await anext(events)
                except StopAsyncIteration:
                    return
            yield event
    except BaseException as caught:
        problem = caught
        raise
    finally:
        if isinstance(events, AsyncGenerator):
            await events.aclose()
        run.end(problem)
        problem = None

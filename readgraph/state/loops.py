"""Event loops: one in the background for synchronous callers, what belongs to one, who leaves a stream; tasks; forks.

Who leaves a stream of a graph ends what runs for it. LangGraph alone waits for nodes in threads, and where a server
cancels by anyio, again and again (Starlette, FastAPI, MCP), it does not come to cancelling its nodes. A forked child
has none of its parent's file locks, but SQLite's data in its memory says that it holds them: it would run without any.
So no connection is in use during a fork, and the child closes its copies.
"""

import asyncio
import atexit
import os
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event, Lock, Thread
from typing import Any, Generic, ParamSpec, Protocol, TypeAlias, TypeVar
from weakref import WeakSet, ref

import anyio
from anyio import CancelScope
from anyio.from_thread import BlockingPortal

from readgraph.state.variables import set_variable

LONGEST_WAIT = 5.0  # seconds until a fork goes on although a connection is in use, which the child leaves alone


class ForkableConnection(Protocol):
    """An object with a connection; `lock` is held while the connection is used."""

    lock: Lock

    def let_go(self) -> None:
        """Close the connection in a child whose parent opened it."""


class Fork:
    """Allows one fork of this process at a time, and pauses the connections during it."""

    def __init__(self) -> None:
        self._forking, self._open = Lock(), WeakSet[ForkableConnection]()
        self._paused = list[ForkableConnection]()

    def add(self, connected: ForkableConnection) -> None:
        """Pause this connection while the process forks, from now on, and close it in the child."""
        with self._forking:
            self._open.add(connected)

    def before(self) -> None:
        """Wait until no connection is in use."""
        self._forking.acquire()
        self._paused = [connected for connected in self._open if connected.lock.acquire(timeout=LONGEST_WAIT)]

    def after_in_parent(self) -> None:
        """Let the connections be used again."""
        for connected in self._paused:
            connected.lock.release()
        self._paused = []
        self._forking.release()

    def after_in_child(self) -> None:
        """Close the connections; their owners then raise an error that they belong to another process."""
        for connected in self._paused:
            connected.let_go()
        self._open.clear()
        self.after_in_parent()


_fork = Fork()
pause_in_forks = _fork.add


def reset_in_forked(reset: Callable[[], None]) -> None:
    """Run `reset` in each forked child, to replace its copies of the parent's threads and locks."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=reset)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_fork.before, after_in_parent=_fork.after_in_parent, after_in_child=_fork.after_in_child)


EventT = TypeVar("EventT")
Work: TypeAlias = asyncio.Task[Any] | Future[Any]


class _StreamWork:
    """The work that runs for one stream, which may be inside of another one; `loop`: of an asynchronous stream."""

    def __init__(self, around: "_StreamWork | None", loop: asyncio.AbstractEventLoop | None = None) -> None:
        self._loop = ref(loop) if loop else None  # contexts, and what they hold, may outlive the loop
        self._around, self._changing, self._left = around, Lock(), False
        self._running: dict[object, Work] = {}

    def is_in(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Whether it is an asynchronous stream of this event loop."""
        return self._loop is not None and self._loop() is loop

    def begin(self, mark: object, work: Work) -> None:
        """End this work when the stream is left, or the one around it."""
        with self._changing:
            self._running[mark] = work
        if self._left:
            work.cancel()
        if self._around:
            self._around.begin(mark, work)

    def end(self, mark: object) -> None:
        """The work has ended."""
        self._running.pop(mark, None)
        if self._around:
            self._around.end(mark)

    def leave(self) -> list[Work]:
        """End the work, and what begins from now on; returns what has not ended yet."""
        with self._changing:
            self._left, running = True, [*self._running.values()]
        for work in running:
            work.cancel()
        return running


_streamed: ContextVar[_StreamWork | None] = ContextVar("readgraph_streamed", default=None)


@contextmanager
def end_when_left(work: Work) -> Iterator[None]:
    """Inside the `with` this work runs: it ends when somebody leaves the stream for which it does."""
    streamed, mark = _streamed.get(), object()
    if streamed:
        streamed.begin(mark, work)
    try:
        yield
    finally:
        if streamed:
            streamed.end(mark)


@contextmanager
def end_this_task_when_left() -> Iterator[None]:
    """As `end_when_left`, for the running task; a task can be ended only in its own event loop."""
    task, streamed = asyncio.current_task(), _streamed.get()
    if task and streamed and streamed.is_in(task.get_loop()):
        with end_when_left(task):
            yield
    else:
        yield


def stream_until_left(events: Iterator[EventT]) -> Iterator[EventT]:
    """The events of a synchronous stream; who leaves it ends its work."""
    streamed = _StreamWork(_streamed.get())
    try:
        while True:
            with set_variable(_streamed, streamed):
                try:
                    event = next(events)
                except StopIteration:
                    return
            yield event
    finally:
        streamed.leave()
        if isinstance(events, Generator):
            events.close()


async def until_left(events: AsyncIterator[EventT]) -> AsyncIterator[EventT]:
    """The events of a graph's or agent's `astream`; who leaves them, or cancels their reader, ends what the methods do.

    A method's own graph does so by itself. An agent whose tool is a method, or a graph with one as a node, needs it in
    a web server: that cancels a request again and again, so LangGraph does not come to ending its nodes.
    """
    loop, around = asyncio.get_running_loop(), _streamed.get()
    streamed = _StreamWork(around if around and around.is_in(loop) else None, loop)
    try:
        while True:
            with set_variable(_streamed, streamed):
                try:
                    event = await anext(events)
                except StopAsyncIteration:
                    return
            yield event
    finally:
        left = [work for work in streamed.leave() if isinstance(work, asyncio.Task)]
        with CancelScope(shield=True):
            if isinstance(events, AsyncGenerator):
                await events.aclose()
            if left:
                await asyncio.wait(left)


P = ParamSpec("P")
T = TypeVar("T")
_portal: BlockingPortal | None = None
_starting = Lock()


def background() -> BlockingPortal:
    """The portal to the background event loop, which is started at first use and stopped with the process."""
    global _portal
    with _starting:
        _portal = _portal or _start_portal()
        return _portal


def in_background(work: Callable[P, Awaitable[T]], *given: P.args, **named: P.kwargs) -> T:
    """Run in the background event loop with the caller's context variables, and wait; the work ends with the wait."""
    ended = Event()

    async def run() -> T:
        try:
            return await work(*given, **named)
        finally:
            ended.set()

    running: Future[T] = background().start_task_soon(run)
    try:
        with end_when_left(running):
            return running.result()
    except BaseException:
        running.cancel()  # nothing happens where the work itself has failed
        ended.wait()
        raise


def _start_portal() -> BlockingPortal:
    ready: Future[BlockingPortal] = Future()
    ending = Event()

    async def serve() -> None:
        async with BlockingPortal() as portal:
            ready.set_result(portal)
            await portal.sleep_until_stopped()

    def run() -> None:
        try:
            anyio.run(serve)
        except BaseException as problem:  # such as: no file descriptors are left
            if not ready.done():
                ready.set_exception(problem)
            elif not ending.is_set():  # the loop's executor ends by a new thread, which Python 3.12 refuses by then
                raise

    def stop() -> None:
        if os.getpid() == process:  # in a forked child its thread does not exist
            ending.set()
            portal.call(portal.stop, True)  # without waiting for what is still open, such as a library in a notebook
            thread.join()

    thread, process = Thread(target=run, name="readgraph", daemon=True), os.getpid()
    thread.start()
    portal = ready.result()
    atexit.register(stop)
    return portal


def _reset() -> None:
    global _portal, _starting
    _portal, _starting = None, Lock()


reset_in_forked(_reset)


@contextmanager
def raise_first_error() -> Iterator[None]:
    """Raise the first error of a task group instead of the group, so that the user sees one line."""
    try:
        yield
    except BaseExceptionGroup as group:
        first: BaseException = group
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        raise first from first.__cause__


async def all_finished(work: Iterable[Awaitable[T]]) -> list[T]:
    """Run all concurrently; returns the results in order. A failure is raised after the others, which are paid for."""
    results = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]


Value = TypeVar("Value")


class PerLoop(Generic[Value]):
    """One value for each event loop, made at its first use and ended with the loop: weak dictionaries keep all."""

    def __init__(self, make: Callable[[], Value], end: Callable[[Value], Awaitable[None]]) -> None:
        self._make, self._end = make, end
        self._values: dict[asyncio.AbstractEventLoop, tuple[Value, AsyncGenerator[None, None]]] = {}

    async def current_value(self) -> Value:
        """The running event loop's value."""
        loop = asyncio.get_running_loop()
        if loop not in self._values:
            for other in [*self._values]:
                if other.is_closed():  # closed without closing its generators, which `asyncio.run` does
                    self._values.pop(other, None)
            self._values[loop] = self._make(), (until_end := self._until_the_end(loop))
            await anext(until_end)
        return self._values[loop][0]

    async def _until_the_end(self, loop: asyncio.AbstractEventLoop) -> AsyncGenerator[None, None]:
        """Waits for the end of the event loop, which then closes the generators that were started in it."""
        try:
            yield
        finally:
            if ended := self._values.pop(loop, None):
                await self._end(ended[0])


async def close_client(model: Any) -> None:
    """Close the connections of a LangChain model that we gave its own HTTP client."""
    if client := getattr(model, "http_async_client", None):
        await client.aclose()


Listen = Callable[[str, Any], None]  # takes the stream mode and the event of all that a run streams

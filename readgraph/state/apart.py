"""What computes for long runs apart from the event loop, in a thread that is ended where nobody waits for it any more.

A thread that computes gets an error at its next instruction of Python; one that does not come to it is left behind, and
holds up no end of the process. Nothing that stores runs so by itself: it waits in a loop, or in threads of the store.
"""

import asyncio
import ctypes
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from contextvars import ContextVar, copy_context
from functools import partial, wraps
from threading import Event, Thread, get_ident
from typing import Any, ParamSpec, TypeVar

from readgraph.state.loops import PerLoop
from readgraph.state.variables import set_variable

P = ParamSpec("P")
T = TypeVar("T")
MOST_LOOPS = 8  # loops of their own that one loop has at once: more would only take turns
IN_ORDER, AT_ONCE = 0.4, 0.3  # seconds in which work ends by itself once it is cancelled, and once it gets an error


def interrupt(thread: int) -> None:
    """Raise `CancelledError` in a thread of this process, by its identity, at its next instruction of Python."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(asyncio.CancelledError))


def interrupt_if_busy(loop: asyncio.AbstractEventLoop) -> None:
    """Let the loop of this thread come round: what computes in it and holds it up gets an error, after a moment."""
    came, thread = Event(), get_ident()
    loop.call_soon_threadsafe(came.set)  # which wakes it, too

    def watch() -> None:
        while not came.wait(IN_ORDER):
            interrupt(thread)

    Thread(target=watch, daemon=True).start()


class _ThreadWork(Thread):
    """Runs a function in a thread of its own; `ended` is a future of the loop that waits for it."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__(daemon=True, name="readgraph-computing")
        self._waiting = asyncio.get_running_loop()
        self._work, self._context, self.ended = work, copy_context(), self._waiting.create_future()

    def run(self) -> None:
        """Run it, and tell the loop."""
        with suppress(asyncio.CancelledError, RuntimeError):  # told too late, or the loop is closed: nobody waits
            result, problem = None, None
            try:
                result = self._context.run(self._work)
            except BaseException as raised:
                problem = raised
            self._waiting.call_soon_threadsafe(self._tell, result, problem)

    def _tell(self, result: Any, problem: BaseException | None) -> None:
        if self.ended.done():
            return
        if isinstance(problem, asyncio.CancelledError):
            self.ended.cancel()
        elif problem:
            self.ended.set_exception(problem)
        else:
            self.ended.set_result(result)

    def end(self) -> None:
        """Let it end at its next instruction of Python, if it has not ended."""
        if not self.ended.done() and self.ident is not None:
            interrupt(self.ident)


async def compute(work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
    """What a function makes that only computes, in a thread, with the caller's context variables.

    Where the task is cancelled, nobody waits for the thread any more, and it is ended.
    """
    thread = _ThreadWork(partial(work, *given, **named))
    thread.start()
    try:
        result: T = await asyncio.shield(thread.ended)
        return result
    except asyncio.CancelledError:
        thread.end()
        raise


async def _nothing(slots: asyncio.Semaphore) -> None:
    pass


_slots = PerLoop(lambda: asyncio.Semaphore(MOST_LOOPS), _nothing)
_is_apart: ContextVar[bool] = ContextVar("readgraph_is_apart", default=False)


async def run_apart(work: Callable[P, Awaitable[T]], *given: P.args, **named: P.kwargs) -> T:
    """What a coroutine function gives, in an event loop of its own: for steps by rules, which ask no model.

    Where the task is cancelled, so is the work; where it computes and does not hear of it, it gets an error, and if
    that does not end it either, it is left behind.
    """
    if _is_apart.get():
        return await work(*given, **named)
    inside: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None]] = []

    async def run() -> T:
        inside.append((asyncio.get_running_loop(), asyncio.current_task()))
        with set_variable(_is_apart, True):
            return await work(*given, **named)

    async with await _slots.current_value():
        thread = _ThreadWork(lambda: asyncio.run(run()))
        thread.start()
        try:
            result: T = await asyncio.shield(thread.ended)
            return result
        except asyncio.CancelledError:
            await _end_apart(thread, inside)
            raise


def apart(work: Callable[P, Awaitable[T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """The coroutine function, which runs in an event loop of its own (see `run_apart`)."""

    @wraps(work)
    async def run(*given: P.args, **named: P.kwargs) -> T:
        return await run_apart(work, *given, **named)

    return run


async def _end_apart(
    thread: _ThreadWork, inside: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None]]
) -> None:
    """End work in a loop of its own, in order if it can."""
    for loop, task in inside:
        with suppress(RuntimeError):  # it has ended meanwhile
            loop.call_soon_threadsafe(task.cancel if task else lambda: None)
    for seconds in (IN_ORDER, AT_ONCE):
        with suppress(asyncio.CancelledError):  # cancelled once more: it is ended at once
            await asyncio.wait([thread.ended], timeout=seconds)
        thread.end()

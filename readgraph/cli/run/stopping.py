"""A person stops a command that goes on for a while."""

import asyncio
import signal
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")

STOPS = (signal.SIGINT, signal.SIGTERM)


def run_until_stopped(work: Coroutine[Any, Any, T]) -> T:
    """Run the work; the first Ctrl-C or termination cancels it, further ones are ignored, so that all ends in order.

    With `asyncio.run` alone, a second Ctrl-C may hit a task in the middle of its ending, and the command never ends.
    """
    stopped = False

    async def stoppable() -> T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        def stop(*_: object) -> None:
            nonlocal stopped
            if not stopped and task:
                stopped = True
                task.cancel()
                loop.call_soon_threadsafe(lambda: None)  # it may be waiting for an event

        for each in STOPS:
            if signal.getsignal(each) is not signal.SIG_IGN:  # as a shell has it in the background
                signal.signal(each, stop)
        return await work

    before = {each: signal.getsignal(each) for each in STOPS}
    try:
        return asyncio.run(stoppable())
    except asyncio.CancelledError:
        if stopped:
            raise KeyboardInterrupt from None
        raise
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


@contextmanager
def stopping_once() -> Iterator[None]:
    """The first Ctrl-C stops the work; further ones are ignored, so that it can close properly."""

    def stop(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, stop)
    yield
    signal.signal(signal.SIGINT, before)

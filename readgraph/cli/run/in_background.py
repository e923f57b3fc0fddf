"""Work in the background event loop while the main thread waits, so that a person can be asked, and can stop it."""

import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from readgraph.state.background import background

T = TypeVar("T")


def run_in_background(work: Callable[..., Awaitable[T]], *arguments: Any) -> T:
    """Run in the background event loop; Ctrl-C also stops the work."""
    running: Any = background().start_task_soon(work, *arguments)
    try:
        result: T = running.result()
        return result
    except KeyboardInterrupt:
        running.cancel()
        raise


@contextmanager
def stopping_once() -> Iterator[None]:
    """The first Ctrl-C stops the work; further ones are ignored, so that it can close properly."""

    def stop(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, stop)
    yield
    signal.signal(signal.SIGINT, before)

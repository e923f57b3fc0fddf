"""A person stops a command that goes on for a while."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def stopping_once() -> Iterator[None]:
    """The first Ctrl-C stops the work; further ones are ignored, so that it can close properly."""

    def stop(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, stop)
    yield
    signal.signal(signal.SIGINT, before)

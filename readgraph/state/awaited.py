"""What servers are waited for at this moment, for whoever watches a command: since when, why, and how long still."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from readgraph.state.variables import set_variable

_awaited: dict[int, "Awaited"] = {}
_current: ContextVar["Awaited | None"] = ContextVar("readgraph_awaited", default=None)


@dataclass(eq=False)
class Awaited:
    """A call to `server` that has no reply yet; times are those of `time.monotonic`, 0 where they aren't known.

    `retry_seconds`: for so long after its first failure it is tried again.
    """

    server: str
    retry_seconds: float
    gives_up: float
    began: float
    reason: str = "no answer yet"
    again: float = 0.0

    def line(self) -> str:
        """What is waited for, since when, why, and how long still."""
        now = time.monotonic()
        again = f", tried again in {self.again - now:.0f} s" if self.again > now else ""
        end = f", given up in about {self.gives_up - now:.0f} s" if self.gives_up > now else ""
        return f"Waiting for {self.server} since {now - self.began:.0f} s: {self.reason}{again}{end}."


@contextmanager
def await_server(server: str, try_seconds: float | None, retry_seconds: float) -> Iterator[None]:
    """Inside of the `with`, this server is waited for: for so long at each try; None: nobody knows how long."""
    began = time.monotonic()
    awaited = Awaited(server, retry_seconds, began + try_seconds + retry_seconds if try_seconds else 0.0, began)
    _awaited[id(awaited)] = awaited
    try:
        with set_variable(_current, awaited):
            yield
    finally:
        del _awaited[id(awaited)]


def tell_pause(reason: str, seconds: float) -> None:
    """The call of this context waits for so many seconds, and why."""
    if awaited := _current.get():
        now = time.monotonic()
        if awaited.gives_up and not awaited.again:
            awaited.gives_up = now + awaited.retry_seconds
        awaited.reason, awaited.again = reason, now + seconds


def longest_awaited() -> Awaited | None:
    """What has been waited for the longest, if anything is."""
    return min([*_awaited.values()], key=lambda awaited: awaited.began, default=None)

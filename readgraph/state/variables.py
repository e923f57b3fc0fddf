"""Context variables: values for the code inside of a `with`, and for the tasks that begin there.

They say whether what runs is silent, who called readgraph (warnings name that line, since what warns runs in tasks and
threads apart from it), and what is waited for at this moment.
"""

import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")


@contextmanager
def set_variable(variable: ContextVar[T], value: T) -> Iterator[T]:
    """Inside of the `with`, the variable has this value."""
    before = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(before)


_silent: ContextVar[bool] = ContextVar("readgraph_silent", default=False)


def silence() -> AbstractContextManager[Any]:
    """Inside of the `with`, nothing is logged, traced or warned of: what runs there is no real run."""
    return set_variable(_silent, True)


def is_silent() -> bool:
    """Whether what runs here is told to nobody."""
    return _silent.get()


Place = tuple[str, int, dict[str, Any]]  # a file, a line, and the variables of its module

WAY = {"readgraph", "langgraph", "langchain_core", "anyio"} | sys.stdlib_module_names
"""The packages between a program and a step that warns."""

LOOPS = {"tornado", "ipykernel", "uvicorn"}  # what runs tasks, of which no frame tells who began them

_caller: ContextVar[Place | None] = ContextVar("readgraph_caller", default=None)


def remember_caller() -> None:
    """Remember the line outside of readgraph that is being run; in a thread of ours, the one before stays."""
    if place := _find_caller():
        _caller.set(place)


def warn_caller(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called readgraph."""
    if is_silent():
        return
    file, line, variables = _caller.get() or _find_caller() or ("readgraph", 1, {})
    name, registry = str(variables.get("__name__", "readgraph")), variables.setdefault("__warningregistry__", {})
    warnings.warn_explicit(text, category, file, line, name, registry)


def _find_caller() -> Place | None:
    frame: FrameType | None = sys._getframe(1)
    while frame and (package := str(frame.f_globals.get("__name__")).partition(".")[0]) in WAY:
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno, frame.f_globals) if frame and package not in LOOPS else None


_awaited: dict[int, "Awaited"] = {}
_current: ContextVar["Awaited | None"] = ContextVar("readgraph_awaited", default=None)


@dataclass(eq=False)
class Awaited:
    """What is waited for, such as a server; times are those of `time.monotonic`, 0 where they aren't known.

    `retry_seconds`: for so long after its first failure it is tried again.
    """

    what: str
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
        line = f"Waiting for {self.what} since {now - self.began:.0f} s: {self.reason}{again}{end}."
        return "".join(sign if sign.isprintable() else " " for sign in line)


@contextmanager
def awaiting(what: str, try_seconds: float | None = None, retry_seconds: float = 0.0) -> Iterator[None]:
    """Inside of the `with`, this is waited for: for so long at each try; None: nobody knows how long."""
    began = time.monotonic()
    awaited = Awaited(what, retry_seconds, began + try_seconds + retry_seconds if try_seconds else 0.0, began)
    _awaited[id(awaited)] = awaited
    try:
        with set_variable(_current, awaited):
            yield
    finally:
        del _awaited[id(awaited)]


def tell_pause(reason: str, seconds: float = 0.0) -> None:
    """What is waited for in this context takes longer, and why: so many seconds until it is tried again."""
    if awaited := _current.get():
        now = time.monotonic()
        if awaited.gives_up and not awaited.again:
            awaited.gives_up = now + awaited.retry_seconds
        awaited.reason, awaited.again = reason, now + seconds


def longest_awaited() -> Awaited | None:
    """What has been waited for the longest, if anything is."""
    return min([*_awaited.values()], key=lambda awaited: awaited.began, default=None)

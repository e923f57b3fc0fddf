"""Context variables: values for the code inside of a `with`, and for the tasks that begin there."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
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

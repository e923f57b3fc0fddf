"""Context variables: values for the code inside of a `with`, and for the tasks that begin there."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def set_variable(variable: ContextVar[T], value: T) -> Iterator[T]:
    """Inside of the `with`, the variable has this value."""
    before = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(before)

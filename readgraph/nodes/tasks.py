"""Tasks that run side by side fail as one."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def failing_as_one() -> Iterator[None]:
    """Raise the first error of a task group as itself: a person wants its one line, not a group."""
    try:
        yield
    except BaseExceptionGroup as group:
        first: BaseException = group
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        raise first from None

"""How far the conversion of a long file is, for whoever shows it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Show = Callable[[str, int, int], None]
"""Gets a file's name, the number of pages that are converted, and how many it has."""

_show: ContextVar[Show | None] = ContextVar("show", default=None)


@contextmanager
def conversion_shown(show: Show) -> Iterator[None]:
    """While this lasts, each page that is converted is shown."""
    token = _show.set(show)
    try:
        yield
    finally:
        _show.reset(token)


def page_done(name: str, number: int, of: int) -> None:
    """Show that a page of a file is converted."""
    if show := _show.get():
        show(name, number, of)

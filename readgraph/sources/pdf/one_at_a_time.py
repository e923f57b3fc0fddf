"""PDFium is not made for threads: one at a time uses it, and a long conversion lets others in between its pages."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_using, _counting = Lock(), Lock()
_waiting = 0


@contextmanager
def pdfium_alone() -> Iterator[None]:
    """While this lasts, no other thread uses PDFium."""
    global _waiting
    with _counting:
        _waiting += 1
    _using.acquire()
    with _counting:
        _waiting -= 1
    try:
        yield
    finally:
        _using.release()


def let_others_in() -> None:
    """Inside of `pdfium_alone`: let a thread that waits go first."""
    if _waiting:
        _using.release()
        time.sleep(0.001)
        _using.acquire()

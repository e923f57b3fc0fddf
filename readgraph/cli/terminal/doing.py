"""What is being done, in a line on a terminal, before there is a bar: while modules are imported and files are read.

It must be light, since it tells of the imports of everything else.
"""

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

from readgraph.state.variables import longest_awaited

AFTER, EVERY = 0.3, 0.1  # seconds until the line stands there, and between two of its pictures
LONGEST = 60  # characters of what is done
WAITED_SECONDS = 2.0  # of what is waited for so long, its own line is shown
_PICTURES, _PLAIN_PICTURES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "-\\|/"


class _Line:
    """The line on standard error; whoever writes anything to the terminal takes its place."""

    def __init__(self) -> None:
        self.said = ""
        self._ended, self._thread = Event(), Thread()

    def say(self, doing: str) -> None:
        """Show what is being done, if it is still being done in a moment."""
        begins, self.said = not self.said, doing
        if begins and _is_shown():
            self._ended, self._thread = Event(), Thread(target=self._draw, name="readgraph-doing", daemon=True)
            for stream in (sys.stdout, sys.stderr):
                stream.write = self._ending(stream.write)  # type: ignore[method-assign]
            self._thread.start()

    def end(self) -> None:
        """Show it no longer."""
        self.said = ""
        if self._thread.ident is not None and not self._ended.is_set():
            for stream in (sys.stdout, sys.stderr):
                vars(stream).pop("write", None)
            self._ended.set()
            self._thread.join()

    def _ending(self, write: Callable[[str], int]) -> Callable[[str], int]:
        def end_and_write(text: str) -> int:
            self.end()
            return write(text)

        return end_and_write

    def _draw(self) -> None:
        if self._ended.wait(AFTER):
            return
        pictures = _PICTURES if "utf" in (sys.stderr.encoding or "").lower() else _PLAIN_PICTURES
        at = 0
        while True:
            self._put(f"\r{pictures[at % len(pictures)]} {self._what_is_done()}\x1b[K")
            at += 1
            if self._ended.wait(EVERY):
                break
        self._put("\r\x1b[K")

    def _what_is_done(self) -> str:
        awaited = longest_awaited()
        if awaited and time.monotonic() > awaited.began + WAITED_SECONDS:
            return awaited.line()[: shutil.get_terminal_size().columns - 3]
        return self.said[:LONGEST]

    def _put(self, text: str) -> None:
        try:
            os.write(sys.stderr.fileno(), text.encode(sys.stderr.encoding or "ascii", "replace"))
        except (OSError, ValueError):  # the terminal is gone
            self._ended.set()


_line = _Line()


def _is_shown() -> bool:
    """Whether there is a terminal for it, and nobody asked for quiet."""
    streams: list[Any] = [sys.stdout, sys.stderr]
    if not all(hasattr(stream, "__dict__") for stream in streams) or not {"-q", "--quiet"}.isdisjoint(sys.argv):
        return False
    return bool(streams[1].isatty()) and os.environ.get("TERM") != "dumb"


@contextmanager
def doing(what: str) -> Iterator[None]:
    """In this block, this is what is being done: "Opening the library"."""
    _line.say(what)
    try:
        yield
    finally:
        _line.end()


def say_doing(what: str) -> None:
    """Say from now on that this is being done, until anything is written."""
    _line.say(what)


def end_line() -> None:
    """Say no longer what is being done: another program writes to the terminal next."""
    _line.end()

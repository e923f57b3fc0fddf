"""What becomes of what is open where a process is forked.

A child has none of its parent's threads, and holds none of its locks on files, though SQLite's memory in it says so:
what the child itself would open then of the same file would hold none either, and the parent's close would take the
file from under it. So connections rest while a process is forked, and are closed in the child before it opens others.
"""

import os
from collections.abc import Callable
from threading import Lock
from typing import Protocol
from weakref import WeakSet

LONGEST_WAIT = 5.0
"""Seconds until a fork goes on although a connection is in use; the child leaves that one as it is."""


class Connected(Protocol):
    """Who has a connection; `lock` is held by who uses it."""

    lock: Lock

    def let_go(self) -> None:
        """Close the connection, in a child whose parent opened it."""


class Fork:
    """One fork of this process at a time, and the connections that rest for it."""

    def __init__(self) -> None:
        self._one, self._open = Lock(), WeakSet[Connected]()
        self._resting = list[Connected]()

    def add(self, connected: Connected) -> None:
        """Let a connection rest in each fork from now on."""
        with self._one:
            self._open.add(connected)

    def before(self) -> None:
        """Wait until no connection is in use."""
        self._one.acquire()
        self._resting = [each for each in self._open if each.lock.acquire(timeout=LONGEST_WAIT)]

    def after_in_parent(self) -> None:
        """Go on."""
        for each in self._resting:
            each.lock.release()
        self._resting = []
        self._one.release()

    def after_in_child(self) -> None:
        """Close the connections; what uses them says that they are another process's."""
        for each in self._resting:
            each.let_go()
        self._open.clear()
        self.after_in_parent()


_fork = Fork()


def rest_in_forks(connected: Connected) -> None:
    """Let a connection rest while this process is forked, and close it in the child."""
    _fork.add(connected)


def anew_in_forked(begin: Callable[[], None]) -> None:
    """Run this in each child that is forked: its copies of the parent's threads and locks are reset."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=begin)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_fork.before, after_in_parent=_fork.after_in_parent, after_in_child=_fork.after_in_child)

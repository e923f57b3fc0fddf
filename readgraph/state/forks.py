"""What happens to open connections when the process forks.

A forked child has none of its parent's file locks, but SQLite's data in its memory says that it holds them: it would
run without locks. So no connection is in use during a fork, and the child closes its copies.
"""

import os
from collections.abc import Callable
from threading import Lock
from typing import Protocol
from weakref import WeakSet

LONGEST_WAIT = 5.0  # seconds until a fork goes on although a connection is in use, which the child leaves alone


class ForkableConnection(Protocol):
    """An object with a connection; `lock` is held while the connection is used."""

    lock: Lock

    def let_go(self) -> None:
        """Close the connection in a child whose parent opened it."""


class Fork:
    """Allows one fork of this process at a time, and pauses the connections during it."""

    def __init__(self) -> None:
        self._forking, self._open = Lock(), WeakSet[ForkableConnection]()
        self._paused = list[ForkableConnection]()

    def add(self, connected: ForkableConnection) -> None:
        """Pause this connection while the process forks, from now on, and close it in the child."""
        with self._forking:
            self._open.add(connected)

    def before(self) -> None:
        """Wait until no connection is in use."""
        self._forking.acquire()
        self._paused = [connected for connected in self._open if connected.lock.acquire(timeout=LONGEST_WAIT)]

    def after_in_parent(self) -> None:
        """Let the connections be used again."""
        for connected in self._paused:
            connected.lock.release()
        self._paused = []
        self._forking.release()

    def after_in_child(self) -> None:
        """Close the connections; their owners then raise an error that they belong to another process."""
        for connected in self._paused:
            connected.let_go()
        self._open.clear()
        self.after_in_parent()


_fork = Fork()
pause_in_forks = _fork.add


def reset_in_forked(reset: Callable[[], None]) -> None:
    """Run `reset` in each forked child, to replace its copies of the parent's threads and locks."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=reset)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_fork.before, after_in_parent=_fork.after_in_parent, after_in_child=_fork.after_in_child)

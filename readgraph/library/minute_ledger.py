"""What was sent to each model in the last minute, so that limits hold across all processes of a library.

Each call takes its place in the queue once: it is told when it may be sent, and everybody after it counts it.
"""

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, TypeVar
from weakref import finalize

from readgraph.library.sqlite_files import BUSY_SECONDS, explain_refusals, refuse_linked, trust_data_only

T = TypeVar("T")

MINUTE = 60.0
AHEAD = 5.0
"""Seconds by which the clocks of two processes may differ; a call that was reserved later than this is from before the
clock was set back, and counts no more."""


class SentCall(NamedTuple):
    """A call: when it was or will be sent, in seconds, and its tokens."""

    at: float
    tokens: int


class QueuePlace(NamedTuple):
    """A call's place in the queue: when it may be sent, and its number."""

    at: float
    number: int


def earliest(
    sent: Sequence[SentCall], tokens: int, requests_most: int | None, tokens_most: int | None, now: float
) -> float:
    """When a call with these tokens may be sent, after those before it, which are in order of time.

    A call with more tokens than a minute may have gets one to itself.
    """
    at = max(now, sent[-1].at) if sent else now
    if requests_most is not None and len(sent) >= requests_most:
        at = max(at, sent[-requests_most].at + MINUTE)
    if tokens_most is not None:
        total = tokens
        for sent_call in reversed(sent):
            total += sent_call.tokens
            if total > tokens_most:
                at = max(at, sent_call.at + MINUTE)
                break
    return at


Execute = Callable[..., list[tuple[Any, ...]]]
"""Runs a statement on the table `sent` with its values, each a `?` in it, and gives the rows that it finds."""


class MinuteLedger(ABC):
    """The calls of the last minute to each model, in a table of a database."""

    @abstractmethod
    def _run(self, model: str, operation: Callable[[Execute], T]) -> T:
        """Run an operation in a transaction, beside which no other one of this model runs; it may be run twice."""

    def take(
        self, model: str, tokens: int, requests_most: int | None, tokens_most: int | None, now: float
    ) -> QueuePlace:
        """Take the next place; it counts from now on."""

        def take_place(execute: Execute) -> QueuePlace:
            old = "DELETE FROM sent WHERE model = ? AND (at <= ? OR reserved > ?)"
            execute(old, model, now - MINUTE, now + AHEAD)
            rows = execute("SELECT at, tokens FROM sent WHERE model = ? ORDER BY number", model)
            at = earliest([SentCall(*row) for row in rows], tokens, requests_most, tokens_most, now)
            execute("INSERT INTO sent (model, at, tokens, reserved) VALUES (?, ?, ?, ?)", model, at, tokens, now)
            ((number,),) = execute("SELECT max(number) AS number FROM sent WHERE model = ?", model)
            return QueuePlace(at, number)

        return self._run(model, take_place)

    def settle(self, model: str, place: QueuePlace, tokens: int | None) -> None:
        """The call had this many tokens; None: it was not sent."""
        if tokens is None:
            statement, values = "DELETE FROM sent WHERE number = ?", [place.number]
        else:
            statement, values = "UPDATE sent SET tokens = ? WHERE number = ?", [tokens, place.number]
        self._run(model, lambda execute: execute(statement, *values))


_TABLE = (
    "CREATE TABLE IF NOT EXISTS sent "
    "(number INTEGER PRIMARY KEY AUTOINCREMENT, model TEXT, at REAL, tokens INTEGER, reserved REAL)"
)


class LedgerInMemory(MinuteLedger):
    """The calls of this process, for stores that are no library."""

    def __init__(self) -> None:
        self._database, self._lock = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False), Lock()
        self._database.execute(_TABLE)
        finalize(self, self._database.close)

    def _run(self, model: str, operation: Callable[[Execute], T]) -> T:
        with self._lock:
            return operation(partial(_execute, self._database))


def _execute(database: sqlite3.Connection, statement: str, *values: Any) -> list[tuple[Any, ...]]:
    return database.execute(statement, values).fetchall()


@dataclass(frozen=True)
class LedgerInFile(MinuteLedger):
    """The calls of all processes that share a file; a damaged file is begun anew, since it holds one minute only."""

    path: Path

    def _run(self, model: str, operation: Callable[[Execute], T]) -> T:
        with explain_refusals(self.path.parent.parent), closing(self._connect_or_replace()) as database:
            database.execute("BEGIN IMMEDIATE")
            found = operation(partial(_execute, database))
            database.execute("COMMIT")
            return found

    def _connect_or_replace(self) -> sqlite3.Connection:
        try:
            return self._connect_to_file()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            self.path.unlink(missing_ok=True)
            return self._connect_to_file()

    def _connect_to_file(self) -> sqlite3.Connection:
        refuse_linked(self.path)
        database = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            database.execute("PRAGMA synchronous=OFF")  # a minute's counts need not outlive a power cut
            trust_data_only(database)
            database.execute(_TABLE)
        except sqlite3.Error:
            database.close()
            raise
        return database

"""What was sent to each model in the last minute, so that limits hold across all processes of a library.

Each call takes its place in the queue once: it is told when it may be sent, and everybody after it counts it. A window
is any minute, not the minutes of a clock.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import NamedTuple, Protocol

from readgraph.library.sqlite_files import BUSY_SECONDS, library_unusable_error, refuse_linked, trust_data_only

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

    In no minute are there more requests or tokens than allowed; a call with more tokens than that has a minute to
    itself.
    """
    at = max(now, sent[-1].at) if sent else now
    if requests_most is not None and len(sent) >= requests_most:
        at = max(at, sent[-requests_most].at + MINUTE)
    if tokens_most is not None:
        total = tokens
        for each in reversed(sent):
            total += each.tokens
            if total > tokens_most:
                at = max(at, each.at + MINUTE)
                break
    return at


class MinuteLedger(Protocol):
    """The calls of the last minute to each model."""

    def take(
        self, model: str, tokens: int, requests_most: int | None, tokens_most: int | None, now: float
    ) -> QueuePlace:
        """Take the next place; it counts from now on."""

    def settle(self, model: str, place: QueuePlace, tokens: int | None) -> None:
        """The call had this many tokens; None: it was not sent."""


@dataclass
class LedgerInMemory:
    """The calls of this process, for stores that are no library."""

    calls: defaultdict[str, dict[int, SentCall]] = field(default_factory=lambda: defaultdict(dict))
    last: int = 0
    lock: Lock = field(default_factory=Lock)

    def take(
        self, model: str, tokens: int, requests_most: int | None, tokens_most: int | None, now: float
    ) -> QueuePlace:
        """Take the next place; it counts from now on."""
        with self.lock:
            calls = self.calls[model]
            for number in [number for number, each in calls.items() if each.at <= now - MINUTE]:
                del calls[number]
            at = earliest([*calls.values()], tokens, requests_most, tokens_most, now)
            self.last += 1
            calls[self.last] = SentCall(at, tokens)
            return QueuePlace(at, self.last)

    def settle(self, model: str, place: QueuePlace, tokens: int | None) -> None:
        """The call had this many tokens; None: it was not sent."""
        with self.lock:
            if self.calls[model].pop(place.number, None) and tokens is not None:
                self.calls[model][place.number] = SentCall(place.at, tokens)
                self.calls[model] = dict(sorted(self.calls[model].items()))


@dataclass(frozen=True)
class LedgerInFile:
    """The calls of all processes that share a file; a damaged file is begun anew, since it holds one minute only."""

    path: Path

    def take(
        self, model: str, tokens: int, requests_most: int | None, tokens_most: int | None, now: float
    ) -> QueuePlace:
        """Take the next place; it counts from now on."""
        with self._open_transaction() as database:
            database.execute("DELETE FROM sent WHERE at <= ? OR reserved > ?", (now - MINUTE, now + AHEAD))
            rows = database.execute("SELECT at, tokens FROM sent WHERE model = ? ORDER BY number", (model,)).fetchall()
            at = earliest([SentCall(*row) for row in rows], tokens, requests_most, tokens_most, now)
            row = (model, at, tokens, now)
            added = database.execute("INSERT INTO sent (model, at, tokens, reserved) VALUES (?, ?, ?, ?)", row)
            return QueuePlace(at, int(added.lastrowid or 0))

    def settle(self, model: str, place: QueuePlace, tokens: int | None) -> None:
        """The call had this many tokens; None: it was not sent."""
        with self._open_transaction() as database:
            if tokens is None:
                database.execute("DELETE FROM sent WHERE number = ?", (place.number,))
            else:
                database.execute("UPDATE sent SET tokens = ? WHERE number = ?", (tokens, place.number))

    @contextmanager
    def _open_transaction(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(self._connect_or_replace()) as database:
                database.execute("BEGIN IMMEDIATE")
                yield database
                database.execute("COMMIT")
        except sqlite3.Error as problem:
            raise library_unusable_error(self.path.parent.parent, problem) from problem

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
            database.execute(
                "CREATE TABLE IF NOT EXISTS sent "
                "(number INTEGER PRIMARY KEY AUTOINCREMENT, model TEXT, at REAL, tokens INTEGER, reserved REAL)"
            )
        except sqlite3.Error:
            database.close()
            raise
        return database

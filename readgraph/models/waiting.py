"""Waiting before a model server is asked again: longer each time, as long as it asks for, and all calls together."""

import asyncio
import math
import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST_WAIT = 60.0
"""Seconds: a server that asks for a longer pause (Retry-After) is asked again after this."""

LONGEST_PAUSE = 20.0
"""Seconds: pauses that no server asked for grow up to this."""


class Clock:
    """Time as those see it who wait, in seconds."""

    def now(self) -> float:
        """The time that has passed since some fixed moment."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


_REAL = Clock()
_clock: ContextVar[Clock] = ContextVar("readgraph_clock", default=_REAL)


@contextmanager
def waiting_by(clock: Clock) -> Iterator[None]:
    """Let what runs inside wait by another clock, such as one on which a pause takes no time."""
    before = _clock.set(clock)
    try:
        yield
    finally:
        _clock.reset(before)


def clock() -> Clock:
    """The clock that counts here."""
    return _clock.get()


@dataclass
class Hold:
    """A pause that all calls of a client share: a server that throttles one of them is asked by none meanwhile."""

    until: float = 0.0

    def extend(self, seconds: float) -> None:
        """Let nobody ask for this many seconds from now."""
        self.until = max(self.until, clock().now() + seconds)

    async def over(self) -> None:
        """Wait until it is over; it may be extended meanwhile."""
        while (left := self.until - clock().now()) > 0:
            await clock().sleep(left)


def growing_pause(failures: int, longest: float = LONGEST_PAUSE) -> float:
    """Seconds to wait after this many failures in a row: doubled each time, less a random part."""
    return min(2.0 ** min(failures - 1, 30), longest) * random.uniform(0.5, 1.0)


def asked_pause(headers: Mapping[str, str]) -> float:
    """Seconds that a response asks to wait (Retry-After: seconds or a date), at most `LONGEST_WAIT`; else 0."""
    asked = headers.get("retry-after", "")
    try:
        seconds = float(asked)
    except ValueError:
        seconds = _seconds_until(asked)
    return 0.0 if math.isnan(seconds) else min(max(seconds, 0.0), LONGEST_WAIT)


def _seconds_until(date: str) -> float:
    try:
        at = parsedate_to_datetime(date)
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() - datetime.now(UTC).timestamp()

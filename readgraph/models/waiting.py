"""Pauses before calls: after failures, shared by a client's calls; for a library's limits of calls a minute."""

import asyncio
import random
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from langgraph.store.base import BaseStore

from readgraph.library.minute_ledger import MinuteLedger, QueuePlace
from readgraph.library.store import ledger_of
from readgraph.models.metering import current_meter
from readgraph.models.own.tables import Limits
from readgraph.models.windows.window import TOKENS_PER_WORD
from readgraph.state.variables import set_variable

LONGEST_PAUSE = 20.0  # the longest pause in seconds if the server does not ask for one


class Clock:
    """The time, in seconds, as waiting code sees it."""

    def now(self) -> float:
        """Seconds since a fixed moment."""
        return time.monotonic()

    def time(self) -> float:
        """Seconds since 1970, which all processes of a machine count alike."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Wait for this many seconds."""
        await asyncio.sleep(seconds)


_clock: ContextVar[Clock] = ContextVar("readgraph_clock", default=Clock())  # noqa: B039


def use_clock(clock: Clock) -> AbstractContextManager[Clock]:
    """Use another clock inside the `with`, such as one whose pauses take no time."""
    return set_variable(_clock, clock)


def clock() -> Clock:
    """The current clock."""
    return _clock.get()


@dataclass
class SharedPause:
    """A pause that all calls of a client share: while a server throttles one call, none is sent to it."""

    until: float = 0.0

    def extend(self, seconds: float) -> None:
        """Pause all calls for this many seconds from now."""
        self.until = max(self.until, clock().now() + seconds)

    async def wait_until_over(self) -> None:
        """Wait until the pause is over, also if it is extended meanwhile."""
        while (left := self.until - clock().now()) > 0:
            await clock().sleep(left)


@dataclass
class CallsInFlight:
    """How many calls a server gets at once: after time-outs as many as it answered, and one more for as many replies.

    Servers that take one request at a time queue the others, and go on with those whose client has left.
    """

    most: int
    limit: int = 0  # at this moment; 0: not known yet
    flying: int = 0
    answered: int = 0  # replies since the limit was changed
    changed: float = -1.0  # when a time-out has changed it
    waiting: deque["asyncio.Future[None]"] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.limit = self.most

    @asynccontextmanager
    async def take_place(self) -> AsyncIterator[float]:
        """Wait for a place for one call, which is free again at the end of the `with`; gives when the call began."""
        while self.flying >= self.limit:
            place = asyncio.get_running_loop().create_future()
            self.waiting.append(place)
            try:
                await place
            except asyncio.CancelledError:
                self._wake()  # it may have been this one's turn
                raise
        self.flying += 1
        try:
            yield clock().now()
        finally:
            self.flying -= 1
            self._wake()

    def count_reply(self) -> None:
        """A call was answered: after as many as the limit, it grows by one."""
        self.answered += 1
        if self.limit < self.most and self.answered >= self.limit:
            self.limit, self.answered = self.limit + 1, 0
            self._wake()

    def count_timeout(self, began: float) -> None:
        """A call that began then was not answered in time: fewer are sent at once, if it was not sent before that."""
        if began > self.changed and self.limit > 1:
            self.limit = max(1, min(self.answered, self.limit - 1))
            self.answered, self.changed = 0, clock().now()

    def _wake(self) -> None:
        free = self.limit - self.flying
        while self.waiting and free > 0:
            if not (place := self.waiting.popleft()).done():
                place.set_result(None)
                free -= 1


@dataclass
class RetryPauses:
    """The pauses between the tries of one request, which is given up `seconds` after its first failure."""

    seconds: float
    failures: int = 0
    give_up: float = 0.0

    def extend(self, seconds: float) -> None:
        """Add the seconds that the request has waited for its place: they are not its server's."""
        self.give_up += seconds if self.give_up else 0.0

    def next(self, asked: float, longest: float = LONGEST_PAUSE) -> tuple[float, bool]:
        """How long to wait after one more failure, at least as `asked` by the server; and whether that is too long."""
        self.failures += 1
        pause = min(2.0 ** min(self.failures - 1, 30), longest) * random.uniform(0.5, 1.0)
        pause, now = max(asked, pause), clock().now()
        self.give_up = self.give_up or now + self.seconds
        return pause, now + pause > self.give_up


@dataclass
class CallTurns:
    """The turns of one prompt's calls: each try is a request of its own."""

    ledger: MinuteLedger
    model: str
    limits: Limits
    tokens: int
    place: QueuePlace | None = None

    async def wait(self) -> None:
        """Wait until one more call may be sent; if that is cancelled, the turn is given back."""
        limits = self.limits
        most = (limits.requests_per_minute, limits.tokens_per_minute)
        place = await asyncio.to_thread(self.ledger.take, self.model, self.tokens, *most, clock().time())
        try:
            if (left := place.at - clock().time()) > 0:
                current_meter().wait(left, f"'{self.model}' takes no more calls in a minute")
            while (left := place.at - clock().time()) > 0:
                await clock().sleep(left)
        except BaseException:
            self.ledger.settle(self.model, place, None)
            raise
        self.place = place

    async def settle(self, tokens: int) -> None:
        """The last call had this many tokens, as its server counts them; 0: it does not say."""
        if self.place and tokens:
            await asyncio.to_thread(self.ledger.settle, self.model, self.place, tokens)


def turns_of(store: BaseStore, model: str, limits: Limits | None, words: int) -> CallTurns | None:
    """The turns for a prompt of this many words; None for a model without limits."""
    if not limits:
        return None
    return CallTurns(ledger_of(store), model, limits, round(words * TOKENS_PER_WORD) + limits.reply_tokens)

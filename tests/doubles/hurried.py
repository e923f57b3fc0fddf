"""A clock on which pauses take no time."""

import asyncio

from readgraph.models.waiting import Clock


class Hurried(Clock):
    """The real clock, moved forward instead of waiting; simultaneous pauses pass together.

    `pauses` holds the seconds that were waited for.
    """

    def __init__(self) -> None:
        self.ahead = 0.0
        self.pauses: list[float] = []

    def now(self) -> float:
        return super().now() + self.ahead

    def time(self) -> float:
        return super().time() + self.ahead

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        until = self.now() + seconds
        await asyncio.sleep(0)
        self.ahead += max(0.0, until - self.now())


class Unhurried(Hurried):
    """The same, but each pause takes a moment, in which all that can go on does, and shorter pauses end first.

    The moment has several turns: a process that stands still for a while loses one of them, and not all.
    """

    TURNS, TURN = 10, 0.001

    def __init__(self) -> None:
        super().__init__()
        self.ends: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.ends.append(end := self.now() + seconds)
        try:
            turns = 0
            while turns < self.TURNS or min(self.ends) < end > self.now():
                await asyncio.sleep(self.TURN)
                turns += 1
        finally:
            self.ends.remove(end)
        self.ahead += max(0.0, end - self.now())

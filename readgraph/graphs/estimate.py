"""The numbers of an estimate: what rehearsals used, what a reading will use at most, and what a longer text will."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from readgraph.models.rehearsed import Kind
from readgraph.models.reply import MOST_REPEATED, TRIES
from readgraph.state.context import ReaderContext

ASSUMES = "probably, if replies can be used at once; at most, if none can be used at first"
"""What the expected numbers of an estimate and its upper bounds take for granted."""

RETRY_WORDS = 2 * MOST_REPEATED + 20
"""Most words that a refused reply adds to the next try: the reply, the reason for refusing it, and their frame."""

GROWS = 1.5
"""A number that grows so many times as the rehearsed text doubles is taken to grow with the text."""


@dataclass(frozen=True)
class Range:
    """Expected, and at most; `high` is None where there is no upper bound."""

    expected: float = 0
    high: float | None = 0

    def __add__(self, other: "Range") -> "Range":
        high = None if self.high is None or other.high is None else self.high + other.high
        return Range(self.expected + other.expected, high)

    def __mul__(self, factor: float) -> "Range":
        return Range(self.expected * factor, None if self.high is None else self.high * factor)

    def whole(self) -> "Range":
        """The range in whole numbers, as it is told: what may happen is not rounded to nothing."""
        expected = max(1, round(self.expected)) if self.expected else 0
        return Range(expected, None if self.high is None else max(expected, math.ceil(self.high)))

    @property
    def most(self) -> float:
        """The upper bound of a range that has one."""
        assert self.high is not None
        return self.high

    def at_most(self, bound: float | None) -> "Range":
        """The range with this upper bound, such as a budget; None changes nothing."""
        if bound is None:
            return self
        return Range(min(self.expected, bound), bound if self.high is None else min(self.high, bound))


@dataclass(frozen=True)
class Estimate:
    """Calls to a model, words sent, words received. Words received have no upper bound: the model decides.

    `held_words`: those of the words sent that a provider's cache can hold, since an earlier prompt began with them.
    `way`: where a method chooses the one that answers, what that is and why.
    """

    calls: Range = Range()
    input_words: Range = Range()
    output_words: Range = Range()
    held_words: Range = Range()
    way: str = field(default="", kw_only=True)

    def __add__(self, other: "Estimate") -> "Estimate":
        return Estimate(
            self.calls + other.calls,
            self.input_words + other.input_words,
            self.output_words + other.output_words,
            self.held_words + other.held_words,
            way=self.way or other.way,
        )

    def times(self, number: float) -> "Estimate":
        """The estimate for doing the same `number` times."""
        return Estimate(*(part * number for part in self._parts), way=self.way)

    def whole(self) -> "Estimate":
        """The estimate in whole numbers, as it is told."""
        return Estimate(*(part.whole() for part in self._parts), way=self.way)

    @property
    def _parts(self) -> tuple[Range, ...]:
        return self.calls, self.input_words, self.output_words, self.held_words


@dataclass(frozen=True)
class Used:
    """What one rehearsal used, or the mean of several."""

    calls: float = 0
    input_words: float = 0
    output_words: float = 0
    held_words: float = 0

    @staticmethod
    def mean(several: Sequence["Used"]) -> "Used":
        """The mean of several."""
        rows = [(used.calls, used.input_words, used.output_words, used.held_words) for used in several]
        return Used(*(sum(column) / len(rows) for column in zip(*rows, strict=True)))

    @property
    def refused(self) -> "Used":
        """The most that the same calls use if every reply is refused as often as it may be."""
        retried = TRIES * (TRIES - 1) / 2 * RETRY_WORDS * self.calls
        return Used(TRIES * self.calls, TRIES * self.input_words + retried)


def estimate_of(used: Mapping[Kind, Used], context: ReaderContext) -> Estimate:
    """The estimate of what rehearsals with each kind of reply used; a budget bounds the calls."""
    usual = used["usual"]
    if len(used) == 1:
        parts = (usual.calls, usual.input_words, usual.output_words, usual.held_words)
        return Estimate(*(Range(part, None) for part in parts))
    worst = [usual.refused, used["longest"].refused, used["useless"]]
    calls = Range(usual.calls, math.ceil(max(each.calls for each in worst))).at_most(context.max_calls)
    sent = math.ceil(max(each.input_words for each in worst))
    return Estimate(
        calls,
        Range(usual.input_words, sent),
        Range(usual.output_words, None if calls.high else 0),
        Range(usual.held_words, sent),
    )


def extrapolate(half: Used, whole: Used, factor: float, window: int) -> Used:
    """What a text uses that is `factor` times as long as the whole, of which half as much was rehearsed too.

    What does not grow with the text stays; a prompt grows as far as the window holds it.
    """

    def grow(one: float, two: float) -> float:
        return two * factor if two >= GROWS * one else two

    calls = grow(half.calls, whole.calls)
    in_half, in_whole = (used.input_words / max(used.calls, 1) for used in (half, whole))
    sent = calls * min(grow(in_half, in_whole), max(window, in_whole))
    held = whole.held_words / max(whole.input_words, 1) * sent
    return Used(calls, sent, grow(half.output_words, whole.output_words), held)

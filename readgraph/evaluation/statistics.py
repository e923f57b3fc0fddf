"""Means with their spread."""

from collections.abc import Sequence
from statistics import stdev

import numpy as np

SAMPLES = 2000


def deviation(runs: Sequence[float]) -> float | None:
    """The standard deviation of the means of runs; none of a single run."""
    return stdev(runs) if len(runs) > 1 else None


def bootstrap_interval(scores: Sequence[float]) -> tuple[float, float] | None:
    """The 95 % interval of the mean over questions, which are drawn anew; none of a single question."""
    if len(scores) < 2:
        return None
    drawn = np.random.default_rng(0).choice(np.asarray(scores), (SAMPLES, len(scores))).mean(axis=1)
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)

"""Statistics of scores over questions and runs: means, bootstrap intervals, and paired tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from readgraph.evaluation.optional_imports import library

__all__ = ["Difference", "Summary", "compare", "summarise"]

Scores = Mapping[str, float]
"""The scores of one run by question ids, without questions that the metric doesn't apply to."""

Interval = tuple[float, float]

CONFIDENCE = 0.95
RESAMPLES = 9999
AT_ONCE = 500
"""Resamples that are in memory at the same time."""
SEED = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a method's scores: `mean` is the mean over runs of each run's mean over its questions.

    `deviation` is the standard deviation of the runs' means, None for a single run. `interval` is the 95 % bootstrap
    interval of the mean over questions, None for a single question.
    """

    questions: int
    runs: int
    mean: float
    deviation: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Difference:
    """One method minus another on the questions that both have scores for; each question's runs are averaged first.

    `first_better` and `second_better` count the questions on which each has the higher score. `p` is the probability
    of a difference at least as large, in either direction, if for each question it were random which score belongs to
    which method. `interval` as in `Summary`.
    """

    questions: int
    difference: float
    interval: Interval | None
    p: float
    first_better: int
    second_better: int


def summarise(runs: Sequence[Scores]) -> Summary | None:
    """Sum up the scores of a method's runs; None without scores."""
    means = [fmean(run.values()) for run in runs if run]
    if not means:
        return None
    by_question = _by_question(runs)
    return Summary(
        questions=len(by_question),
        runs=len(means),
        mean=fmean(means),
        deviation=stdev(means) if len(means) > 1 else None,
        interval=_interval(np.array([*by_question.values()])),
    )


def compare(first: Sequence[Scores], second: Sequence[Scores]) -> Difference | None:
    """Compare two methods, or two runs, question by question; None if they share no question."""
    left, right = _by_question(first), _by_question(second)
    pairs = np.array([(score, right[question]) for question, score in left.items() if question in right])
    if not len(pairs):
        return None
    differences = pairs[:, 0] - pairs[:, 1]
    return Difference(
        questions=len(pairs),
        difference=float(differences.mean()),
        interval=_interval(differences),
        p=_chance(pairs),
        first_better=int((differences > 0).sum()),
        second_better=int((differences < 0).sum()),
    )


def _by_question(runs: Sequence[Scores]) -> dict[str, float]:
    """The mean over runs of each question: resampling these keeps all runs of a question together.

    They are sorted by question id, since resampling is by position and answers come in any order.
    """
    questions = sorted({question for run in runs for question in run})
    return {question: fmean(run[question] for run in runs if question in run) for question in questions}


def _interval(values: NDArray[Any]) -> Interval | None:
    """The bootstrap percentile interval of the mean over the questions."""
    if len(values) < 2:
        return None
    bootstrap = library("scipy.stats").bootstrap
    settings = {"n_resamples": RESAMPLES, "batch": AT_ONCE, "confidence_level": CONFIDENCE, "rng": SEED}
    low, high = bootstrap((values,), np.mean, method="percentile", **settings).confidence_interval
    return float(low), float(high)


def _chance(pairs: NDArray[Any]) -> float:
    """The p of a two-sided paired permutation test; exact if there are fewer permutations than resamples."""
    if len(pairs) < 2:
        return 1.0

    def difference(first: NDArray[Any], second: NDArray[Any], axis: int) -> Any:
        return np.mean(first - second, axis=axis)

    test = library("scipy.stats").permutation_test
    settings = {"permutation_type": "samples", "vectorized": True, "n_resamples": RESAMPLES, "batch": AT_ONCE}
    return float(test((pairs[:, 0], pairs[:, 1]), difference, rng=SEED, **settings).pvalue)

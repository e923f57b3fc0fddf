"""Statistics of scores over texts, questions and runs: means, bootstrap intervals, and paired tests.

Questions about one text are not independent, so whole texts are drawn (a cluster bootstrap); of fewer than six there is
no interval: it would hold the truth too rarely. With one text the test draws questions, for that text alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ScoreDifference", "ScoreSummary", "compare", "summarise_scores"]

Scores = Mapping[str, float]  # of one run by question ids, without questions that the metric doesn't apply to
Texts = Mapping[str, str]  # the ids of the texts by questions' ids; a question without one is about a text of its own
Interval = tuple[float, float]
CONFIDENCE = 0.95
RESAMPLES = 9999
AT_ONCE = 500  # resamples that are in memory at the same time
SEED = 0
FEWEST_TEXTS = 6  # texts below which there is no interval


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    """The summary of a method's scores: `mean` is the mean over questions, each question's runs averaged first.

    `deviation` is the standard deviation of the runs' means, None for a single run. `interval` is the 95 % bootstrap
    interval of the mean over `texts`, None for fewer than `FEWEST_TEXTS`.
    """

    questions: int
    texts: int
    runs: int
    mean: float
    deviation: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class ScoreDifference:
    """One method minus another on the questions that both have scores for; each question's runs are averaged first.

    `first_better` and `second_better` count the questions on which each has the higher score. `p` is the probability
    of a difference at least as large, in either direction, if for each text it were random which scores belong to
    which method. `interval` and `texts` as in `ScoreSummary`.
    """

    questions: int
    texts: int
    difference: float
    interval: Interval | None
    p: float
    first_better: int
    second_better: int


def summarise_scores(runs: Sequence[Scores], texts: Texts | None = None) -> ScoreSummary | None:
    """Sum up the scores of a method's runs; None without scores."""
    means = [fmean(run.values()) for run in runs if run]
    if not means:
        return None
    by_question = _by_question(runs)
    scores, (of, groups) = np.array([*by_question.values()]), _texts_and_groups([*by_question], texts or {})
    return ScoreSummary(
        questions=len(by_question),
        texts=of,
        runs=len(means),
        mean=fmean(by_question.values()),
        deviation=stdev(means) if len(means) > 1 else None,
        interval=bootstrap_interval(scores, groups) if of >= FEWEST_TEXTS else None,
    )


def compare(first: Sequence[Scores], second: Sequence[Scores], texts: Texts | None = None) -> ScoreDifference | None:
    """Compare two methods, or two runs, question by question; None if they share no question."""
    left, right = _by_question(first), _by_question(second)
    shared = [question for question in left if question in right]
    if not shared:
        return None
    pairs = np.array([(left[question], right[question]) for question in shared])
    differences, (of, groups) = pairs[:, 0] - pairs[:, 1], _texts_and_groups(shared, texts or {})
    return ScoreDifference(
        questions=len(pairs),
        texts=of,
        difference=float(differences.mean()),
        interval=bootstrap_interval(differences, groups) if of >= FEWEST_TEXTS else None,
        p=_chance(pairs, groups),
        first_better=int((differences > 0).sum()),
        second_better=int((differences < 0).sum()),
    )


def pair_methods(one: Sequence[Scores], other: Sequence[Scores], texts: Texts) -> dict[str, Any] | None:
    """The runs of two methods on the questions that both have scores for, the second minus the first; None without."""
    difference = compare(other, one, texts)
    if difference is None:
        return None
    both = {item for run in one for item in run} & {item for run in other for item in run}
    return {
        "questions": difference.questions,
        "means": [fmean(fmean(run[item] for run in runs if item in run) for item in both) for runs in (one, other)],
        "difference": difference.difference,
        "interval": difference.interval,
        "p": difference.p,
        "better": [difference.second_better, difference.first_better],
    }


def _by_question(runs: Sequence[Scores]) -> dict[str, float]:
    """The mean over runs of each question, sorted: resampling is by position, and keeps a question's runs together."""
    questions = sorted({question for run in runs for question in run})
    return {question: fmean(run[question] for run in runs if question in run) for question in questions}


def _texts_and_groups(questions: Sequence[str], texts: Texts) -> tuple[int, NDArray[Any]]:
    """The number of texts, and each question's group, drawn as a whole: its text, or itself where there is one text."""
    # A question without a text may have the id of one.
    known = [(True, texts[question]) if question in texts else (False, question) for question in questions]
    numbers = dict[tuple[bool, str], int]()
    groups = [numbers.setdefault(text, len(numbers)) for text in known]
    return len(numbers), np.array(groups) if len(numbers) > 1 else np.arange(len(questions))


def bootstrap_interval(values: NDArray[Any], groups: NDArray[Any]) -> Interval:
    """The expanded bootstrap percentile interval of questions' mean, by groups (Hesterberg, 2015, section 4.5.3)."""
    from scipy.stats import bootstrap, norm, t

    def mean(sums: NDArray[Any], counts: NDArray[Any], axis: int = -1) -> Any:
        return sums.sum(axis=axis) / counts.sum(axis=axis)

    sums, counts = np.bincount(groups, weights=values), np.bincount(groups)
    wider = sqrt(len(sums) / (len(sums) - 1)) * t.ppf((1 - CONFIDENCE) / 2, len(sums) - 1)
    confidence = min(1 - 2 * norm.cdf(wider), 1 - 2 / RESAMPLES)
    settings = {"n_resamples": RESAMPLES, "batch": AT_ONCE, "confidence_level": confidence, "rng": SEED}
    resampled = bootstrap((sums, counts), mean, paired=True, vectorized=True, method="percentile", **settings)
    return float(resampled.confidence_interval.low), float(resampled.confidence_interval.high)


def _chance(pairs: NDArray[Any], groups: NDArray[Any]) -> float:
    """The p of a two-sided paired permutation test of groups' sums, exact where there are fewer permutations."""
    from scipy.stats import permutation_test

    first, second = (np.bincount(groups, weights=pairs[:, side]) for side in (0, 1))
    if len(first) < 2:
        return 1.0

    def difference(first: NDArray[Any], second: NDArray[Any], axis: int) -> Any:
        return np.sum(first - second, axis=axis)

    settings = {"permutation_type": "samples", "vectorized": True, "n_resamples": RESAMPLES, "batch": AT_ONCE}
    return float(permutation_test((first, second), difference, rng=SEED, **settings).pvalue)

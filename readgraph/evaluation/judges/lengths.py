"""Whether a judge prefers long answers: its scores by the answers' length, beside what they share with references."""

from collections import Counter
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from readgraph.evaluation.metrics.references import compared
from readgraph.evaluation.metrics.squad import normalised
from readgraph.evaluation.optional_imports import library
from readgraph.evaluation.records import Item, Outcome

FEWEST = 12
"""Answers below which lengths say nothing."""

BINS = 3
"""Groups of answers by their length."""


class JudgedAnswer(NamedTuple):
    """An answer's words, the judge's score, and the share of a reference's words that it has, in percent."""

    words: int
    score: float
    shared: float


def by_length(metric: str, items: Mapping[str, Item], judged: Iterable[tuple[Outcome, float]]) -> dict[str, Any] | None:
    """The judge's scores by length, as a plain JSON value; None for fewer answers than `FEWEST`.

    `groups`: about a third of the answers each, with the words `from` and `to`, the number of `answers`, the mean
    `score` and the mean share of the reference's words (`shared`). `preference`: the rank correlation of score and
    length, with that share held equal (from -1 to 1; above 0 long answers score higher); None where it is undefined.
    """
    answers = sorted(
        JudgedAnswer(words, score, _shared(items[outcome.item], outcome))
        for outcome, score in judged
        if (words := outcome.answer_words) and not items[outcome.item].unanswerable
    )
    if len(answers) < FEWEST:
        return None
    bounds = [answers[len(answers) * place // BINS - 1].words for place in range(1, BINS + 1)]
    groups = [
        [answer for answer in answers if low < answer.words <= high]
        for low, high in zip([0, *bounds], bounds, strict=False)
    ]
    return {"metric": metric, "groups": [_group(of) for of in groups if of], "preference": preference(answers)}


def preference(answers: Iterable[JudgedAnswer]) -> float | None:
    """The partial rank correlation of score and length, with the share of the reference's words held equal."""
    ranks = library("scipy.stats").rankdata([*answers], axis=0)
    if (ranks == ranks[0]).all(axis=0)[:2].any():
        return None
    if (ranks[:, 2] == ranks[0, 2]).all():
        return float(np.corrcoef(ranks[:, :2].T)[0, 1])
    (_, length_score, length_shared), (_, _, score_shared), _ = np.corrcoef(ranks.T)
    rest = (1 - length_shared**2) * (1 - score_shared**2)
    return float((length_score - length_shared * score_shared) / rest**0.5) if rest > 1e-9 else None


def _group(answers: list[JudgedAnswer]) -> dict[str, Any]:
    return {
        "from": answers[0].words,
        "to": answers[-1].words,
        "answers": len(answers),
        "score": fmean(answer.score for answer in answers),
        "shared": fmean(answer.shared for answer in answers),
    }


def _shared(item: Item, outcome: Outcome) -> float:
    """The percentage of a reference's words that the answer has, for the reference of which it has most."""
    answer, references = compared(item, outcome)
    said = Counter(normalised(answer))
    wanted = [Counter(normalised(reference)) for reference in references]
    return max((100 * (said & words).total() / words.total() for words in wanted if words), default=0.0)

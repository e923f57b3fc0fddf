"""What judging took and how far it can be trusted, also by the answers' length, for the results of an evaluation."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from readgraph.evaluation.folder import FolderContents
from readgraph.evaluation.judges import calibration
from readgraph.evaluation.line_shapes import COUNTS, whole_cost
from readgraph.evaluation.metrics import Raters, Scores, metrics_for_question, metrics_rated_by
from readgraph.evaluation.metrics.answers import answer_and_references, normalise_words
from readgraph.evaluation.records import Item, Outcome
from readgraph.state.installed import library

FEWEST = 12  # answers below which lengths say nothing
BINS = 3  # groups of answers by their length


class JudgedAnswer(NamedTuple):
    """An answer's words, the judge's score, and the share of a reference's words that it has, in percent."""

    words: int
    score: float
    shared: float


def by_length(metric: str, items: Mapping[str, Item], judged: Iterable[tuple[Outcome, float]]) -> dict[str, Any] | None:
    """The judge's scores by length, as a plain JSON value; None for fewer answers than `FEWEST`.

    `groups`: about a third of the answers each, with words `from` and `to`, mean `score` and mean share of the
    reference's words (`shared`). `preference`: above 0 long answers score higher, that share held equal (from -1 to 1,
    or None).
    """
    answers = sorted(
        JudgedAnswer(words, score, _share_of_reference(items[outcome.item], outcome))
        for outcome, score in judged
        if (words := outcome.answer_words) and not items[outcome.item].unanswerable
    )
    if len(answers) < FEWEST:
        return None
    bounds = [answers[len(answers) * place // BINS - 1].words for place in range(1, BINS + 1)]
    groups = []
    for low, high in pairwise([0, *bounds]):
        if of := [answer for answer in answers if low < answer.words <= high]:
            figures = {"score": fmean(each.score for each in of), "shared": fmean(each.shared for each in of)}
            groups.append({"from": of[0].words, "to": of[-1].words, "answers": len(of), **figures})
    return {"metric": metric, "groups": groups, "preference": preference(answers)}


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


def _share_of_reference(item: Item, outcome: Outcome) -> float:
    """The percentage of a reference's words that the answer has, for the reference of which it has most."""
    answer, references = answer_and_references(item, outcome)
    said = Counter(normalise_words(answer))
    wanted = [Counter(normalise_words(reference)) for reference in references]
    return max((100 * (said & words).total() / words.total() for words in wanted if words), default=0.0)


def summarise_judging(contents: FolderContents, scores: Mapping[str, Scores]) -> dict[str, Any] | None:
    """The total usage of the rater in the folder's record; None if nothing was rated.

    `unrated` counts the answers without a usable rating, `problems` the reasons, `others` names other raters in the
    folder. `calibration` is how far the judge agrees with known verdicts, `lengths` its scores by length; both may be
    None. `unproven` are the metrics whose judge may agree by chance alone.
    """
    dataset, keys = contents.dataset, {one.key for of in contents.outcomes.values() for one in of}
    raters = Raters.of_record(contents.what)
    metrics, rater = raters.metrics_with_model(dataset.metrics), raters.model_names(dataset.metrics)
    judgements = [one for one in contents.judgements if one.rater == rater and one.key in keys]
    if not judgements:
        return None
    line, items = newest_calibration(contents), dataset.by_id
    unrated = [one for one in judgements if metrics_for_question(metrics, items[one.item]) - one.scores.keys()]
    return {
        "rater": rater,
        "judgements": len(judgements),
        "unrated": len(unrated),
        "problems": dict(Counter(one.problem for one in unrated if one.problem)),
        **{name: sum(getattr(one, name) for one in judgements) for name in COUNTS},
        "cost": whole_cost(one.cost for one in judgements),
        "others": sorted({one.rater for one in contents.judgements} - {rater}),
        "calibration": calibration.summarise_calibration(line, calibration.pairs_for(dataset)),
        "unproven": calibration.find_unproven_metrics(line, dataset),
        "lengths": _lengths(contents, scores),
    }


def newest_calibration(contents: FolderContents) -> calibration.Line | None:
    """The newest verdicts of the judge in the folder's record, by the prompts by which it judges; None without any."""
    judge, own = Raters.of_record(contents.what).judge, contents.what.get("own_prompts", {})
    return calibration.find_newest_line(contents.calibrations, judge, calibration.basis(own))


def _lengths(contents: FolderContents, scores: Mapping[str, Scores]) -> dict[str, Any] | None:
    """The scores by length of the first of the judge's metrics that has any."""
    judged = metrics_rated_by("judge", contents.dataset.metrics)
    metric = next((name for name in judged if any(of[name] for of in scores.values())), None)
    if metric is None:
        return None
    answers = [
        (outcome, score)
        for method, outcomes in contents.outcomes.items()
        for outcome in outcomes
        if outcome.status != "failed" and not outcome.by_substitute(contents.model)
        if (score := scores[method][metric].get(outcome.run, {}).get(outcome.item)) is not None
    ]
    return by_length(metric, contents.dataset.by_id, answers)

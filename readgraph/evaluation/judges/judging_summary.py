"""What judging took and how far it can be trusted, for the results of an evaluation."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from readgraph.evaluation.folder.contents import FolderContents
from readgraph.evaluation.folder.usage import COUNTS, whole_cost
from readgraph.evaluation.judges.calibrating import Line, basis, calibrated, newest, pairs_for, unproven
from readgraph.evaluation.judges.lengths import by_length
from readgraph.evaluation.judges.raters import Raters, applying, given_by
from readgraph.evaluation.metrics import Scores
from readgraph.evaluation.records import Dataset


def judging_summed_up(
    dataset: Dataset, contents: FolderContents, scores: Mapping[str, Scores]
) -> dict[str, Any] | None:
    """The total usage of the rater in the folder's record; None if nothing was rated.

    `unrated` counts the answers without a usable rating, and `problems` counts the reasons. `others` names the other
    raters whose judgements the folder holds. `calibration` is how far the judge agrees with known verdicts (see
    `calibrated`), `lengths` its scores by the answers' length (see `by_length`); both may be None. `unproven` are the
    metrics whose judge may agree with known verdicts by chance alone (see `unproven`).
    """
    items, keys = (
        {item.id: item for item in dataset.items},
        {one.key for of in contents.outcomes.values() for one in of},
    )
    raters = Raters.recorded(contents.what)
    metrics, rater = raters.rated(dataset.metrics), raters.named(dataset.metrics)
    judgements = [one for one in contents.judgements if one.rater == rater and one.key in keys]
    if not judgements:
        return None
    line = newest_calibration(contents)
    unrated = [one for one in judgements if applying(metrics, items[one.item]) - one.scores.keys()]
    return {
        "rater": rater,
        "judgements": len(judgements),
        "unrated": len(unrated),
        "problems": dict(Counter(one.problem for one in unrated if one.problem)),
        **{name: sum(getattr(one, name) for one in judgements) for name in COUNTS},
        "cost": whole_cost(one.cost for one in judgements),
        "others": sorted({one.rater for one in contents.judgements} - {rater}),
        "calibration": calibrated(line, pairs_for(dataset)),
        "unproven": unproven(line, dataset),
        "lengths": _lengths(dataset, contents, scores),
    }


def newest_calibration(contents: FolderContents) -> Line | None:
    """The newest verdicts of the judge in the folder's record, by the prompts by which it judges; None without any."""
    judge, own = Raters.recorded(contents.what).judge, contents.what.get("own_prompts", {})
    return newest(contents.calibrations, judge, basis(own))


def _lengths(dataset: Dataset, contents: FolderContents, scores: Mapping[str, Scores]) -> dict[str, Any] | None:
    """The scores by length of the first of the judge's metrics that has any."""
    judged = given_by("judge", dataset.metrics)
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
    return by_length(metric, {item.id: item for item in dataset.items}, answers)

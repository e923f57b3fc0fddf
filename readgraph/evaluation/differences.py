"""Comparison of two evaluations: scores on the questions that both answered, and differences in their settings."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

from readgraph.evaluation.folder import SCORES, EvaluationFolder
from readgraph.evaluation.judges.calibration import find_unproven_metrics
from readgraph.evaluation.judges.summary import newest_calibration
from readgraph.evaluation.records import texts_of
from readgraph.evaluation.results import ScoredEvaluation
from readgraph.evaluation.statistics import compare
from readgraph.sources.loading import printable_path
from readgraph.state.errors import BadInput

Runs = dict[int, dict[str, float]]
"""The scores of one method: by run, then by question."""


def difference_of(one: Path, other: Path) -> dict[str, Any]:
    """The second evaluation minus the first, as a plain JSON value.

    `pairs` has an entry (see `_pair`) for each method that both have; if one method is left over in each, these two
    make a pair too. Its `not_answered` counts the readings that a substitute answered. `differs` holds the names of
    settings and versions that are not the same, with both values; `unproven_judge` says of each whether its judge of
    the metric is (see `unproven`). Raises `BadInput` if the evaluations can't be paired.
    """
    records = [EvaluationFolder(path).what() for path in (one, other)]
    _check_the_same_questions(one, other, records)
    texts = texts_of(EvaluationFolder(one).dataset().items)
    metric, before, unproven_before = _load_leading_scores(one)
    metric_after, after, unproven_after = _load_leading_scores(other)
    if metric != metric_after:
        raise BadInput(
            f"{printable_path(one)} is scored by {metric} and {printable_path(other)} by {metric_after}: run "
            "both again."
        )
    unanswered = [_not_answered(path) for path in (one, other)]
    pairs = [
        {**pair, "not_answered": [count[name] for count, name in zip(unanswered, names, strict=True)]}
        for names in pair_methods(before, after)
        if (pair := _pair(*names, before, after, texts))
    ]
    if not pairs:
        raise BadInput(f"{printable_path(one)} and {printable_path(other)} have no method, or no question, in common.")
    return {
        "folders": [str(one), str(other)],
        "dataset": records[0]["dataset"],
        "metric": metric,
        "unproven_judge": [unproven_before, unproven_after],
        "pairs": pairs,
        "differs": _differs(*records),
    }


def pair_methods(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The methods that both have, and the pair of the methods left over if there is one in each."""
    shared = [(name, name) for name in one if name in other]
    left, right = [name for name in one if name not in other], [name for name in other if name not in one]
    return [*shared, (left[0], right[0])] if len(left) == len(right) == 1 else shared


def _check_the_same_questions(one: Path, other: Path, records: list[dict[str, Any]]) -> None:
    names = [record["dataset"] for record in records]
    if names[0] != names[1]:
        raise BadInput(
            f"{printable_path(one)} is about {names[0]} and {printable_path(other)} about {names[1]}: nothing "
            "to compare."
        )
    if records[0]["file"] and records[1]["file"] and records[0]["file"]["sha256"] != records[1]["file"]["sha256"]:
        raise BadInput(
            f"{printable_path(one)} and {printable_path(other)} were made with different files of questions: "
            "run one again with the same."
        )


def _load_leading_scores(path: Path) -> tuple[str, dict[str, Runs], bool]:
    """The first of a folder's metrics that has scores, its scores by method, and whether its judge is unproven.

    Scores are made from the answers and judgements.
    """
    if not (path / SCORES).exists():
        raise BadInput(
            f"{printable_path(path)} holds no {SCORES}: the evaluation isn't finished; give the same command "
            "again to go on."
        )
    folder = EvaluationFolder(path)
    evaluation = ScoredEvaluation.of(folder.dataset(), folder)
    leading = evaluation.metrics[0]
    marked = leading in find_unproven_metrics(newest_calibration(evaluation), evaluation.dataset)
    return leading, {method: of[leading] for method, of in evaluation.scores.items()}, marked


def _not_answered(path: Path) -> Counter[str]:
    """How many readings of each method a substitute answered."""
    folder = EvaluationFolder(path)
    model = folder.what()["settings"]["model"]
    return Counter(outcome.method for outcome in folder.outcomes() if outcome.by_substitute(model))


def _pair(
    one: str, other: str, before: Mapping[str, Runs], after: Mapping[str, Runs], texts: Mapping[str, str]
) -> dict[str, Any] | None:
    """Two methods on the questions that both have scores for; lists hold the first evaluation's value first."""
    first, second = [*after[other].values()], [*before[one].values()]
    difference = compare(first, second, texts)
    if difference is None:
        return None
    both = {item for run in first for item in run} & {item for run in second for item in run}
    means = [fmean(fmean(run[item] for run in runs if item in run) for item in both) for runs in (second, first)]
    return {
        "methods": [one, other],
        "questions": difference.questions,
        "means": means,
        "difference": difference.difference,
        "interval": difference.interval,
        "p": difference.p,
        "better": [difference.second_better, difference.first_better],
    }


def _differs(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, list[Any]]:
    flat = [_flat(record) for record in (one, other)]
    names = dict.fromkeys([*flat[0], *flat[1]])
    return {name: [record.get(name) for record in flat] for name in names if flat[0].get(name) != flat[1].get(name)}


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """All that figures depend on in one flat dictionary: settings, and versions of prompts and packages."""
    named = {"runs": record["runs"], "judge": record["judge"], "questions": record["questions"], **record["settings"]}
    for group in ("prompts", "packages"):
        named |= {f"{group[:-1]} {name}": version for name, version in record[group].items()}
    return named

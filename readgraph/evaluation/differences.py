"""Comparison of two evaluations: scores on the questions that both answered, and differences in their settings."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from readgraph.evaluation.folder import SCORES, EvaluationFolder
from readgraph.evaluation.judges.calibration import find_unproven_metrics, newest_calibration
from readgraph.evaluation.records import texts_of
from readgraph.evaluation.results import ScoredEvaluation
from readgraph.evaluation.statistics import pair_methods
from readgraph.sources.loading import printable_path
from readgraph.state.errors import BadInput


def difference_of(one: Path, other: Path) -> dict[str, Any]:
    """The second evaluation minus the first, as a plain JSON value.

    `pairs`: see `pair_methods`; `not_answered` counts what a substitute answered. `differs` has both values of settings
    and versions that are not the same, `unproven_judge` whether each one's judge is. Raises `BadInput` without a pair.
    """
    records = [EvaluationFolder(path).what() for path in (one, other)]
    shown = printable_path(one), printable_path(other)
    _check_the_same_questions(*shown, records)
    evaluations = [_load_scored(path) for path in (one, other)]
    metric, metric_after = (evaluation.metrics[0] for evaluation in evaluations)
    if metric != metric_after:
        raise BadInput(f"{shown[0]} is scored by {metric} and {shown[1]} by {metric_after}: run both again.")
    before, after = (evaluation.scores for evaluation in evaluations)
    pairs, texts = list[dict[str, Any]](), texts_of(evaluations[0].dataset.items)
    shared = [(name, name) for name in before if name in after]
    left, right = [name for name in before if name not in after], [name for name in after if name not in before]
    for first, second in [*shared, *([(left[0], right[0])] if len(left) == len(right) == 1 else [])]:
        if pair := pair_methods([*before[first][metric].values()], [*after[second][metric].values()], texts):
            readings = zip(evaluations, (first, second), strict=True)
            unanswered = [sum(one.by_substitute(each.model) for one in each.outcomes[name]) for each, name in readings]
            pairs.append({"methods": [first, second], **pair, "not_answered": unanswered})
    if not pairs:
        raise BadInput(f"{shown[0]} and {shown[1]} have no method, or no question, in common.")
    flat = [_flat(record) for record in records]
    return {
        "folders": [str(one), str(other)],
        "dataset": records[0]["dataset"],
        "metric": metric,
        "unproven_judge": [
            metric in find_unproven_metrics(newest_calibration(each), each.dataset) for each in evaluations
        ],
        "pairs": pairs,
        "differs": {
            name: [record.get(name) for record in flat]
            for name in dict.fromkeys([*flat[0], *flat[1]])
            if flat[0].get(name) != flat[1].get(name)
        },
    }


def _check_the_same_questions(one: str, other: str, records: list[dict[str, Any]]) -> None:
    names = [record["dataset"] for record in records]
    if names[0] != names[1]:
        raise BadInput(f"{one} is about {names[0]} and {other} about {names[1]}: nothing to compare.")
    if records[0]["file"] and records[1]["file"] and records[0]["file"]["sha256"] != records[1]["file"]["sha256"]:
        raise BadInput(f"{one} and {other} were made with different files of questions: run one again with the same.")


def _load_scored(path: Path) -> ScoredEvaluation:
    if not (path / SCORES).exists():
        raise BadInput(
            f"{printable_path(path)} holds no {SCORES}: the evaluation isn't finished; give the same command "
            "again to go on."
        )
    folder = EvaluationFolder(path)
    return ScoredEvaluation.of(folder.dataset(), folder)


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """All that figures depend on in one flat dictionary: settings, and versions of prompts and packages."""
    named = {"runs": record["runs"], "judge": record["judge"], "questions": record["questions"], **record["settings"]}
    for group in ("prompts", "packages"):
        named |= {f"{group[:-1]} {name}": version for name, version in record[group].items()}
    return named

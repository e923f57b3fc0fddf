"""A replayed run beside the published one: the same answers, the same scores, or where they differ."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readgraph.evaluation.folder.evaluation_folder import SCORES, EvaluationFolder
from readgraph.evaluation.publishing.published_run import Key, published_answers, published_judgements, published_scores
from readgraph.evaluation.records import Outcome

COMPARED = ("status", "choice", "answer", "by_rule")
"""What must be the same in an answer."""

Scores = dict[tuple[str, ...], str]


@dataclass(frozen=True)
class Compared:
    """How many answers and scores were compared, and a line for each that differs: answers first, with the reason."""

    answers: int
    scores: int
    differences: tuple[str, ...]

    @property
    def equal(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    def value(self) -> dict[str, Any]:
        """The comparison as a plain JSON value."""
        return {"equal": self.equal, "answers": self.answers, "scores": self.scores, "differences": [*self.differences]}


def compared(theirs: Path, folder: EvaluationFolder) -> Compared:
    """Compare a replayed evaluation with the published run."""
    answers = published_answers(theirs)
    ours = {outcome.key: outcome for outcome in folder.outcomes()}
    of_answers, of_scores = [], []
    for key in answers.keys() | ours.keys():
        mine = ours.get(key)
        if told := _difference(answers.get(key), _line(mine) if mine else None):
            why = f" ({mine.problem})" if mine and mine.problem else ""
            of_answers.append(f"{_named(key)}: {told}{why}")
    published, replayed = _scores(published_scores(theirs)), _scores((folder.path / SCORES).read_text("utf-8"))
    for name in published.keys() | replayed.keys():
        one, other = published.get(name, "none"), replayed.get(name, "none")
        if one != other:
            of_scores.append(f"{' '.join(name)}: {one} published, {other} replayed")
    return Compared(len(answers), len(published), (*sorted(of_answers), *sorted(of_scores)))


def keep_published_judgements(theirs: Path, folder: EvaluationFolder) -> None:
    """Keep the published judgements of the answers that are the same: what a judge said is taken over, not asked."""
    answers, ours = published_answers(theirs), {outcome.key: outcome for outcome in folder.outcomes()}
    kept = {(judgement.key, judgement.rater) for judgement in folder.judgements()}
    for judgement in published_judgements(theirs):
        mine = ours.get(judgement.key)
        same = mine and not _difference(answers.get(judgement.key), _line(mine))
        if same and (judgement.key, judgement.rater) not in kept:
            folder.keep_judgement(judgement)


def _line(outcome: Outcome) -> dict[str, Any]:
    return {**outcome.line(), "answer": outcome.answer if outcome.choice is None else None}


def _difference(published: Mapping[str, Any] | None, replayed: Mapping[str, Any] | None) -> str:
    if published is None or replayed is None:
        return "is only in the published run" if published else "is only in the replayed run"
    differing = [name for name in COMPARED if published.get(name) != replayed.get(name)]
    return f"another {' and '.join(differing)}" if differing else ""


def _named(key: Key) -> str:
    method, run, item = key
    return f"{method} run {run} {item}"


def _scores(text: str) -> Scores:
    """Every score by method, run, item and metric."""
    names = ("method", "run", "item", "metric")
    return {tuple(row[name] for name in names): row["score"] for row in csv.DictReader(io.StringIO(text))}

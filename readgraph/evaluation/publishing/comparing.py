"""A replayed run beside the published one: whether all that can be recomputed is the same, or where it differs."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import isclose
from pathlib import Path
from typing import Any

from langgraph.store.memory import InMemoryStore

from readgraph.evaluation.folder.evaluation_folder import EvaluationFolder
from readgraph.evaluation.judges.exchanged import exchanges_of
from readgraph.evaluation.judges.judging import judge
from readgraph.evaluation.judges.raters import Raters
from readgraph.evaluation.metrics import METRICS
from readgraph.evaluation.publishing.published_run import ANSWER_FIELDS, FOLLOWS, RUN, published_answer, scores_of
from readgraph.evaluation.publishing.reading_runs import (
    Key,
    RunRecord,
    published_answers,
    published_judgements,
    published_scores,
    run_of,
)
from readgraph.evaluation.records import Dataset, Judgement, Outcome
from readgraph.evaluation.results.figures import results_of
from readgraph.models.replies.message import ModelReply
from readgraph.models.replies.replaying import PublishedByPrompt, replaying
from readgraph.state.context import ReaderContext
from readgraph.state.errors import ReadgraphError

COMPARED = ("answer", *ANSWER_FIELDS[3:])
"""What must be the same in an answer: all but its item, method and run, which name it."""

EXACT, OF_EMBEDDINGS = 1e-6, 0.1
"""By how much two scores may differ that are the same; servers of embeddings round."""

Named = tuple[Any, ...]


@dataclass(frozen=True)
class Compared:
    """How many answers, scores, and figures of run.json were compared, and a line for each that differs.

    Differences of answers come first, with the reason, then those of judgements, scores and figures.
    """

    answers: int
    scores: int
    figures: int
    differences: tuple[str, ...]

    @property
    def equal(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    def value(self) -> dict[str, Any]:
        """The comparison as a plain JSON value."""
        counts = {"answers": self.answers, "scores": self.scores, "figures": self.figures}
        return {"equal": self.equal, **counts, "differences": [*self.differences]}


def compared(theirs: Path, folder: EvaluationFolder) -> Compared:
    """Compare a replayed evaluation with the published run."""
    answers, scores = published_answers(theirs), published_scores(theirs)
    ours = {outcome.key: outcome for outcome in folder.outcomes()}
    figures = _stated(run_of(theirs))
    differences = (
        _of_answers(answers, ours),
        _of_judgements(theirs, folder),
        _differing(scores, published_scores(folder.path), "published", "replayed", _same_score),
        _differing(figures, _followed(folder), f"in {RUN}", "recomputed", _same_figure),
    )
    return Compared(len(answers), len(scores), len(figures), tuple(line for of in differences for line in sorted(of)))


async def judge_again(theirs: Path, dataset: Dataset, folder: EvaluationFolder, rater: ReaderContext) -> None:
    """Judge the answers that are the same by the judge's published replies; the published scores are not taken over.

    What rests on embeddings is asked of that model again, as its vectors are not published.
    """
    answers, ours = published_answers(theirs), {outcome.key: outcome for outcome in folder.outcomes()}
    items, model = {item.id: item for item in dataset.items}, str(folder.what()["settings"]["model"])
    metrics, name = Raters.of(rater).rated(dataset.metrics), Raters.of(rater).named(dataset.metrics)
    rater = replace(rater, reply_form="json_schema")  # in which a judge's replies are kept
    for judgement in published_judgements(theirs):
        mine = ours.get(judgement.key)
        if mine is None or mine.status == "failed" or judgement.rater != name:
            continue
        if mine.item in items and not _difference(answers.get(mine.key), mine):
            with replaying(_replies_in(judgement)), exchanges_of(rater):
                try:
                    again = await judge(items[mine.item], mine.by_method(model), metrics, rater, InMemoryStore())
                except ReadgraphError:
                    continue  # it has no score then, which differs from the published one
            if again:
                folder.keep_judgement(replace(again, rater=name))


def _replies_in(judgement: Judgement) -> PublishedByPrompt:
    """The judge's replies in a judgement, by the names of their prompts, in the order of the references or points."""
    replies = defaultdict[str, list[ModelReply]](list)
    for name, said in judgement.said.items():
        replies[name.partition(" ")[0]].append(ModelReply(said, False))
    return PublishedByPrompt(replies)


def _of_answers(published: Mapping[Key, Any], ours: Mapping[Key, Outcome]) -> Iterator[str]:
    for key in published.keys() | ours.keys():
        mine = ours.get(key)
        if told := _difference(published.get(key), mine):
            why = f" ({mine.problem})" if mine and mine.problem else ""
            yield f"{_named(key)}: {told}{why}"


def _difference(published: Mapping[str, Any] | None, replayed: Outcome | None) -> str:
    if published is None or replayed is None:
        return "is only in the published run" if published else "is only in the replayed run"
    mine = json.loads(json.dumps(published_answer(replayed)))
    differing = [name for name in COMPARED if published[name] != mine[name]]
    return f"another {' and '.join(differing)}" if differing else ""


def _of_judgements(theirs: Path, folder: EvaluationFolder) -> Iterator[str]:
    """The judgements whose scores are not those that follow from the judge's replies."""
    again = {(one.key, one.rater): one.scores for one in folder.judgements()}
    for one in published_judgements(theirs):
        scores = again.get((one.key, one.rater))
        if scores is not None and (
            told := [*_differing(one.scores, scores, "published", "by its replies", _same_figure)]
        ):
            yield f"{_named(one.key)}: {'; '.join(told)}"


def _stated(run: RunRecord) -> dict[Named, Any]:
    """What run.json says and follows from the other files, by its place there."""
    calls = {method: of["calls"] for method, of in run["use"].items()}
    return _flat({name: run.get(name) for name in FOLLOWS}, run["scores"], calls)


def _followed(folder: EvaluationFolder) -> dict[Named, Any]:
    """What run.json has to say by the replayed evaluation."""
    results = results_of(folder.dataset(), folder)
    calls = {row["method"]: row["figures"]["calls"] for row in results["methods"]}
    return _flat({name: results["what"].get(name) for name in FOLLOWS}, scores_of(results), calls)


def _flat(
    what: Mapping[str, Any], scores: Mapping[str, Mapping[str, float]], calls: Mapping[str, float | None]
) -> dict[Named, Any]:
    flat: dict[Named, Any] = {(name,): value for name, value in what.items()}
    flat |= {(method, name): mean for method, of in scores.items() for name, mean in of.items()}
    return flat | {(method, "calls"): of for method, of in calls.items()}


def _differing(
    one: Mapping[Any, Any],
    other: Mapping[Any, Any],
    of_one: str,
    of_other: str,
    same: Callable[[Any, Any, Any], bool],
) -> Iterator[str]:
    for name in one.keys() | other.keys():
        if not same(name, first := one.get(name), second := other.get(name)):
            called = name if isinstance(name, str) else " ".join(name)
            yield f"{called}: {_shown(first)} {of_one}, {_shown(second)} {of_other}"


def _same_score(name: Named, one: float | None, other: float | None) -> bool:
    metric = METRICS.get(name[-1])
    within = OF_EMBEDDINGS if metric and metric.rater == "embeddings" else EXACT
    return one is not None and other is not None and isclose(one, other, rel_tol=0, abs_tol=within)


def _same_figure(name: Any, one: Any, other: Any) -> bool:
    if isinstance(one, int | float) and isinstance(other, int | float):
        return _same_score(name if isinstance(name, tuple) else (name,), one, other)
    return bool(one == other)


def _shown(value: Any) -> str:
    if isinstance(value, Iterable) and not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return "none" if value in (None, "") else str(value)


def _named(key: Key) -> str:
    method, run, item = key
    return f"{method} run {run} {item}"

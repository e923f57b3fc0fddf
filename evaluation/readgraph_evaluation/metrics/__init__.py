"""The metrics, by name, and the raters: the models for the metrics that need one."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from readgraph import BadInput, ReaderContext
from readgraph.state.files import read_package_toml
from readgraph_evaluation.metrics import answers, benchmarks
from readgraph_evaluation.records import EVENT_ORDERING, Item, Outcome

Rater = Literal["judge", "embeddings"]  # what gives a score: a model that judges, or an embedding model that compares
Scores = dict[str, dict[int, dict[str, float]]]  # the scores of one method, by metric, run and question


@dataclass(frozen=True)
class Metric:
    """A score from 0 to 100, or None where it doesn't apply.

    It is given by `score`, by a `rater`, by `all_of` an episode's steps, or by ranks among a run's outcomes (`of_run`).
    """

    name: str
    line: str
    score: Callable[[Item, Outcome], float | None] | None = None
    rater: Rater | None = None
    all_of: str = ""
    of_run: Callable[[Sequence[tuple[Item, Outcome]]], dict[str, float]] | None = None

    def score_best(self, item: Item, outcome: Outcome) -> float | None:
        """An outcome's score, or that of the best of its alternatives; None where no function gives one."""
        if self.score is None:
            return None
        outcomes = [replace(outcome, answer=answer, choice=choice) for answer, choice in outcome.alternatives]
        scores = [score for one in outcomes or [outcome] if (score := self.score(item, one)) is not None]
        return max(scores, default=None)


SCORES = {
    measure.__name__: measure
    for measure in (
        *(answers.accuracy, answers.exact_match, answers.f1, answers.bleu_1, answers.substring_accuracy),
        *(answers.subspan_accuracy, answers.abstention, answers.evidence_recall, answers.evidence_density),
        *(answers.citation_precision, benchmarks.locomo_f1, benchmarks.aggregation, benchmarks.pairs_f1),
        *(benchmarks.named, benchmarks.infinite_bench, benchmarks.longmemeval_v2, benchmarks.element_accuracy),
        *(benchmarks.operation_f1, benchmarks.step_success),
    )
}
SCORES_OF_RUNS = {each.__name__: each for each in (answers.abstention_at_coverage, answers.abstention_auroc)}


def _declared(name: str, line: str, rouge: Sequence[str] = (), **about: Any) -> Metric:
    score = answers.rouge(*rouge) if rouge else SCORES.get(name)
    return Metric(name, line, score, of_run=SCORES_OF_RUNS.get(name), **about)


METRICS = {name: _declared(name, **about) for name, about in read_package_toml(__package__, "metrics.toml").items()}


class Raters(NamedTuple):
    """The names of the models that rate, or None: one judges, the other compares by embeddings."""

    judge: str | None
    embeddings: str | None

    @classmethod
    def of(cls, context: ReaderContext) -> "Raters":
        """The raters of a context: its model judges, whatever else it does."""
        return cls(context.model, context.embeddings)

    @classmethod
    def of_record(cls, what: dict[str, Any]) -> "Raters":
        """The raters in an evaluation's record (see `EvaluationFolder.what`)."""
        return cls(what["judge"], what["settings"]["embeddings"])

    def metrics_with_model(self, metrics: Collection[str]) -> list[str]:
        """The metrics whose raters are named."""
        return [name for name in metrics if self._model(name)]

    def model_names(self, metrics: Collection[str]) -> str:
        """The names of the models that rate these metrics, as in `Judgement.rater`."""
        return ", ".join(sorted({model for name in metrics if (model := self._model(name))}))

    def _model(self, metric: str) -> str | None:
        rater = METRICS[metric].rater
        return self.judge if rater == "judge" else self.embeddings if rater == "embeddings" else None


def metrics_rated_by(rater: Rater, metrics: Collection[str]) -> list[str]:
    """The metrics that this kind of rater gives."""
    return [name for name in metrics if METRICS[name].rater == rater]


def check_raters(metrics: Collection[str], context: ReaderContext) -> None:
    """Raise `BadInput` if a metric needs a model that the context does not name."""
    for metric in map(METRICS.__getitem__, metrics):
        if metric.rater == "judge" and not context.model:
            raise BadInput(f"{metric.name} needs a model as judge: name one with --judge.")
        if metric.rater == "embeddings" and not context.embeddings:
            raise BadInput(f"{metric.name} needs an embedding model: name one with --embeddings.")


def metrics_for_question(metrics: Collection[str], item: Item) -> set[str]:
    """The metrics that need a rater and apply to the question."""
    return {name for name in metrics if _applies(name, item)}


def _applies(name: str, item: Item) -> bool:
    if METRICS[name].rater is None:
        return False
    if name == "judged_accuracy":  # whether a question is unanswerable is judged, too, where the dataset says why it is
        return bool(item.references) and not item.options
    if name in ("beam_score", "nuggets"):
        return bool(item.rubric)
    if name == "event_order":
        return bool(item.rubric) and item.category == EVENT_ORDERING
    if item.unanswerable:
        return False
    return bool(item.about if name in ("csim_1", "csim_3") else item.references)

"""The metrics, by name, and the raters: the models for the metrics that need one."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from readgraph import BadInput, ReaderContext
from readgraph_evaluation.metrics import answers, benchmarks
from readgraph_evaluation.metrics.answers import rouge
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


METRICS = {
    metric.name: metric
    for metric in (
        Metric("accuracy", "The right option was chosen.", answers.accuracy),
        Metric("exact_match", "The answer is a reference word for word, normalised as in SQuAD.", answers.exact_match),
        Metric("f1", "Words shared with a reference, normalised as in SQuAD.", answers.f1),
        Metric("locomo_f1", "LoCoMo's official score, by the question's category.", benchmarks.locomo_f1),
        Metric("bleu_1", "Words of the answer that a reference contains, normalised as in GAM.", answers.bleu_1),
        Metric("rouge_1", "Words shared with a reference.", rouge("rouge1", "fmeasure")),
        Metric("rouge_2", "Pairs of words shared with a reference.", rouge("rouge2", "fmeasure")),
        Metric("rouge_l", "Longest common subsequence with a reference.", rouge("rougeL", "fmeasure")),
        Metric("rouge_l_precision", "Share of the answer in that subsequence.", rouge("rougeL", "precision")),
        Metric("rouge_l_recall", "Share of a reference in that subsequence.", rouge("rougeL", "recall")),
        Metric("substring_accuracy", "References that the answer contains, as in RULER.", answers.substring_accuracy),
        Metric(
            "subspan_accuracy", "A reference within the answer, as in Lost in the Middle.", answers.subspan_accuracy
        ),
        Metric(
            "aggregation", "Counts (nearly right ones in part), lists, labels, as in OOLONG.", benchmarks.aggregation
        ),
        Metric("pairs_f1", "Pairs of ids shared with the reference, as in OOLONG-Pairs.", benchmarks.pairs_f1),
        Metric("named", "All that the right answer names, and little else.", benchmarks.named),
        Metric("infinite_bench", "∞Bench's official score, by the task.", benchmarks.infinite_bench),
        Metric("longmemeval_v2", "LongMemEval-V2's official score, without a judge.", benchmarks.longmemeval_v2),
        Metric("abstention", "Unanswerable questions correctly declined.", answers.abstention),
        Metric(
            "abstention_at_coverage",
            "Unanswerable questions among the least sure answers, as many as have no answer.",
            of_run=answers.abstention_at_coverage,
        ),
        Metric("abstention_auroc", "Less sure of the unanswerable questions.", of_run=answers.abstention_auroc),
        Metric("evidence_recall", "Pieces of evidence that were read or cited.", answers.evidence_recall),
        Metric("evidence_density", "Evidence that was read, by 1,000 words shown.", answers.evidence_density),
        Metric("citation_precision", "Citations that overlap evidence.", answers.citation_precision),
        Metric("element_accuracy", "One of the right elements of a web page was chosen.", benchmarks.element_accuracy),
        Metric("operation_f1", "Words of operation and value shared with the right ones.", benchmarks.operation_f1),
        Metric("step_success", "Element, operation and value are right.", benchmarks.step_success),
        Metric("episode_success", "All steps of an episode are right.", all_of="step_success"),
        Metric("judged_accuracy", "The answer is right, by the rule for its kind of question.", rater="judge"),
        Metric("beam_score", "BEAM's official score: the rubric's points, or the events' order.", rater="judge"),
        Metric("nuggets", "Points of the rubric that the answer meets, some of them in part.", rater="judge"),
        Metric("event_order", "The events are in their order (Kendall's tau).", rater="judge"),
        Metric("lr_1", "The answer matches a reference, by ReadAgent's raters.", rater="judge"),
        Metric("lr_2", "The answer matches a reference at least in part, by the same raters.", rater="judge"),
        Metric("dmr_accuracy", "The answer agrees with a reference, by MemGPT's judge.", rater="judge"),
        Metric("csim_1", "Similarity to the closest fact.", rater="embeddings"),
        Metric("csim_3", "Similarity to the three closest facts, on average.", rater="embeddings"),
        Metric("csim_h", "Similarity to a reference.", rater="embeddings"),
    )
}


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

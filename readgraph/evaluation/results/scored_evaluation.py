"""An evaluation with the scores of its outcomes, loaded once from its folder: the source of all results."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from readgraph.evaluation.folder.contents import FolderContents
from readgraph.evaluation.folder.evaluation_folder import EvaluationFolder
from readgraph.evaluation.metrics import Scores
from readgraph.evaluation.records import Dataset, Outcome
from readgraph.evaluation.results.figures import summed_up
from readgraph.evaluation.results.scores import scores_by_method


@dataclass(frozen=True)
class ScoredEvaluation:
    """`results` are those of results.json; `outcomes` and `scores` are by method; `memories` are the finished ones."""

    dataset: Dataset
    results: dict[str, Any]
    outcomes: dict[str, list[Outcome]]
    scores: dict[str, Scores]
    memories: list[dict[str, Any]]

    @property
    def model(self) -> str:
        """The model of the readings; "" for none."""
        return str(self.results["what"]["settings"]["model"])

    @property
    def methods(self) -> list[dict[str, Any]]:
        """The results of each method."""
        return list(self.results["methods"])

    @property
    def metrics(self) -> list[str]:
        """The dataset's metrics that have scores (one that needs a judge may have none), the leading one first."""
        scored = {name for method in self.methods for name in method["metrics"]}
        return [name for name in self.dataset.metrics if name in scored] or [self.dataset.metrics[0]]

    @property
    def leading(self) -> str:
        """The leading metric."""
        return self.metrics[0]

    def score(self, outcome: Outcome, metric: str) -> float | None:
        """An outcome's score; None if the metric doesn't apply to the question or the outcome was not rated."""
        return self.scores[outcome.method][metric].get(outcome.run, {}).get(outcome.item)

    def each_score(self) -> Iterator[tuple[Outcome, str, float]]:
        """Every outcome with each of its scores, method by method."""
        for outcomes in self.outcomes.values():
            for outcome in outcomes:
                for metric in self.dataset.metrics:
                    if (score := self.score(outcome, metric)) is not None:
                        yield outcome, metric, score


def scored_evaluation(dataset: Dataset, folder: EvaluationFolder) -> ScoredEvaluation:
    """Load a folder's contents about the questions of a dataset."""
    contents = FolderContents.of(dataset, folder)
    scores = scores_by_method(dataset, contents)
    built = [memory for memory in contents.memories if "memory" in memory]
    return ScoredEvaluation(dataset, summed_up(dataset, contents, scores), contents.outcomes, scores, built)

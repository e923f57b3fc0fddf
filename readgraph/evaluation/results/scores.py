"""The scores of an evaluation's answers: by the metrics themselves, and by the judgements in its folder."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from readgraph.evaluation.folder.contents import FolderContents
from readgraph.evaluation.judges.raters import Raters, applying
from readgraph.evaluation.metrics import METRICS, Scores
from readgraph.evaluation.records import Dataset, Item, Judgement, Outcome
from readgraph.evaluation.results.episodes import whole_episodes

RIGHT = 50.0
"""An answer with at least this score counts as right in figures that need a yes or no."""


def scores_by_method(dataset: Dataset, contents: FolderContents) -> dict[str, Scores]:
    """The scores of each method's outcomes, by the raters that the folder's record names."""
    rater = Raters.recorded(contents.what).named(dataset.metrics)
    judgements = [judgement for judgement in contents.judgements if judgement.rater == rater]
    return {name: scores_of(dataset, of, judgements, contents.model) for name, of in contents.outcomes.items()}


def scores_of(dataset: Dataset, outcomes: Iterable[Outcome], judgements: Iterable[Judgement], model: str) -> Scores:
    """The scores of one method's outcomes; a failed one scores 0 by each metric that applies to the question.

    So does the answer of a substitute, which stood in for a `model` ("" for none): only its pages read count.
    """
    items = {item.id: item for item in dataset.items}
    judged = {judgement.key: judgement.scores for judgement in judgements}
    rated = {name for scores in judged.values() for name in scores}
    scores: Scores = {name: defaultdict(dict) for name in dataset.metrics}
    for outcome in outcomes:
        if outcome.item not in items:
            continue
        failed = dict.fromkeys(applying(rated, items[outcome.item]), 0.0)
        given = failed if outcome.status == "failed" else judged.get(outcome.key, {})
        if outcome.by_substitute(model):
            given = dict.fromkeys(given, 0.0)
        for name in dataset.metrics:
            score = _score(name, items[outcome.item], outcome.by_method(model), given)
            if score is not None:
                scores[name][outcome.run][outcome.item] = score
    for name in dataset.metrics:
        if METRICS[name].all_of:
            scores[name] |= whole_episodes(scores[METRICS[name].all_of], items)
    return scores


def leading(scores: Scores) -> dict[int, dict[str, float]]:
    """The scores of the first metric that has any: a metric that needs a judge may have none."""
    return next((by_run for by_run in scores.values() if by_run), {})


def _score(name: str, item: Item, outcome: Outcome, judged: Mapping[str, float]) -> float | None:
    measure = METRICS[name].score
    score = measure(item, outcome) if measure else judged.get(name)
    return 0.0 if score is not None and outcome.status == "failed" else score

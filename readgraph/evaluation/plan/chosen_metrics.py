"""The metrics that a user chooses for an evaluation, in place of the dataset's."""

from dataclasses import replace

from readgraph.evaluation.judges.raters import applying
from readgraph.evaluation.metrics import METRICS
from readgraph.evaluation.records import Dataset, Item, Outcome, Span, WebActed
from readgraph.state.errors import BadInput


def with_metrics(dataset: Dataset, names: str) -> Dataset:
    """The dataset scored by these metrics, with commas between them; the first leads.

    Raises `BadInput` for an unknown metric, and for one that applies to none of the questions.
    """
    chosen = tuple(dict.fromkeys(filter(None, map(str.strip, names.split(",")))))
    if not chosen:
        raise BadInput("There is no metric to show: name one with --metrics, or leave it out.")
    if unknown := [name for name in chosen if name not in METRICS]:
        raise BadInput(f"There is no metric '{unknown[0]}': choose among {', '.join(METRICS)}.")
    for name in chosen:
        if not any(_applies(name, item) for item in dataset.items):
            raise BadInput(f"{name} scores none of the questions of {dataset.name}: leave it out.")
    return replace(dataset, metrics=chosen)


def _applies(name: str, item: Item) -> bool:
    """Whether a metric may score an answer to the question."""
    metric = METRICS[name]
    if metric.all_of:
        return _applies(metric.all_of, item)
    if metric.rater:
        return bool(applying([name], item))
    somewhere = (Span(0, 1),)
    acted = WebActed("0", "click")
    outcome = Outcome(item.id, "", 0, "answered", "0", 0, read=somewhere, cited=somewhere, action=acted)
    return metric.score is not None and metric.score(item, outcome) is not None

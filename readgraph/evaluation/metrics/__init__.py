"""What is measured of an answer: each metric by its name."""

from collections.abc import Callable
from dataclasses import dataclass

from readgraph.evaluation.metrics.choices import accuracy
from readgraph.evaluation.records import Item, Outcome


@dataclass(frozen=True)
class Metric:
    """A score of an outcome from 0 to 100, or none where the metric does not apply to the item; higher is better.

    Failed outcomes are scored 0 before they come here.
    """

    name: str
    line: str
    score: Callable[[Item, Outcome], float | None]


METRICS = {metric.name: metric for metric in (Metric("accuracy", "The right option was chosen.", accuracy),)}

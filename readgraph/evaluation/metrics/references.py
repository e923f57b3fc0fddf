"""Comparison of an answer with the reference answers, shared by the metrics of free answers."""

from collections.abc import Callable

from readgraph.evaluation.records import Item, Outcome


def best_of_references(item: Item, outcome: Outcome, score: Callable[[str, str], float]) -> float | None:
    """The best score of (answer, reference) over the references, in percent; `score` is from 0 to 1. 0 without answer.

    None without references, and for unanswerable questions.
    """
    if item.unanswerable or not item.references:
        return None
    answer = outcome.answer or ""
    return 100 * max(score(answer, reference) for reference in item.references) if answer.strip() else 0.0

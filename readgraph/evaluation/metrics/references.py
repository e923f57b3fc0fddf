"""An answer beside the reference answers: what the metrics of free answers share."""

from collections.abc import Callable

from readgraph.evaluation.records import Item, Outcome


def best_of_references(item: Item, outcome: Outcome, score: Callable[[str, str], float]) -> float | None:
    """The best of the scores of (answer, reference), which are from 0 to 1, in percent; 0 where there is no answer.

    None where the item has no references, or is unanswerable.
    """
    if item.unanswerable or not item.references:
        return None
    answer = outcome.answer or ""
    return 100 * max(score(answer, reference) for reference in item.references) if answer.strip() else 0.0

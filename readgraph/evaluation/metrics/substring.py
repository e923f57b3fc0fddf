"""RULER's string match: the reference answers that stand in the answer word for word (Hsieh et al., 2024)."""

from readgraph.evaluation.records import Item, Outcome


def substring_accuracy(item: Item, outcome: Outcome) -> float | None:
    """100 where any of the references stands in the answer, whatever the case of its letters, else 0.

    Of an item whose references go together, the percentage of them that do. None without references, and for what is
    unanswerable.
    """
    if item.unanswerable or not item.references:
        return None
    answer = (outcome.answer or "").lower()
    found = [reference.lower() in answer for reference in item.references]
    return 100 * sum(found) / len(found) if item.together else 100.0 * any(found)

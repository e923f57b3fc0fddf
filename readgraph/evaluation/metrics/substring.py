"""RULER's string match: whether the answer contains the reference answers literally (Hsieh et al., 2024)."""

from readgraph.evaluation.records import Item, Outcome


def substring_accuracy(item: Item, outcome: Outcome) -> float | None:
    """100 if the answer contains any of the references (ignoring case), else 0.

    If the references go together, the percentage that it contains. None without references, and for unanswerable
    questions.
    """
    if item.unanswerable or not item.references:
        return None
    answer = (outcome.answer or "").lower()
    found = [reference.lower() in answer for reference in item.references]
    return 100 * sum(found) / len(found) if item.together else 100.0 * any(found)

"""RULER's string match: the reference answers that stand in the answer word for word (Hsieh et al., 2024)."""

from readgraph.evaluation.records import Item, Outcome

ALTERNATIVES = "qa"
"""RULER's tasks of this name give references of which any will do; those of the others are all wanted."""


def substring_accuracy(item: Item, outcome: Outcome) -> float | None:
    """The percentage of the references that stand in the answer, whatever the case of their letters.

    In the category "qa" ("qa_1", …) 100 where any does. None without references, and for what is unanswerable.
    """
    if item.unanswerable or not item.references:
        return None
    answer = (outcome.answer or "").lower()
    found = [reference.lower() in answer for reference in item.references]
    if item.category.startswith(ALTERNATIVES):
        return 100.0 * any(found)
    return 100 * sum(found) / len(found)

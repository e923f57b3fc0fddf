"""Multiple choice: the right option, or not."""

from readgraph.evaluation.records import Item, Outcome


def accuracy(item: Item, outcome: Outcome) -> float | None:
    """100 if the right option was chosen, else 0; None if the question is not a multiple choice."""
    if item.correct is None:
        return None
    return 100.0 * (outcome.choice == item.correct)

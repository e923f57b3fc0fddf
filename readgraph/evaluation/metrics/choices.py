"""Multiple choice: the right option, or not."""

from readgraph.evaluation.records import Item, Outcome

GUESSED = "without a model an option is a guess by shared words, no better than chance"
"""Why there is no accuracy without a model."""


def accuracy(item: Item, outcome: Outcome) -> float | None:
    """100 if the right option was chosen, else 0; None if the question is not a multiple choice.

    None, too, without a model: by words alone a choice is a guess, no better than chance (on QuALITY 20 to 25 %
    of the guesses are right).
    """
    if item.correct is None or outcome.by_rule:
        return None
    return 100.0 * (outcome.choice == item.correct)

"""Unanswerable questions: whether the method says that the text does not answer them."""

from readgraph.evaluation.records import Item, Outcome

NOT_THERE = ("no information available", "not mentioned")
"""The phrases by which LoCoMo's official scoring recognises such an answer."""


def abstention(item: Item, outcome: Outcome) -> float | None:
    """100 if the method says, by its status or in its answer, that the text doesn't hold the answer; else 0.

    None for answerable questions. Unanswerable ones have this metric of their own, since a method that never answers
    would get all of them right.
    """
    if not item.unanswerable:
        return None
    answer = (outcome.answer or "").casefold()
    return 100.0 * (outcome.status == "no_answer" or any(words in answer for words in NOT_THERE))

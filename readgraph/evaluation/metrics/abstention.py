"""Questions that the text does not answer: whether the method says so."""

from readgraph.evaluation.records import Item, Outcome

NOT_THERE = ("no information available", "not mentioned")
"""What an answer says of what the text doesn't hold, as LoCoMo's official scoring looks for it."""


def abstention(item: Item, outcome: Outcome) -> float | None:
    """100 where the method says, by its status or in its answer's words, that the text doesn't hold the answer.

    None where it does hold it: such questions are kept apart, since who never answers would have all of them right.
    """
    if not item.unanswerable:
        return None
    answer = (outcome.answer or "").casefold()
    return 100.0 * (outcome.status == "no_answer" or any(words in answer for words in NOT_THERE))

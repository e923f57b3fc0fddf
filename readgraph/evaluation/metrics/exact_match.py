"""Exact match: the answer is a reference, word for word (SQuAD's official evaluation)."""

from readgraph.evaluation.metrics.references import best_of_references
from readgraph.evaluation.metrics.squad import normalised
from readgraph.evaluation.records import Item, Outcome


def exact_match(item: Item, outcome: Outcome) -> float | None:
    """100 if the answer equals a reference with SQuAD's normalisation, else 0; None without, and if unanswerable."""
    return best_of_references(item, outcome, lambda answer, reference: normalised(answer) == normalised(reference))

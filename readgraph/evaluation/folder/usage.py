"""Counts of the calls to a model, whether their replies were new or recorded."""

from collections.abc import Callable, Iterable, Sequence
from math import fsum

from typing_extensions import TypedDict

from readgraph.models.exchanges import ModelExchange
from readgraph.state.words import count_words

Cost = Callable[[ModelExchange], float | None]
"""The cost of an exchange in dollars, or None if it is unknown."""


COUNTS = ("calls", "input_words", "output_words", "refused")
"""The counts of `Asked`, which can be added up."""


class Asked(TypedDict):
    """Calls, words sent and received, refused replies, and the cost in dollars (None unless it is known for all)."""

    calls: int
    input_words: int
    output_words: int
    refused: int
    cost: float | None


def asked(exchanges: Sequence[ModelExchange], cost: Cost) -> Asked:
    """Count the usage of these exchanges."""
    dollars = whole_cost(map(cost, exchanges))
    return {
        "calls": len(exchanges),
        "input_words": sum(count_words(text) for exchange in exchanges for _, text in exchange["messages"]),
        "output_words": sum(count_words(exchange["reply"]) for exchange in exchanges),
        "refused": sum(exchange["refused"] is not None for exchange in exchanges),
        "cost": None if dollars is None else round(dollars, 6),
    }


def whole_cost(costs: Iterable[float | None]) -> float | None:
    """The sum of these costs; None if any of them is unknown."""
    dollars = list(costs)
    known = [cost for cost in dollars if cost is not None]
    return fsum(known) if len(known) == len(dollars) else None

"""What was asked of a model, whether it was paid for now or before."""

from collections.abc import Callable, Iterable, Sequence
from math import fsum

from typing_extensions import TypedDict

from readgraph.models.exchanges import ModelExchange
from readgraph.state.words import count_words

Cost = Callable[[ModelExchange], float | None]
"""Dollars of an exchange, where they are known."""


COUNTS = ("calls", "input_words", "output_words", "refused")
"""The counts of `Asked`, which can be added up."""


class Asked(TypedDict):
    """Calls, words sent and received, replies that could not be used, and dollars, where those of all are known."""

    calls: int
    input_words: int
    output_words: int
    refused: int
    cost: float | None


def asked(exchanges: Sequence[ModelExchange], cost: Cost) -> Asked:
    """Count what these exchanges took."""
    dollars = whole_cost(map(cost, exchanges))
    return {
        "calls": len(exchanges),
        "input_words": sum(count_words(text) for exchange in exchanges for _, text in exchange["messages"]),
        "output_words": sum(count_words(exchange["reply"]) for exchange in exchanges),
        "refused": sum(exchange["refused"] is not None for exchange in exchanges),
        "cost": None if dollars is None else round(dollars, 6),
    }


def whole_cost(costs: Iterable[float | None]) -> float | None:
    """The sum of these dollars; none where those of any are not known."""
    each = list(costs)
    known = [dollars for dollars in each if dollars is not None]
    return fsum(known) if len(known) == len(each) else None

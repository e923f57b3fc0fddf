"""What was asked of a model, whether it was paid for now or before."""

from collections.abc import Callable, Sequence
from math import fsum

from typing_extensions import TypedDict

from readgraph.nodes.recording import Exchange
from readgraph.state.words import count_words

Cost = Callable[[Exchange], float | None]
"""Dollars of an exchange, where they are known."""


class Asked(TypedDict):
    """Calls, words sent and received, replies that could not be used, and dollars, where those of all are known."""

    calls: int
    input_words: int
    output_words: int
    refused: int
    cost: float | None


def asked(exchanges: Sequence[Exchange], cost: Cost) -> Asked:
    """Count what these exchanges took."""
    costs = [cost(exchange) for exchange in exchanges]
    known = [dollars for dollars in costs if dollars is not None]
    return {
        "calls": len(exchanges),
        "input_words": sum(count_words(text) for exchange in exchanges for _, text in exchange["messages"]),
        "output_words": sum(count_words(exchange["reply"]) for exchange in exchanges),
        "refused": sum(exchange["refused"] is not None for exchange in exchanges),
        "cost": round(fsum(known), 6) if len(known) == len(costs) else None,
    }

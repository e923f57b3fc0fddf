"""Reciprocal rank fusion: one ranking from several whose scores can't be compared."""

from collections.abc import Iterable, Sequence
from itertools import islice

from readgraph.state.search.entries import Hit

RANK_CONSTANT = 60
"""The usual constant of reciprocal rank fusion: the larger it is, the less the first ranks stand out."""


DEPTH = 10
"""How many pages of each ranking count. With more, a page low in two rankings beats the first page of one: on LoCoMo's
turns with depth 50, the fused ranking is worse than keyword search alone (`benchmarks/retrieval.py`)."""


def fuse(rankings: Iterable[Sequence[int | Hit]], depth: int = DEPTH) -> list[tuple[int, float]]:
    """(page, score) of the pages among the first `depth` of any ranking, best first; ties in page order.

    A page gets 1 / (60 + rank) from each ranking, with ranks from 1; if a ranking has it twice, the better rank counts.
    """
    scores: dict[int, float] = {}
    for ranking in rankings:
        pages = dict.fromkeys(hit.page if isinstance(hit, Hit) else hit for hit in ranking)
        for rank, page in enumerate(islice(pages, depth), 1):
            scores[page] = scores.get(page, 0.0) + 1 / (RANK_CONSTANT + rank)
    return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))

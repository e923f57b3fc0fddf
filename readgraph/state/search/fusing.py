"""Rankings whose scores can't be compared become one (reciprocal rank fusion)."""

from collections.abc import Iterable, Sequence
from itertools import islice

from readgraph.state.search.entries import Hit

RANK_CONSTANT = 60
"""How much the first ranks count before the later ones: the usual value, which flattens them."""


DEPTH = 10
"""How far each ranking is read. With deep ones, standing anywhere in two rankings counts more than standing first in
one: over LoCoMo's turns, 50 deep, the fused ranking is worse than keyword search alone (`benchmarks/retrieval.py`)."""


def fuse(rankings: Iterable[Sequence[int | Hit]], depth: int = DEPTH) -> list[tuple[int, float]]:
    """(page, score) of the pages among the first `depth` of any ranking, best first; equals in page order.

    A page gets 1 / (60 + rank) of each ranking, ranks counted from 1; where one names it twice, its first place counts.
    """
    scores: dict[int, float] = {}
    for ranking in rankings:
        pages = dict.fromkeys(hit.page if isinstance(hit, Hit) else hit for hit in ranking)
        for rank, page in enumerate(islice(pages, depth), 1):
            scores[page] = scores.get(page, 0.0) + 1 / (RANK_CONSTANT + rank)
    return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))

"""Rankings whose scores can't be compared become one (reciprocal rank fusion)."""

from collections.abc import Iterable, Sequence

from readgraph.state.search.entries import Hit

RANK_CONSTANT = 60
"""How much the first ranks count before the later ones: the usual value, which flattens them."""


def fuse(rankings: Iterable[Sequence[int | Hit]]) -> list[tuple[int, float]]:
    """(page, score) of all pages in any of the rankings, best first; equals in page order.

    A page gets 1 / (60 + rank) of each ranking, ranks counted from 1; where one names it twice, its first place counts.
    """
    scores: dict[int, float] = {}
    for ranking in rankings:
        pages = dict.fromkeys(hit.page if isinstance(hit, Hit) else hit for hit in ranking)
        for rank, page in enumerate(pages, 1):
            scores[page] = scores.get(page, 0.0) + 1 / (RANK_CONSTANT + rank)
    return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))

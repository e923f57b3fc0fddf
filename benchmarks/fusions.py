"""Ways to fuse the ranking by keywords with the one by vectors, for `benchmarks.retrieval`."""

from collections.abc import Callable

from readgraph.library.search.hits import Ranking, fuse, pages_of, score_above_last, score_by_place

RANK_CONSTANT = 60
"""The usual constant of reciprocal rank fusion."""

Fusion = Callable[[Ranking, Ranking], list[int]]


def by_rank(words: Ranking, near: Ranking) -> list[int]:
    """Reciprocal rank fusion of the first ten of both."""
    scores: dict[int, float] = {}
    for ranking in (words, near):
        for rank, page in enumerate(pages_of(ranking[:10]), 1):
            scores[page] = scores.get(page, 0.0) + 1 / (RANK_CONSTANT + rank)
    return sorted(scores, key=lambda page: (-scores[page], page))


def first_of_both(depth: int) -> Fusion:
    """The fusion that readgraph uses, over the first `depth` pages of each ranking."""

    def fused(words: Ranking, near: Ranking) -> list[int]:
        return pages_of(fuse([words[:depth], score_above_last(near[:depth])]))

    return fused


def with_share(share: float) -> Fusion:
    """The same over all pages, with `share` as the weight of keywords and the rest as that of vectors."""

    def fused(words: Ranking, near: Ranking) -> list[int]:
        scores = {page: share * score for page, score in fuse([words])}
        for page, score in fuse([near]):
            scores[page] = scores.get(page, 0.0) + (1 - share) * score
        return sorted(scores, key=lambda page: (-scores[page], page))

    return fused


def vectors_by_place(words: Ranking, near: Ranking) -> list[int]:
    """The fusion that readgraph uses, if the second ranking has no scores, as from a retriever."""
    return pages_of(fuse([words, score_by_place(pages_of(near[:10]))]))


FUSIONS: dict[str, Fusion] = {
    "fused": lambda words, near: pages_of(fuse([words, near])),
    "by rank": by_rank,
    "first 10 of both": first_of_both(10),
    "first 50 of both": first_of_both(50),
    "0.4 of keywords": with_share(0.4),
    "0.6 of keywords": with_share(0.6),
    "vectors by place": vectors_by_place,
}

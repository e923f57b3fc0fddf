"""Provisional."""

from collections.abc import Sequence


def fuse(rankings: Sequence[Sequence[int]], k: int = 60) -> list[tuple[int, float]]:
    scores: dict[int, float] = {}
    for ranking in rankings:
        for place, page in enumerate(ranking, 1):
            scores[page] = scores.get(page, 0.0) + 1 / (k + place)
    return sorted(scores.items(), key=lambda hit: (-hit[1], hit[0]))

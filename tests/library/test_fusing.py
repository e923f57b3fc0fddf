"""Fusion by shares of the best scores: what is good in the rankings is good in the fused one."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readgraph.library.search.hits import Ranking, fuse, pages_of, score_above_last, score_by_place

scores = st.floats(0, 100, allow_subnormal=False)


def as_ranking(scored: dict[int, float]) -> list[tuple[int, float]]:
    return sorted(scored.items(), key=lambda pair: (-pair[1], pair[0]))


ranking = st.dictionaries(st.integers(0, 20), scores, max_size=15).map(as_ranking)
rankings = st.lists(ranking, max_size=4)


def shares(given: Ranking) -> dict[int, float]:
    """Of one ranking whose scores are 0 or more: what its pages get."""
    best = max((score for _, score in given), default=0.0)
    return {page: score / best if best else 1.0 for page, score in given}


def test_two_rankings() -> None:
    assert fuse([[(7, 12.0), (3, 9.0)], [(3, 0.5), (5, 0.25)]]) == [(3, 1.75), (7, 1.0), (5, 0.5)]
    assert fuse([]) == fuse([[], []]) == []


def test_what_scores_nothing_is_as_good_as_not_found() -> None:
    assert fuse([[(1, 4.0), (2, 0.0)], [(3, 1.0)]]) == [(1, 1.0), (3, 1.0), (2, 0.0)]


def test_scores_below_zero_keep_their_order() -> None:
    assert fuse([[(1, -1.0), (2, -3.0), (3, -5.0)]]) == [(1, 1.0), (2, 0.5), (3, 0.0)]
    assert fuse([[(1, -1.0)]]) == [(1, 1.0)]


@given(rankings)
def test_all_pages_come_once_in_order(given: list[Ranking]) -> None:
    fused = fuse(given)
    assert sorted(pages_of(fused)) == sorted({page for ranking in given for page in pages_of(ranking)})
    assert fused == sorted(fused, key=lambda scored: (-scored[1], scored[0]))
    assert all(0 <= score <= len(given) for _, score in fused)


@given(rankings)
def test_the_order_of_the_rankings_and_of_their_pages_does_not_matter(given: list[Ranking]) -> None:
    shuffled = [sorted(ranking, key=lambda pair: pair[0] * 7 % 11) for ranking in given[::-1]]
    other = dict(fuse(shuffled))
    assert all(math.isclose(score, other[page], abs_tol=1e-9) for page, score in fuse(given))


@given(rankings, ranking)
def test_to_be_found_once_more_is_never_worse(given: list[Ranking], more: Ranking) -> None:
    before, after = dict(fuse(given)), dict(fuse([*given, more]))
    assert all(after[page] >= score for page, score in before.items())


@given(rankings)
def test_who_is_nowhere_behind_is_not_behind(given: list[Ranking]) -> None:
    fused, each = dict(fuse(given)), [shares(ranking) for ranking in given]
    for one in fused:
        for other in fused:
            if all(found.get(one, 0.0) >= found.get(other, 0.0) for found in each):
                assert fused[one] >= fused[other]


@given(ranking, st.floats(0.01, 100), st.integers(1, 4))
def test_the_unit_of_scores_does_not_matter(given: Ranking, unit: float, times: int) -> None:
    other = dict(fuse([[(page, unit * score) for page, score in given]] * times))
    assert all(math.isclose(other[page], times * score, rel_tol=1e-6, abs_tol=1e-9) for page, score in fuse([given]))


def test_the_best_score_of_a_page_counts() -> None:
    assert fuse([[(1, 4.0), (2, 3.0), (1, 1.0)]]) == [(1, 1.0), (2, 0.75)]


def test_the_least_similar_page_is_as_good_as_not_found() -> None:
    assert score_above_last([(3, 0.75), (1, 0.5), (2, 0.25)]) == [(3, 0.5), (1, 0.25), (2, 0.0)]
    assert score_above_last([]) == []


def test_pages_without_scores_count_by_their_places() -> None:
    assert score_by_place([8, 3, 5]) == [(8, 1.0), (3, 0.5), (5, pytest.approx(1 / 3))]
    assert fuse([score_by_place([8, 3]), score_by_place([3, 9])]) == [(3, 1.5), (8, 1.0), (9, 0.5)]

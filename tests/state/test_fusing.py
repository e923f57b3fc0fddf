"""Rank fusion: what stands high in the rankings stands high in the fused one."""

from hypothesis import given
from hypothesis import strategies as st

from readgraph.state.search.entries import Hit
from readgraph.state.search.fusing import DEPTH, RANK_CONSTANT, fuse

rankings = st.lists(st.lists(st.integers(0, 20), max_size=15, unique=True), max_size=4)


def test_two_rankings() -> None:
    by_word = [Hit(7, 11.0, "page"), Hit(3, 9.0, "memo")]
    first, second, third = fuse([by_word, [3, 5]])
    assert first == (3, 1 / (RANK_CONSTANT + 2) + 1 / (RANK_CONSTANT + 1))
    assert second == (7, 1 / (RANK_CONSTANT + 1))
    assert third == (5, 1 / (RANK_CONSTANT + 2))
    assert fuse([]) == fuse([[], []]) == []


@given(rankings)
def test_all_pages_that_were_read_come_once_in_order(given: list[list[int]]) -> None:
    fused = fuse(given)
    assert sorted(page for page, _ in fused) == sorted({page for ranking in given for page in ranking[:DEPTH]})
    assert fused == sorted(fused, key=lambda scored: (-scored[1], scored[0]))
    assert sorted(fuse(given[::-1]), key=str) == sorted(fused, key=str) or len(given) > 2  # sums may round otherwise


@given(st.lists(st.integers(0, 50), max_size=DEPTH, unique=True), st.integers(1, 4))
def test_rankings_that_agree_stay_as_they_are(ranking: list[int], times: int) -> None:
    assert [page for page, _ in fuse([ranking] * times)] == ranking


@given(rankings)
def test_who_is_nowhere_behind_is_not_behind(given: list[list[int]]) -> None:
    place = {page: at for at, (page, _) in enumerate(fuse(given))}
    for one in place:
        for other in place:
            ranks = [[row[:DEPTH].index(page) if page in row[:DEPTH] else 99 for row in given] for page in (one, other)]
            if all(ahead < behind for ahead, behind in zip(*ranks, strict=True)):
                assert place[one] < place[other]


@given(st.lists(st.integers(0, 5), max_size=12))
def test_the_first_place_of_a_page_counts(ranking: list[int]) -> None:
    assert fuse([ranking]) == fuse([list(dict.fromkeys(ranking))])

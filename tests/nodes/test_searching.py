"""One search for all methods: rankers by name, their queries and pages bounded, their rankings fused."""

from dataclasses import dataclass

import pytest

from readgraph.nodes.searching import Bounds, fused_hits, search_pages
from readgraph.state.errors import BadInput


@dataclass
class Fixed:
    """A ranker that knows its answers; one without an answer fails."""

    rankings: dict[str, list[int]]

    async def find(self, query: str, most: int) -> list[int]:
        if query not in self.rankings:
            raise BadInput(f"no answer to {query}")
        return self.rankings[query][:most]


KEYWORD = Fixed({"goat": [4, 1, 7, 2], "gallery": [4, 9]})
VECTOR = Fixed({"goat": [2, 4, 8]})
RANKERS = {"keyword": KEYWORD, "vector": VECTOR}


async def test_each_ranker_answers_all_its_queries_and_the_rankings_are_fused() -> None:
    found = await search_pages(RANKERS, {"keyword": ["goat", "gallery"], "vector": ["goat"]}, Bounds(deep=4, most=3))
    assert found == {"keyword": [4, 1, 9], "vector": [2, 4, 8]}
    hits = fused_hits(found)
    assert hits[0] == {"page": 4, "tools": ["keyword", "vector"], "score": round(1 / 61 + 1 / 62, 5)}
    assert {hit["page"] for hit in hits} == {1, 2, 4, 8, 9}


@pytest.mark.parametrize(
    ("bounds", "pages"),
    [
        (Bounds(deep=2, most=3), [4, 1]),
        (Bounds(deep=4, most=3, among={1, 2, 7}), [1, 7, 2]),
        (Bounds(deep=4, most=1, among={1, 2}), [1]),
        (Bounds(deep=4, most=4), [4, 1, 7, 2]),
    ],
)
async def test_a_search_is_bounded(bounds: Bounds, pages: list[int]) -> None:
    assert await search_pages(RANKERS, {"keyword": ["goat"], "vector": []}, bounds) == {"keyword": pages}


async def test_the_error_of_a_ranker_is_raised_as_itself() -> None:
    with pytest.raises(BadInput, match="no answer to lamp"):
        await search_pages(RANKERS, {"keyword": ["goat"], "vector": ["lamp"]}, Bounds(deep=2, most=2))


async def test_as_many_pages_count_as_are_kept() -> None:
    rankers = {"keyword": Fixed({"goat": [*range(20)], "lamp": [*range(20, 40)]}), "walk": Fixed({"goat": [*range(9)]})}
    found = await search_pages(rankers, {"keyword": ["goat", "lamp"], "walk": ["goat"]}, Bounds(deep=20, most=20))
    assert found["keyword"] == [page for rank in range(10) for page in (rank, 20 + rank)]
    assert {hit["page"] for hit in fused_hits(found)} == {*found["keyword"], *range(9)}

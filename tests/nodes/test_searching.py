"""One search for all methods: rankers by name, their queries and pages bounded, their rankings fused."""

from dataclasses import dataclass
from typing import Any

import pytest

from readgraph.library.search.hits import pages_of
from readgraph.nodes.search import fuse_hits, search_pages
from readgraph.state.errors import BadInput


@dataclass
class Fixed:
    """A ranker that knows its answers; one without an answer fails."""

    rankings: dict[str, list[tuple[int, float]]]

    async def find(self, query: str, most: int) -> list[tuple[int, float]]:
        if query not in self.rankings:
            raise BadInput(f"no answer to {query}")
        return self.rankings[query][:most]


KEYWORD = Fixed({"goat": [(4, 8.0), (1, 6.0), (7, 4.0), (2, 2.0)], "gallery": [(4, 3.0), (9, 2.4)]})
VECTOR = Fixed({"goat": [(2, 0.5), (4, 0.25), (8, 0.0)]})
RANKERS = {"keyword": KEYWORD, "vector": VECTOR}


async def test_each_ranker_answers_all_its_queries_and_the_rankings_are_fused() -> None:
    queries = {"keyword": ["goat", "gallery"], "vector": ["goat"]}
    found = await search_pages(RANKERS, queries, most=4)
    assert found == {
        "keyword": [(4, 2.0), (9, pytest.approx(0.8)), (1, 0.75), (7, 0.5)],
        "vector": [(2, 1.0), (4, 0.5), (8, 0.0)],
    }
    hits = fuse_hits(found)
    assert hits[0] == {"page": 4, "tools": ["keyword", "vector"], "score": 1.5}
    assert [hit["page"] for hit in hits] == [4, 2, 9, 1, 7, 8]


async def test_few_pages_of_each_ranker_are_kept_with_what_the_others_say_of_them() -> None:
    found = await search_pages(RANKERS, {"keyword": ["goat"], "vector": ["goat"]}, most=9)
    assert fuse_hits(found, 1) == [
        {"page": 4, "tools": ["keyword"], "score": 1.5},
        {"page": 2, "tools": ["vector"], "score": 1.25},
    ]


@pytest.mark.parametrize(
    ("bounds", "pages"),
    [
        ({"most": 2}, [4, 1]),
        ({"most": 3, "among": {1, 2, 7}}, [1, 7, 2]),
        ({"most": 1, "among": {1, 2}}, [1]),
        ({"most": 4}, [4, 1, 7, 2]),
        ({"most": 0}, []),
    ],
)
async def test_a_search_is_bounded(bounds: dict[str, Any], pages: list[int]) -> None:
    found = await search_pages(RANKERS, {"keyword": ["goat"], "vector": []}, **bounds)
    assert {name: pages_of(ranking) for name, ranking in found.items()} == {"keyword": pages}


async def test_the_error_of_a_ranker_is_raised_as_itself() -> None:
    with pytest.raises(BadInput, match="no answer to lamp"):
        await search_pages(RANKERS, {"keyword": ["goat"], "vector": ["lamp"]}, most=2)

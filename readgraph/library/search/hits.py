"""What search indexes hold and what searches return; one ranking from several (a form of min-max fusion)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf
from operator import itemgetter
from typing import Literal, NamedTuple

Part = Literal["page", "header", "memo"]
PARTS: tuple[Part, ...] = ("page", "header", "memo")
WITHOUT_MEMOS: tuple[Part, ...] = ("page", "header")


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """What is indexed of a page: its text, its header (the line that gives its context) and its note.

    `language` is an ISO 639-1 code; "": that of the other entries. `follows`: whether its text goes on from that of the
    page before, so that the words of each count a little for the other. `speaker`: who says it, where one does.
    """

    page: int
    text: str
    header: str = ""
    memo: str = ""
    language: str = ""
    follows: bool = False
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class PageHit:
    """A page that was found. Scores of different rankings can't be compared; `part` matched the query best."""

    page: int
    score: float
    part: Part


class TermCounts(NamedTuple):
    """How many texts an index holds, and how many of them have each term."""

    texts: int
    having: dict[str, int]


class VectorKey(NamedTuple):
    """What a vector represents: a part of a page, or a window of that part; `follows` as in `IndexEntry`."""

    page: int
    part: Part
    follows: bool = False


@dataclass(frozen=True, slots=True)
class Extent:
    """How much an index holds: the number of its pages, and the last page (-1: none)."""

    count: int
    last: int


SPEAKER = 0.5  # what is added to the score of a turn by somebody whom the query names, where the best turn has 1

Ranking = Sequence[tuple[int, float]]
"""(page, score), best first. What scores 0 is as good as not found; see `score_above_last` and `score_by_place`."""

DEPTH = 1_000
"""How many pages of each ranking count: all of a memory of this size. Where fewer count, a page that is low in one
ranking is as good as not found there, and less is found (`benchmarks/retrieval.py`); where more count, each query of a
memory of 10,000 pages takes 45 ms more."""


def fuse(rankings: Iterable[Ranking]) -> list[tuple[int, float]]:
    """(page, score) of the pages of all rankings, best first; ties in page order.

    A page gets from each ranking that has it its share of the best score there, at most 1; where it is in one twice,
    the better score counts.
    """
    fused: dict[int, float] = {}
    for ranking in rankings:
        scores: dict[int, float] = {}
        for page, score in ranking:
            if score > scores.get(page, -inf):
                scores[page] = score
        lowest, best = min([0.0, *scores.values()]), max(scores.values(), default=0.0)
        for page, score in scores.items():
            share = (score - lowest) / (best - lowest) if best > lowest else 1.0
            fused[page] = fused.get(page, 0.0) + share
    return sorted(sorted(fused.items()), key=itemgetter(1), reverse=True)


def pages_of(ranking: Ranking) -> list[int]:
    """The pages of a ranking, without their scores."""
    return [page for page, _ in ranking]


def score_above_last(ranking: Ranking) -> list[tuple[int, float]]:
    """A ranking of all pages by how much their scores are above the last one's.

    For similarities of embeddings, which are high for any two texts with some models.
    """
    return [(page, score - ranking[-1][1]) for page, score in ranking]


def score_by_place(pages: Iterable[int]) -> list[tuple[int, float]]:
    """A ranking of pages in this order that have no scores: 1, 1/2, 1/3 …, the reciprocals of their ranks."""
    return [(page, 1 / rank) for rank, page in enumerate(pages, 1)]

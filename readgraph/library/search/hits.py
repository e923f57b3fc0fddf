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

OF_WORDS = 0.7
"""The weight of words where vectors of passages rank with them, and the rest that of the vectors; chosen by the even
questions of `benchmarks/meaning.py`."""

LEAST_NEAR = 0.45
"""Cosine below which a passage that shares no word is no find: of questions about other texts, one in twenty has a
nearer passage (a quarter of the evidence has), so what is found by meaning alone is told as such."""

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


def fuse_with_meaning(by_words: Ranking, cosines: Sequence[float]) -> list[tuple[int, float]]:
    """(number, score) of what shares words with a query, or is near it by meaning, the best first.

    Of the cosines, how much they are above the least counts, as a share of the most. What has none (NaN) counts by its
    words alone. What shares no word must be near enough to be a find.
    """
    words = dict(fuse([by_words]))
    known = [cosine for cosine in cosines if cosine == cosine]
    least, most = min(known, default=0.0), max(known, default=0.0)

    def meant(number: int) -> float:
        cosine = cosines[number]
        return (cosine - least) / ((most - least) or 1.0) if cosine == cosine else words.get(number, 0.0)

    found = [number for number, cosine in enumerate(cosines) if number in words or cosine >= LEAST_NEAR]
    scores = {number: OF_WORDS * words.get(number, 0.0) + (1 - OF_WORDS) * meant(number) for number in found}
    return sorted(scores.items(), key=lambda each: (-each[1], each[0]))


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

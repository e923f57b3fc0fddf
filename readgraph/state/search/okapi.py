"""The exact Okapi ranking over the pages of one document: the papers' baseline."""

import math
from collections import Counter
from collections.abc import Iterable
from functools import reduce
from operator import add

from readgraph.state.search.terms import content_words, term_counts

K1, B, EPSILON = 1.5, 0.75, 0.25
"""The defaults of `rank_bm25.BM25Okapi`, whose scores this reproduces (a test compares them)."""


class Okapi:
    """BM25 of one query over texts that are added one by one; only lengths and counts of the query's terms are kept.

    `rank_bm25` keeps the words of all texts with their counts, which takes several times the texts' memory.
    """

    def __init__(self, query: str) -> None:
        self._wanted = content_words(query)
        self._texts_with = Counter[str]()
        self._lengths = list[int]()
        self._found = dict[int, dict[str, int]]()

    def add(self, text: str) -> None:
        """Add the next text."""
        counts = term_counts(text)
        if found := {term: counts[term] for term in self._wanted if term in counts}:
            self._found[len(self._lengths)] = found
        self._lengths.append(sum(counts.values()))
        self._texts_with.update(dict.fromkeys(counts, 1))

    def ranked(self) -> list[tuple[int, float]]:
        """(index, score) of the texts that share a content word with the query, best first; ties in text order."""
        weights = self._weights() if self._found else {}
        mean = sum(self._lengths) / max(len(self._lengths), 1)

        def score(number: int, found: dict[str, int]) -> float:
            longer = K1 * (1 - B + B * self._lengths[number] / mean)
            counts = ((term, found.get(term, 0)) for term in self._wanted)
            return reduce(add, (weights.get(term, 0.0) * (n * (K1 + 1) / (n + longer)) for term, n in counts), 0.0)

        hits = [(number, score(number, found)) for number, found in self._found.items()]
        return sorted(hits, key=lambda hit: (-hit[1], hit[0]))

    def _weights(self) -> dict[str, float]:
        """The weight of each term; a term in most texts would get a negative weight, and gets a small positive one."""
        texts = len(self._lengths)
        weights = {
            term: math.log(texts - count + 0.5) - math.log(count + 0.5) for term, count in self._texts_with.items()
        }
        least = EPSILON * (reduce(add, weights.values()) / len(weights))  # Python 3.12's `sum` rounds differently
        return {term: least if weights[term] < 0 else weights[term] for term in self._wanted if term in weights}


def rank(query: str, texts: Iterable[str]) -> list[tuple[int, float]]:
    """(index, score) of the texts that share a content word with the query, best first (Okapi BM25)."""
    okapi = Okapi(query)
    for text in texts:
        okapi.add(text)
    return okapi.ranked()

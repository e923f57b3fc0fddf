"""The exact Okapi ranking over the pages of one document: the papers' baseline."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import add

from readgraph.state.search.terms import STOP_WORDS, content_words, stem, tokens

K1, B, EPSILON = 1.5, 0.75, 0.25
"""The defaults of `rank_bm25.BM25Okapi`, whose scores this reproduces (a test compares them)."""


class Okapi:
    """BM25 of one query over texts that are added one by one; only lengths and counts of the query's terms are kept.

    `rank_bm25` keeps the words of all texts with their counts, which takes several times the texts' memory.
    """

    def __init__(self, query: str) -> None:
        self._wanted = content_words(query)
        self._known = set[str]()
        self._forms = dict[str, str]()
        self._texts_with = Counter[str]()
        self._lengths = list[int]()
        self._found = dict[int, Counter[str]]()

    def add(self, text: str) -> None:
        """Add the next text."""
        counts = Counter(tokens(text))
        for token in counts.keys() - self._known:  # each is stemmed once
            self._known.add(token)
            if token not in STOP_WORDS and stem(token) in self._wanted:
                self._forms[token] = stem(token)
        found = Counter[str]()
        for token in self._forms.keys() & counts.keys():
            found[self._forms[token]] += counts[token]
        if found:
            self._found[len(self._lengths)] = found
        self._texts_with.update(found.keys())
        self._lengths.append(counts.total() - sum(counts[word] for word in STOP_WORDS & counts.keys()))

    @property
    def needs_all_terms(self) -> bool:
        """Whether `ranked` needs the `TextsWith` of all these texts: a term of the query is in more than half."""
        return any(2 * count > len(self._lengths) for count in self._texts_with.values())

    def ranked(self, all_terms: "TextsWith") -> list[tuple[int, float]]:
        """(index, score) of the texts that share a content word with the query, best first; ties in text order.

        `all_terms` is empty if it is not needed.
        """
        weights = self._weights(all_terms)
        mean = sum(self._lengths) / max(len(self._lengths), 1)

        def score(number: int, found: Mapping[str, int]) -> float:
            longer = K1 * (1 - B + B * self._lengths[number] / mean)
            counts = ((term, found.get(term, 0)) for term in self._wanted)
            return reduce(add, (weights.get(term, 0.0) * (n * (K1 + 1) / (n + longer)) for term, n in counts), 0.0)

        hits = [(number, score(number, found)) for number, found in self._found.items()]
        return sorted(hits, key=lambda hit: (-hit[1], hit[0]))

    def _weights(self, all_terms: "TextsWith") -> dict[str, float]:
        """The weight of each term; a term in most texts would get a negative weight, and gets a small positive one."""
        weights = {term: _weight(count, len(self._lengths)) for term, count in self._texts_with.items()}
        least = EPSILON * all_terms.mean_weight()
        return {term: least if weight < 0 else weight for term, weight in weights.items()}


class TextsWith:
    """The number of texts with each term, for all terms: this takes twice the time of counting the query's terms."""

    def __init__(self) -> None:
        self._texts, self._with = 0, Counter[str]()

    def add(self, text: str) -> None:
        """Add the next text."""
        self._texts += 1
        self._with.update(dict.fromkeys(content_words(text)).keys())  # the order matters to sums

    def mean_weight(self) -> float:
        """The mean weight of the terms, before negative ones are replaced; 0 without texts."""
        weights = [_weight(count, self._texts) for count in self._with.values()]
        return reduce(add, weights, 0.0) / max(len(weights), 1)  # Python 3.12's `sum` rounds differently


def _weight(count: int, texts: int) -> float:
    return math.log(texts - count + 0.5) - math.log(count + 0.5)


def rank(query: str, texts: Sequence[str]) -> list[tuple[int, float]]:
    """(index, score) of the texts that share a content word with the query, best first (Okapi BM25)."""
    okapi, all_terms = Okapi(query), TextsWith()
    for text in texts:
        okapi.add(text)
    for text in texts if okapi.needs_all_terms else ():
        all_terms.add(text)
    return okapi.ranked(all_terms)

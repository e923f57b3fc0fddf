"""The exact Okapi ranking over the pages of one document: the papers' baseline."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cached_property, reduce
from operator import add

from readgraph.language.detection import main_language
from readgraph.language.terms import (
    BEGUN_ALIKE,
    ENGLISH,
    WITH_GRAMS,
    cache_by_text,
    content_words,
    fold_accents,
    grams,
    language_of_word,
    stem,
    stop_words,
    tokens,
)
from readgraph.library.search.postings import BESIDE

__all__ = ["rank"]

Term = tuple[int, int]  # a word of a query by its place, and 0 for its stem or the number of one of its parts


class QueryTermFinder:
    """The terms of a query as texts of a language have them; a word has the same place in every language."""

    def __init__(self, query: str, language: str) -> None:
        self._language, self._stopped = language, stop_words(language)
        self._terms, self._stems = dict[str, list[Term]](), set[str]()
        self._seen, self._having = set[str](), dict[str, list[Term]]()
        for place, token in enumerate(tokens(query, language)):
            if token not in self._stopped:
                stemmed = stem(token, language)
                self._stems.add(stemmed)
                for part, term in enumerate([stemmed, *grams(token, language)]):
                    self._terms.setdefault(term, []).append((place, part))

    @property
    def terms(self) -> Mapping[str, list[Term]]:
        """The terms as an index of such texts has them."""
        return self._terms

    def find_among(self, tokens: Set[str]) -> list[tuple[str, list[Term]]]:
        """Those of a text's different words that have terms of the query, with these; each is analysed once in all."""
        new = tokens - self._seen - self._stopped
        self._seen |= new
        if self._language in BEGUN_ALIKE - WITH_GRAMS:  # this tells most words of most texts, in a tenth of the time
            new = {token for token in new if not token.isascii() or self._beginnings.match(token)}
        for token in new:
            if terms := self._terms_of_token(token):
                self._having[token] = terms
        return [(token, self._having[token]) for token in tokens & self._having.keys()]

    def _terms_of_token(self, token: str) -> list[Term]:
        language = self._language
        forms = {*grams(token, language)}
        if self._may_have_stem(token):
            forms.add(stem(token, language))
        return [term for form in forms & self._terms.keys() for term in self._terms[form]]

    def _may_have_stem(self, token: str) -> bool:
        """Whether a word begins as one of the query's stems does, or its stem may begin in another way."""
        language = self._language
        if language not in BEGUN_ALIKE or (not token.isascii() and language_of_word(token, language) != language):
            return True
        return self._beginnings.match(fold_accents(token)) is not None

    @cached_property
    def _beginnings(self) -> re.Pattern[str]:
        """How words begin that may have one of the stems; German has "ae" for "ä"."""
        begun = {stemmed[: min(3, max(1, len(stemmed) - 1))] for stemmed in self._stems}
        return re.compile("|".join("e?".join(map(re.escape, letters)) for letters in begun) or "$.")


K1, B, EPSILON = 1.5, 0.75, 0.25
"""The defaults of `rank_bm25.BM25Okapi`, whose scores this reproduces (a test compares them)."""


class Okapi:
    """BM25 of one query over texts that are added one by one; only lengths and counts of the query's terms are kept.

    `rank_bm25` keeps all words of all texts. Texts may be in several languages: a word of the query counts as one term,
    whatever its forms are in each of them.
    """

    def __init__(self, query: str) -> None:
        self._query = query
        self._wanted = dict[str, QueryTermFinder]()
        self._texts_with = Counter[Term]()
        self._lengths, self._following = list[int](), set[int]()
        self._terms_of_token = dict[int, dict[Term, int]]()

    def add(self, texts: tuple[str, ...], language: str = ENGLISH, following: Iterable[int] = ()) -> None:
        """Add the next texts, which are in this language; what their words are is kept for all of them together.

        Those of them whose numbers are `following` go on from the text before.
        """
        self._following.update(len(self._lengths) + number for number in following)
        if language not in self._wanted:
            self._wanted[language] = QueryTermFinder(self._query, language)
        counts, lengths = _count_tokens(texts, language)
        first = len(self._lengths)
        for token, terms in self._wanted[language].find_among(counts.keys()):
            for number, count in counts[token]:
                found = self._terms_of_token.setdefault(first + number, {})
                for term in terms:
                    found[term] = found.get(term, 0) + count
        for number in range(first, first + len(lengths)):
            for term in self._terms_of_token.get(number, ()):
                self._texts_with[term] += 1
        self._lengths += lengths

    @property
    def needs_all_terms(self) -> bool:
        """Whether `weights` needs the `TextsWith` of all these texts: a word of the query is in more than half."""
        return any(2 * count > len(self._lengths) for (_, part), count in self._texts_with.items() if not part)

    def rank_by_weights(self, weights: Mapping[Term, float]) -> list[tuple[int, float]]:
        """(index, score) of the texts that share content words with the query, best first, by these `weights`."""
        lengths = self._lengths.copy()
        for number in self._following:
            lengths[number] += self._lengths[number - 1]
            lengths[number - 1] += self._lengths[number]
        mean = sum(lengths) / max(len(lengths), 1)

        def score(number: int) -> float:
            longer = K1 * (1 - B + B * lengths[number] / mean)
            total = 0.0
            # The order matters, and Python 3.12's `sum` rounds differently.
            for term, count in sorted(self._counts_around(number).items()):
                total += weights.get(term, 0.0) * (count * (K1 + 1) / (count + longer))
            return total

        hits = [(number, score(number)) for number in self._terms_of_token]
        return sorted(hits, key=lambda hit: (-hit[1], hit[0]))

    def _counts_around(self, number: int) -> Mapping[Term, float]:
        """How often each term is in a text, with a share of how often it is in those beside."""
        if not self._following:
            return self._terms_of_token[number]
        found = dict[Term, float](self._terms_of_token[number])
        for beside, follower in ((number - 1, number), (number + 1, number + 1)):
            if follower in self._following:
                for term, count in self._terms_of_token.get(beside, {}).items():
                    found[term] = found.get(term, 0.0) + BESIDE * count
        return found

    def weights(self, all_terms: "TextsWith") -> dict[Term, float]:
        """The weight of each term; in most texts it would be negative: then a word's is small, and that of a part 0."""
        weights = {term: _weight(count, len(self._lengths)) for term, count in self._texts_with.items()}
        least = EPSILON * all_terms.mean_weight()
        return {
            (place, part): weight if weight >= 0 else 0.0 if part else least
            for (place, part), weight in weights.items()
        }

    def rarities(self) -> dict[Term, float]:
        """The weight of each term as Lucene has it: above 0 also where a word is in most texts, or texts are few."""
        texts = len(self._lengths)
        return {term: math.log1p((texts - count + 0.5) / (count + 0.5)) for term, count in self._texts_with.items()}

    def find_shares(self, weights: Mapping[Term, float]) -> dict[int, float]:
        """The share of the weight of the query's words that each text holds, however long it is."""
        words = {term: weight for term, weight in weights.items() if not term[1]}
        whole = sum(words.values()) or 1.0
        return {
            number: sum(words.get(term, 0.0) for term in terms) / whole
            for number, terms in self._terms_of_token.items()
        }


class TextsWith:
    """The number of texts with each term, for all terms: this takes twice the time of counting the query's terms."""

    def __init__(self) -> None:
        self._texts, self._with = 0, Counter[str]()

    def add(self, texts: tuple[str, ...], language: str = ENGLISH) -> None:
        """Add the next texts."""
        self._texts += len(texts)
        self._with.update(_different_words(texts, language))

    def mean_weight(self) -> float:
        """The mean weight of the terms, before negative ones are replaced; 0 without texts."""
        weights = [_weight(count, self._texts) for count in self._with.values()]
        return reduce(add, weights, 0.0) / max(len(weights), 1)  # Python 3.12's `sum` rounds differently


@cache_by_text
def _count_tokens(texts: tuple[str, ...], language: str) -> tuple[dict[str, list[tuple[int, int]]], list[int]]:
    """In which texts each token is, by number, and how often; how many tokens of each text are no stop words."""
    stopped, counts, lengths = stop_words(language), dict[str, list[tuple[int, int]]](), list[int]()
    for number, text in enumerate(texts):
        counter = Counter(tokens(text, language))
        for token, count in counter.items():
            counts.setdefault(token, []).append((number, count))
        lengths.append(counter.total() - sum(counter[word] for word in stopped & counter.keys()))
    return counts, lengths


@cache_by_text
def _different_words(texts: tuple[str, ...], language: str) -> tuple[str, ...]:
    """The words of each text, each once in a text; the order matters to sums."""
    return tuple(word for text in texts for word in dict.fromkeys(content_words(text, language)))


def _weight(count: int, texts: int) -> float:
    return math.log(texts - count + 0.5) - math.log(count + 0.5)


def rank(query: str, texts: Sequence[str], language: str = "") -> list[tuple[int, float]]:
    """(index, score) of the texts that share a content word with the query, best first (Okapi BM25).

    `language` is an ISO 639-1 code, by default that of most of the texts.
    """
    language = language or main_language(texts)
    okapi, all_terms = Okapi(query), TextsWith()
    for text in texts:
        okapi.add((text,), language)
    for text in texts if okapi.needs_all_terms else ():
        all_terms.add((text,), language)
    return okapi.rank_by_weights(okapi.weights(all_terms))

"""What a query asks of texts in one language: which of their words are forms of its words."""

import re
from collections.abc import Mapping, Set
from functools import cached_property

from readgraph.state.search.stemming import folded, keeps_beginnings, stem
from readgraph.state.search.stop_words import stop_words
from readgraph.state.search.terms import grams, tokens

Term = tuple[int, int]
"""A word of a query by its place, and 0 for its stem or the number of one of its parts."""


class Wanted:
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

    def found_among(self, tokens: Set[str]) -> list[tuple[str, list[Term]]]:
        """Those of the different words of a text that have terms of the query, with the terms.

        Each word is analysed once, whatever the number of texts.
        """
        new = tokens - self._seen
        self._seen.update(new)
        for token in new:
            if token not in self._stopped and (terms := self._found(token)):
                self._having[token] = terms
        return [(token, self._having[token]) for token in tokens & self._having.keys()]

    def _found(self, token: str) -> list[Term]:
        language = self._language
        forms = {*grams(token, language)}
        if not keeps_beginnings(language) or self._beginnings.match(folded(token)):
            forms.add(stem(token, language))
        return [term for form in forms & self._terms.keys() for term in self._terms[form]]

    @cached_property
    def _beginnings(self) -> re.Pattern[str]:
        """How words begin that may have one of the stems; German has "ae" for "ä"."""
        begun = {stemmed[: min(3, max(1, len(stemmed) - 1))] for stemmed in self._stems}
        return re.compile("|".join("e?".join(map(re.escape, letters)) for letters in begun) or "$.")

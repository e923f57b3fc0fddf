"""Reading without a model, as pure functions on text: gists made of sentences, passages."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from readgraph.nodes.page_ends import sentence_spans
from readgraph.state.search.okapi import rank
from readgraph.state.search.terms import content_words
from readgraph.state.words import count_words, first_words

GIST_SHARE = 0.15
GIST_WORDS = 40
"""An extractive gist keeps this share of a page's words, but at least this many."""

FEWEST_LETTERS = 3
"""A word that tells what a text is about has at least so many."""

PASSAGE_WORDS = 20
FEWEST_PASSAGE_WORDS = 8

_WORD = re.compile(r"\w+")


def extract_gist(text: str, most_words: int | None = None) -> str:
    """The sentences whose words are most frequent on the page, in their order (after SumBasic).

    At most `most_words` words of them, or a share of the page's own.
    """
    spans = sentence_spans(text)
    sentences = [content_words(text[start:end]) for start, end in spans]
    frequency = Counter(word for words in sentences for word in {*words})
    allowed = most_words or max(GIST_WORDS, round(GIST_SHARE * count_words(text)))

    def weight(number: int) -> tuple[float, int]:
        words = {*sentences[number]}
        return sum(frequency[word] for word in words) / (len(words) + 3), -number

    kept: list[int] = []
    for number in sorted(range(len(spans)), key=weight, reverse=True):
        words = count_words(text[slice(*spans[number])])
        if words <= allowed:
            kept.append(number)
            allowed -= words
    return " ".join(text[slice(*spans[number])] for number in sorted(kept)) or first_words(text.strip(), allowed)


def telling_words(text: str, most: int) -> list[str]:
    """The words that carry most of a text's content, as they stand in it, the most frequent first."""
    as_it_stands, frequency = dict[str, str](), Counter[str]()
    for word, count in Counter(_WORD.findall(text)).items():
        if len(word) >= FEWEST_LETTERS and (stem := _first_stem(word)):
            as_it_stands.setdefault(stem, word)
            frequency[stem] += count
    return [as_it_stands[stem] for stem, _ in frequency.most_common(most)]


@lru_cache(1 << 15)
def _first_stem(word: str) -> str:
    """A word as rankings see it; "" for one that carries no content."""
    return next(iter(content_words(word)), "")


def passages(text: str) -> list[tuple[int, int]]:
    """Spans that begin at each sentence and go on until they hold enough words to be understood.

    They leave a paragraph only where they would be very short without.
    """
    spans = sentence_spans(text)
    found = []
    for number, (start, end) in enumerate(spans):
        last = number
        while last + 1 < len(spans):
            enough = FEWEST_PASSAGE_WORDS if "\n" in text[end : spans[last + 1][0]] else PASSAGE_WORDS
            if count_words(text[start:end]) >= enough:
                break
            last += 1
            end = spans[last][1]
        found.append((start, end))
    return found


def passages_of(texts: Mapping[int, str]) -> list[tuple[int, int, int]]:
    """(key, start, end) of the passages of these texts."""
    return [(key, start, end) for key, text in texts.items() for start, end in passages(text)]


def nearest(
    query: str, texts: Mapping[int, str], spans: Sequence[tuple[int, int, int]], most: int
) -> list[tuple[int, int, int]]:
    """The best few of these spans (key, start, end) of the texts, best first; no two overlap."""
    kept: list[tuple[int, int, int]] = []
    for number, _ in rank(query, [texts[key][start:end] for key, start, end in spans]):
        key, start, end = spans[number]
        if all(key != other or end <= begin or stop <= start for other, begin, stop in kept):
            kept.append(spans[number])
        if len(kept) == most:
            break
    return kept

"""Reading without a model, as pure functions on text: gists made of sentences, passages."""

from collections import Counter

from readgraph.nodes.page_ends import sentence_spans
from readgraph.state.search.terms import content_words
from readgraph.state.words import count_words, first_words

GIST_SHARE = 0.15
GIST_WORDS = 40
"""An extractive gist keeps this share of a page's words, but at least this many."""

PASSAGE_WORDS = 20
FEWEST_PASSAGE_WORDS = 8


def extract_gist(text: str) -> str:
    """The sentences whose words are most frequent on the page, in their order (after SumBasic)."""
    spans = sentence_spans(text)
    sentences = [content_words(text[start:end]) for start, end in spans]
    frequency = Counter(word for words in sentences for word in {*words})
    allowed = max(GIST_WORDS, round(GIST_SHARE * count_words(text)))

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

"""A text is cut to passages; the words in it that a query means, and the excerpt that has most of them."""

import re
from collections.abc import Iterator, Sequence

from readgraph.language.terms import ENGLISH, query_terms, words

SHORT, LONG = 400, 1200  # characters: shorter paragraphs are joined, longer ones are cut
EXCERPT = 280  # the most characters of an excerpt
_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[ \t]*[^\s][^\n]*)*")
_WORD = re.compile(r"[^\W_]+")


def cut_to_passages(text: str) -> Iterator[tuple[int, int]]:
    """Spans of paragraphs; short ones are joined with those after them, long ones are cut between words."""
    start = end = -1
    for paragraph in _PARAGRAPH.finditer(text):
        if start < 0:
            start = paragraph.start()
        end = paragraph.end()
        while end - start > LONG:
            space = text.rfind(" ", start + SHORT, start + LONG)
            cut = space if space > 0 else start + LONG
            yield start, cut
            start = cut
        if end - start >= SHORT:
            yield start, end
            start = -1
    if start >= 0:
        yield start, end


def marks(text: str, query: str, language: str = ENGLISH) -> list[tuple[int, int]]:
    """Spans of the words in a text of this language that a search for the query finds; none overlap."""
    terms = {*query_terms(query, language)}
    found = list[tuple[int, int]]()
    for word in _WORD.finditer(text):
        forms = words(word.group(), language)
        if len(forms) == 1 and terms & {*forms}:
            found.append(word.span())
        elif len(forms) > 1:  # without spaces between words: each term by itself
            at = [match.span() for term in terms & {*forms} for match in re.finditer(re.escape(term), word.group())]
            found += [(word.start() + start, word.start() + end) for start, end in at]
    merged = list[tuple[int, int]]()
    for start, end in sorted(found):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def excerpt(text: str, marked: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The span of a text that has most of the marked words, with some words before them."""
    if len(text) <= EXCERPT or not marked:
        return 0, min(len(text), EXCERPT)

    def count_marked(first: int) -> int:
        reach = marked[first][0] + EXCERPT * 3 // 4
        return len({text[start:end].casefold() for start, end in marked[first:] if end <= reach})

    first = marked[max(range(len(marked)), key=lambda number: (count_marked(number), -number))][0]
    start = max(0, min(first - EXCERPT // 4, len(text) - EXCERPT))
    if start and (space := text.find(" ", start, first)) >= 0:
        start = space + 1
    end = min(len(text), start + EXCERPT)
    if end < len(text) and (space := text.rfind(" ", first + 1, end)) > max(
        stop for begin, stop in marked if begin == first
    ):
        end = space
    return start, end

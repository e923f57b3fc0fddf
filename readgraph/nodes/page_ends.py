"""Where a page may end: pure functions over character offsets, shared by every way of paging."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from readgraph.state.context import ParagraphBreak
from readgraph.state.words import count_words, end_after_words

_BLANK_LINES = re.compile(r"\r?\n[^\S\n]*(?:\r?\n[^\S\n]*)+|\f")
_LINE = re.compile(r"(?:\r\n|\n|\r|\f)+")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]]*\s+|[。！？；][」』”’）]*")
_WORD_END = re.compile(r"\s+")

LONG_PARAGRAPHS = 400
"""Words: texts whose blank lines stand farther apart than this on average are cut at every line instead."""


def paragraph_ends(text: str, how: ParagraphBreak = "auto") -> list[int]:
    """Offsets behind each paragraph and the white space that follows it, ascending; the last is the text's end.

    `auto`: blank lines, unless they are so rare that a paragraph would not fit a page.
    """
    ends = _ends(_BLANK_LINES if how != "line" else _LINE, text)
    if how == "auto" and count_words(text) / len(ends) > LONG_PARAGRAPHS:
        ends = _ends(_LINE, text)
    return ends


def _ends(separator: re.Pattern[str], text: str) -> list[int]:
    ends = [gap.end() for gap in separator.finditer(text)]
    return ends if ends and ends[-1] == len(text) else [*ends, len(text)]


def candidate_ends(text: str, ends: Sequence[int], start: int, min_words: int, max_words: int) -> list[int]:
    """Offsets where a page that begins at `start` may end, ascending; never empty while text is left.

    Each leaves between `min_words` and `max_words` words on the page; only a page that ends the text may have
    fewer. Where no paragraph end does that, the farthest sentence end is the one offset, else a word, else a
    character. (ReadAgent, section 3.1: labels begin once the page has its minimum of words.)
    """
    candidates: list[int] = []
    words, at = 0, start
    for number in range(bisect_right(ends, start), len(ends)):
        words += count_words(text[at : ends[number]])
        at = ends[number]
        if words > max_words:
            break
        if words >= min_words or at == len(text):
            candidates.append(at)
    return candidates or [cut_at_sentence(text, start, min_words, max_words)]


def cut_at_sentence(text: str, start: int, min_words: int, max_words: int) -> int:
    """The farthest sentence end that leaves a page within its sizes, else word end, else character."""
    earliest = end_after_words(text, start, min_words)
    latest = end_after_words(text, start, max_words)
    for boundary in (_SENTENCE_END, _WORD_END):
        ends = [end for match in boundary.finditer(text, start, latest) if earliest <= (end := match.end())]
        if ends:
            return ends[-1]
    return latest


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Character spans of the sentences between two offsets, without the white space around them."""
    end = len(text) if end is None else end
    ends = [match.end() for match in re.finditer(rf"{_SENTENCE_END.pattern}|\n\s*\n", text[start:end])]
    spans, at = [], start
    for stop in [*(start + offset for offset in ends), end]:
        sentence = text[at:stop]
        if sentence.strip():
            lead = len(sentence) - len(sentence.lstrip())
            spans.append((at + lead, at + len(sentence.rstrip())))
        at = stop
    return spans

"""The words of a sentence that a question asks for."""

import re
from collections.abc import Collection, Iterable
from datetime import date

from readgraph.nodes.extractive.dates import NUMBERS, meant_by, written_dates
from readgraph.nodes.extractive.question import AnswerKind
from readgraph.state.search.terms import content_words

MOST_WORDS = 8
"""Words of an answer where nothing says what it must be."""

_COUNT = rf"\d[\d,.]{{0,15}}|{'|'.join(NUMBERS)}"
_DURATION = re.compile(
    rf"\b(?:since (?:\w+ )?\d{{4}}|(?:{_COUNT}|an?|a few|several|a couple of)(?: more)?"
    r" (?:second|minute|hour|day|week|month|year|decade)s?(?: ago)?)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    rf"(?<![\w.])[$€£]?\d(?:[\d,.]*\d)?%?|\b(?:{'|'.join(NUMBERS)}|twenty|thirty|forty|fifty|hundred|thousand|once|twice)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[\w,;:'\"“(] )[^\W\d_a-z][\w'’.-]*(?:(?: (?:of|de|van|von|the|and|&))? [^\W\d_a-z][\w'’.-]*)*")
_PATTERNS: dict[AnswerKind, re.Pattern[str]] = {
    "duration": _DURATION,
    "number": _NUMBER,
    "person": _NAME,
    "place": _NAME,
}
_DENIAL = re.compile(r"\b(?:not|no|never|nothing|none|nobody)\b|n['’]t\b", re.IGNORECASE)
_RUN, _AROUND = re.compile(r"\S+"), ' ,.;:!?"“”()[]-–—'


def asked_for(kind: AnswerKind, sentence: str, question: str, said_on: date | None) -> str | None:
    """What a sentence has of this kind that doesn't stand in the question; None where it has nothing.

    Words for a time are resolved by the day on which they were said, where it is known.
    """
    if kind == "yes or no":
        return "No" if _DENIAL.search(sentence) and not _DENIAL.search(question) else "Yes"
    asked = {*content_words(question)}
    if kind == "time":
        meant = meant_by(sentence, said_on) if said_on else None
        return meant or _first_new(written_dates(sentence), asked)
    return _first_new((found.group() for found in _PATTERNS[kind].finditer(sentence)), asked)


def richest_words(sentence: str, question: str) -> str:
    """The at most eight words that follow each other in a sentence and say most that the question doesn't.

    The last ones of those that say as much: a sentence's news comes at its end.
    """
    asked, words = {*content_words(question)}, list(_RUN.finditer(sentence))
    news = [not {*content_words(word.group())} <= asked for word in words]
    starts = range(max(1, len(words) - MOST_WORDS + 1))
    start = max(starts, key=lambda start: (sum(news[start : start + MOST_WORDS]), start))
    told = [number for number in range(start, min(start + MOST_WORDS, len(words))) if news[number]]
    if not told:
        return sentence.strip(_AROUND)
    return sentence[words[told[0]].start() : words[told[-1]].end()].strip(_AROUND)


def _first_new(found: Iterable[str], asked: Collection[str]) -> str | None:
    """The first of these that has a content word, and none that was asked with."""
    for text in found:
        words = {*content_words(text)}
        if words and words.isdisjoint(asked):
            return text.strip(_AROUND)
    return None

"""The terms of a text and of a query, the same for every ranking by words."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from unicodedata import normalize

STOP_WORDS = frozenset(
    """
    a about after all also an and any are as at be because been before but by can could did do does for from had has
    have he her him his how i if in into is it its just like me more most my no not now of on one only or other our
    out over said she so some such than that the their them then there these they this to up us was we were what
    when where which while who whom whose why will with would you your s t don didn m re ve ll d
    """.split()
)

MOST_TERMS = 64
"""The most different words of a query that are looked up; of a longer query the first ones are enough."""

# Scripts without spaces between words, or (Hangul) with endings joined to words. Here each character is a term, and
# each pair of neighbouring characters.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_INDIC = "\u0900-\u0963\u0966-\u0dff"  # `\w` does not match vowel signs, but they are inside words
_TOKEN = re.compile(rf"[{UNSPACED}]+|(?:[^\W{UNSPACED}]|[{_INDIC}])+")
_ASCII_FOLDED = {code: chr(code).lower() if chr(code).isalnum() or chr(code) == "_" else " " for code in range(128)}
_PRINTED_BETWEEN = "\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u00a0"  # often all that is not ASCII
_UNSPACED_START = re.compile(rf"[{UNSPACED}]")
_MARKS = re.compile(
    "[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]"
)  # accents, and vowel points that are seldom written


def words(text: str) -> list[str]:
    """All words of a text in their order, case-folded and stemmed, without accents and full-width forms."""
    return [stem(token) for token in tokens(text)]


def content_words(text: str) -> list[str]:
    """The result of `words` without stop words."""
    return [stem(token) for token in tokens(text) if token not in STOP_WORDS]


def tokens(text: str) -> list[str]:
    """All words of a text in their order, case-folded and not stemmed, without accents and full-width forms."""
    if not text.isascii():
        for mark in _PRINTED_BETWEEN:
            text = text.replace(mark, " ")
    if text.isascii():
        return text.translate(_ASCII_FOLDED).split()
    found: list[str] = _TOKEN.findall(normalize("NFC", _MARKS.sub("", normalize("NFKD", text))).casefold())
    return [*_parted(found)] if any(map(_UNSPACED_START.match, found)) else found


def query_terms(query: str) -> list[str]:
    """The different words to look for: content words, or all words if there are only stop words."""
    return list(dict.fromkeys(content_words(query) or words(query)))[:MOST_TERMS]


def affordable(frequencies: Mapping[str, int], most_rows: int) -> list[str]:
    """The rarest terms whose page counts add up to at most `most_rows`; the rarest term is always included.

    A term costs time for each page that has it, and the more pages have it, the less it distinguishes them.
    `frequencies` gives the number of pages that have each term; terms on no page are left out.
    """
    chosen: list[str] = []
    for term in sorted((term for term, pages in frequencies.items() if pages), key=lambda term: frequencies[term]):
        most_rows -= frequencies[term]
        if chosen and most_rows < 0:
            break
        chosen.append(term)
    return chosen


def match_any(terms: Sequence[str]) -> str:
    """The FTS5 query for any of these terms. Quotes keep them from being operators; no term contains a quote."""
    return " OR ".join(f'"{term}"' for term in terms)


def _parted(found: Iterable[str]) -> Iterator[str]:
    """Of scripts without spaces each character, and each pair."""
    for token in found:
        if _UNSPACED_START.match(token):
            yield from token
            yield from (token[start : start + 2] for start in range(len(token) - 1))
        else:
            yield token


@lru_cache(maxsize=65_536)  # a text says the same words again and again
def stem(word: str) -> str:
    """A light English stem: plurals, -ing, -ed, and the letters that these double, drop or change.

    It was compared with FTS5's Porter stemmer on LoCoMo turns, QMSum chunks and Hotpot paragraphs: neither is better on
    all of them (`benchmarks/retrieval.py`), and with this one all rankings use the same words.
    """
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word.removesuffix(ending)
            break
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 3 and word.endswith("y"):
        return word[:-1] + "i"
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls0123456789":
        word = word[:-1]
    return word

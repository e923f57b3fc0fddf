"""The words of a text and of a query, as every ranking by words sees them."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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
"""Different words of a query that are looked up; a longer query is a text, and its first words say enough."""

# Scripts that put no space between words, or (Hangul) write endings to them. Words are found by their neighbours:
# each character is a term, and each pair.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_INDIC = "\u0900-\u0963\u0966-\u0dff"  # vowel signs are no letters to `\w`, but stand inside words
_TOKEN = re.compile(rf"[{_UNSPACED}]+|(?:[^\W{_UNSPACED}]|[{_INDIC}])+")
_ASCII_BETWEEN = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}
_UNSPACED_START = re.compile(rf"[{_UNSPACED}]")
_MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]")  # accents, and vowel points that few write


def words(text: str) -> list[str]:
    """All words of a text, folded and stemmed, in their order; accents and full-width forms don't matter."""
    return [_stem(token) for token in _tokens(text)]


def content_words(text: str) -> list[str]:
    """The words that carry content: those of `words` without the stop words."""
    return [_stem(token) for token in _tokens(text) if token not in STOP_WORDS]


def term_counts(text: str) -> dict[str, int]:
    """How often a text has each of its `content_words`, in the order in which they come first."""
    tokens = text.casefold().translate(_ASCII_BETWEEN).split() if text.isascii() else _tokens(text)
    counts: dict[str, int] = {}
    for token, count in Counter(tokens).items():
        if token not in STOP_WORDS:
            term = _stem(token)
            counts[term] = counts.get(term, 0) + count
    return counts


def query_terms(query: str) -> list[str]:
    """The different words to look for: content words, or all words where there are no others."""
    return list(dict.fromkeys(content_words(query) or words(query)))[:MOST_TERMS]


def affordable(frequencies: Mapping[str, int], most_rows: int) -> list[str]:
    """The rarest terms that stand on at most `most_rows` pages together; the rarest of all in any case.

    A term costs time for each page it stands on, and the more pages, the less it tells them apart. `frequencies` says
    for each term on how many pages it stands; terms that stand nowhere are left out.
    """
    chosen: list[str] = []
    for term in sorted((term for term, pages in frequencies.items() if pages), key=lambda term: frequencies[term]):
        most_rows -= frequencies[term]
        if chosen and most_rows < 0:
            break
        chosen.append(term)
    return chosen


def match_any(terms: Sequence[str]) -> str:
    """The FTS5 query for any of these terms. Quoted, they are no operators, and no term holds a quote."""
    return " OR ".join(f'"{term}"' for term in terms)


def _tokens(text: str) -> Iterator[str]:
    if not text.isascii():
        text = normalize("NFC", _MARKS.sub("", normalize("NFKD", text)))
    for token in _TOKEN.findall(text.casefold()):
        if _UNSPACED_START.match(token):
            yield from token
            yield from (token[at : at + 2] for at in range(len(token) - 1))
        else:
            yield token


@lru_cache(maxsize=65_536)  # a text says the same words again and again
def _stem(word: str) -> str:
    """A light English stem: plurals, -ing, -ed, and the letters that these double, drop or change.

    FTS5's Porter stemmer was measured against it over LoCoMo turns, QMSum chunks and Hotpot paragraphs: neither is
    better on all (`benchmarks/retrieval.py`), and with this one all rankings see the same words.
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

"""Which language a text is in, by its ISO 639-1 code."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib import import_module
from itertools import islice
from math import exp, sqrt
from queue import SimpleQueue
from threading import Thread
from typing import Any

from readgraph.state.errors import LibraryError
from readgraph.state.language_names import NAMES

DEFAULT = "en"
SAMPLE, SAMPLES = 700, 3  # characters, and samples of a long text: a book's first page may be in another language
FEW_TEXTS, FEWEST_OF_TEXTS = 20, 20  # of many texts about so many are looked at, if they have so many words

_BY_SCRIPT = {
    "ja": re.compile(r"[\u3040-\u30ff]"),
    "ko": re.compile(r"[\uac00-\ud7a3]"),
    "zh": re.compile(r"[\u4e00-\u9fff]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
    "he": re.compile(r"[\u0590-\u05ff]"),
    "el": re.compile(r"[\u0370-\u03ff]"),
}  # scripts that one language uses, most telling first: Japanese has Chinese characters too

_SCRIPT_SHARE = 0.2
_LETTER, _WORD = re.compile(r"[^\W\d_]"), re.compile(r"[^\W\d_]+")
_ENGLISH = frozenset("the of and to in that is was it for on as with his he be at by had not are but from".split())
_ENGLISH_SHARE, _FEWEST_WORDS = 0.15, 4
"""A text with this share of such words is English: no other language comes near, and no model has to be loaded."""
_ONLY_ENGLISH = frozenset("the what which who whom whose when where why how did does and of is this that".split())
_ONLY_ENGLISH_SHARE = 0.1
"""Words that seldom stand in other languages, as even short questions have them; and their share that is enough."""

_OWN_WORDS = {
    "de": "und nicht ist eine einen einer auch sich wird auf zu ich wir sie nach bei aus das dem durch",
    "fr": "les des est dans pour qui pas sur avec cette sont aux elle nous vous du et leur une",
    "es": "los las por como más pero fue sus su el y está lo",
    "it": "che gli della sono non per nel nella anche di più era alla al il dei delle dal è ha",
    "pt": "não uma são ele ela seu sua também em um com pelo foi",
    "nl": "een niet voor zijn deze ook naar werd hij bij ik wordt het",
    "sv": "och att är inte för ett jag från också efter",
    "pl": "się jest że był przez dla oraz jego czy są ale nie",
    "hu": "az és hogy nem egy volt meg csak már mint",
    "ro": "și în nu este că cu din pentru mai pe care sunt",
    "ru": "что это он его из был все они было она бы мы вы или если чтобы только когда была быть как их её ещё были",
    "uk": "і що та це він від як до про але вона був була було",
}
_LANGUAGE_OF_WORD = {word: language for language, words in _OWN_WORDS.items() for word in words.split()}
_OWN_SHARE, _FEWEST_OWN, _FEWEST_DIFFERENT, _MOST_OTHERS = 0.1, 6, 3, 0.25
"""Frequent words, each of one of these languages, and rare in those near to it. A text of which such a share, so many,
and so many different ones (since "di" is Indonesian too) are one language's is in it, if those of the others are few
beside them: then no model has to be loaded."""

_FEWEST_LATIN_WORDS, _LEAST_SURE, _SURE_SCRIPT_SHARE = 3, 0.5, 0.6
"""Less doesn't make a language certain: words in Latin script, its probability, its script's share of the letters."""


def language_of(text: str) -> str:
    """The ISO 639-1 code of a text's main language; English where there is too little to see it by."""
    return _language_of_sample(" ".join(text[start:end] for start, end in sample_spans(len(text))))


def sample_spans(length: int) -> list[tuple[int, int]]:
    """The spans of a text of `length` characters that are enough to see its language by."""
    parts = SAMPLES + 1
    if length <= parts * SAMPLE:
        return [(0, length)]
    return [(length * part // parts, length * part // parts + SAMPLE) for part in range(1, parts)]


def certain_language(samples: Iterable[str]) -> str:
    """The ISO 639-1 code of the language that all samples of a text are in; "" for a mixed text or too short a one."""
    languages = {_certain_of_sample(sample) for sample in samples if _LETTER.search(sample)}
    return languages.pop() if len(languages) == 1 else ""


def paragraph_language(paragraph: str, main: str) -> str:
    """The language of a paragraph in a text that is mainly in another one, where that is certain; else the main one."""
    sample = paragraph[:SAMPLE]
    own = certain_language([sample])
    return own if own not in ("", main) and classifier().classify(sample)[0] == own else main


def language_by_words(text: str, main: str) -> str:
    """The language by whose frequent words a text is seen to be in it, without a model; else the main one."""
    return _language_of_words(_WORD.findall(text[:SAMPLE].lower())) or main


def main_language(texts: Sequence[str]) -> str:
    """The language of most of these texts; English where they have few words, since a few tell too little."""
    sample = " ".join(text[:SAMPLE] for text in texts[:: len(texts) // FEW_TEXTS + 1])
    enough = next(islice(_WORD.finditer(sample), FEWEST_OF_TEXTS - 1, None), None)
    return language_of(sample) if enough else DEFAULT


@cache
def classifier() -> Any:
    """What classifies texts, loaded once in a thread of its own, since its file is unpacked; raises `LibraryError`."""
    loaded = SimpleQueue[Any]()

    def load() -> None:
        try:
            module = import_module("py3langid")
            module.classify("")
            loaded.put(module)
        except Exception as problem:  # raised in the thread that asked
            loaded.put(problem)

    Thread(target=load, name="readgraph-languages", daemon=True).start()
    outcome = loaded.get()
    if isinstance(outcome, OSError):
        raise LibraryError(
            f"What knows languages can't be unpacked to a temporary file ({outcome.strerror}): "
            "make room there, or name another folder in TMPDIR."
        ) from outcome
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


@lru_cache(4096)
def _language_of_sample(sample: str) -> str:
    letters = 0 if sample.isascii() else len(_LETTER.findall(sample))
    for language, script in _BY_SCRIPT.items():
        if letters and len(script.findall(sample)) > _SCRIPT_SHARE * letters:
            return language
    words = _WORD.findall(sample.lower())
    if len(words) < _FEWEST_WORDS:
        return DEFAULT
    if seen := _language_of_words(words):
        return seen
    # What classifies also knows languages without such a code, such as "ary" and "lij".
    return next((language for language, _ in classifier().rank(sample) if language in NAMES), DEFAULT)


def _language_of_words(words: Sequence[str]) -> str:
    """English, or the language whose own words many of these are; "" where that is not certain."""
    if len(words) >= _FEWEST_WORDS and sum(word in _ENGLISH for word in words) > _ENGLISH_SHARE * len(words):
        return DEFAULT
    counts = Counter(language for word in words if (language := _LANGUAGE_OF_WORD.get(word)))
    (first, own), others = next(iter(counts.most_common(1)), ("", 0)), counts.total()
    many = own >= max(_FEWEST_OWN, _OWN_SHARE * len(words)) and others - own <= _MOST_OTHERS * own
    different = {word for word in words if _LANGUAGE_OF_WORD.get(word) == first} if many else ()
    return first if len(different) >= _FEWEST_DIFFERENT else ""


@lru_cache(4096)
def _certain_of_sample(sample: str) -> str:
    letters = _LETTER.findall(sample)
    for language, script in () if sample.isascii() else _BY_SCRIPT.items():
        share = len(script.findall(sample)) / len(letters)
        if share > _SCRIPT_SHARE:
            latin = sum(letter.isascii() for letter in letters) / len(letters)
            return language if latin < 1 - _SURE_SCRIPT_SHARE else ""
    words = _WORD.findall(sample.lower())
    if sum(word in _ONLY_ENGLISH for word in words) >= _ONLY_ENGLISH_SHARE * len(words):
        return DEFAULT
    if len(words) < _FEWEST_LATIN_WORDS:
        return ""
    ranked = classifier().rank(sample)
    heat = sqrt(len(sample.encode()))
    weights = [exp((score - ranked[0][1]) / heat) for _, score in ranked]
    first: str = ranked[0][0]
    return first if first in NAMES and weights[0] >= _LEAST_SURE * sum(weights) else ""

"""Stems: what the forms of a word have in common, by the language and the script it is written in.

Most stemmers are Snowball's (https://snowballstem.org). English, Arabic and Hebrew have light rules of our own.
"""

import re
from functools import lru_cache
from importlib import import_module
from typing import Any
from unicodedata import normalize

ENGLISH = "en"

_SNOWBALL = dict(
    pair.split(":")
    for pair in """
    ca:catalan cs:czech da:danish de:german el:greek eo:esperanto es:spanish et:estonian eu:basque fa:persian fi:finnish
    fr:french ga:irish hi:hindi hu:hungarian hy:armenian id:indonesian it:italian lt:lithuanian nb:norwegian ne:nepali
    nl:dutch nn:norwegian no:norwegian pl:polish pt:portuguese ro:romanian ru:russian sr:serbian sv:swedish ta:tamil
    tr:turkish yi:yiddish
    """.split()
)
"""Snowball's stemmers by language."""

_BEGUN_ALIKE = frozenset("ca cs da de es et eu fr hi hu it lt nb nn no pl pt ro ru sv tr".split())
"""Languages whose stemmer, which may take 0.3 ms for a word, never changes how a word begins."""

_WITHOUT_STEMMER = frozenset("az be bg bs hr ka kk ky lv mk mn ps sk sl sq ug uk ur".split())
"""Languages with many endings, for which there is no stemmer here."""

WITH_GRAMS = _WITHOUT_STEMMER | frozenset(("ar", "ru", "tr"))
"""Languages in which parts of words are searched for beside stems: where there is no stemmer, and where more was found
with them (`benchmarks/retrieval.py`)."""

_SCRIPTS = [
    (re.compile("[\u0370-\u03ff\u1f00-\u1fff]"), ["el"]),
    (re.compile("[\u0400-\u052f]"), ["ru", "be", "bg", "kk", "ky", "mk", "mn", "sr", "uk"]),
    (re.compile("[\u0530-\u058f]"), ["hy"]),
    (re.compile("[\u0590-\u05ff]"), ["he", "yi"]),
    (re.compile("[\u0600-\u06ff\u0750-\u077f]"), ["ar", "fa", "ps", "ug", "ur"]),
    (re.compile("[\u0900-\u097f]"), ["hi", "mr", "ne"]),
    (re.compile("[\u0b80-\u0bff]"), ["ta"]),
    (re.compile("[\u10a0-\u10ff]"), ["ka"]),
]
"""Scripts, and the languages written in them, the main one first."""

_NOT_LATIN = frozenset(language for _, languages in _SCRIPTS for language in languages) - {"sr"}
_LATIN, _CYRILLIC = re.compile("[a-z0-9_\u00aa-\u024f\u1e00-\u1eff]"), re.compile("[\u0400-\u052f]")
_ACCENTS = re.compile("[\u0300-\u036f]")


@lru_cache(maxsize=65_536)  # a text says the same words again and again
def stem(word: str, language: str = ENGLISH) -> str:
    """The stem of a case-folded word in a text of this language (ISO 639-1), without accents.

    Vietnamese keeps its accents, which make other words. Latin words of other languages without a stemmer are stemmed
    as English ones.
    """
    language = _language_of_word(word, language)
    if language == "vi":
        return word
    if language == "ar":
        return _arabic(word)
    if language == "he":
        return _hebrew(word)
    if language in _SNOWBALL:
        # A stemmer has a state, which threads can't share.
        return folded(_snowball(language)().stemWord(word)) or folded(word)
    return folded(word) if language in _WITHOUT_STEMMER or not _LATIN.match(word) else _english(folded(word))


def has_grams(word: str, language: str) -> bool:
    """Whether a word in a text of this language is searched for by its parts too."""
    return not (word.isascii() and language not in WITH_GRAMS) and _language_of_word(word, language) in WITH_GRAMS


def keeps_beginnings(language: str) -> bool:
    """Whether a word in this language begins (`folded`) as its stem does; a last letter of a short one may change."""
    return language in _BEGUN_ALIKE


def folded(word: str) -> str:
    """A word without accents; Cyrillic й and ї are letters of their own."""
    if word.isascii():
        return word
    if _CYRILLIC.match(word):
        return word.replace("ё", "е")
    return normalize("NFC", _ACCENTS.sub("", normalize("NFKD", word))).replace("ı", "i")


def _language_of_word(word: str, language: str) -> str:
    """The text's language, or the main one of the word's script where the text's has another script."""
    if not word.isascii():
        for letters, languages in _SCRIPTS:
            if letters.match(word):
                return language if language in languages else languages[0]
        if not _LATIN.match(word):
            return ""
    return ENGLISH if language in _NOT_LATIN else language


@lru_cache
def _snowball(language: str) -> Any:
    """The class of a stemmer, written in Python: a compiled one that may be installed has a version of its own."""
    name = _SNOWBALL[language]
    return getattr(import_module(f"snowballstemmer.{name}_stemmer"), f"{name.title()}Stemmer")


def _english(word: str) -> str:
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


_ARABIC_FOLDED = str.maketrans("أإآٱىیئؤک", "اااايييوك", "ـ")
_ARABIC_PREFIX = re.compile("(?:و?(?:ال|بال|كال|فال|لل)|و(?=...))(?=..)")
_ARABIC_SUFFIX = re.compile("(?<=..)(?:ها|ان|ات|ون|ين|يه|ية|ه|ة|ي)$")


def _arabic(word: str) -> str:
    """The article with what is joined to it, and endings of number, gender and possession, are left out.

    Light10 (Larkey, Ballesteros and Connell 2007). Snowball's stemmer has another stem for "مخطوطات" than for its
    singular.
    """
    word = word.translate(_ARABIC_FOLDED)
    if match := _ARABIC_PREFIX.match(word):
        word = word[match.end() :]
    while (shorter := _ARABIC_SUFFIX.sub("", word)) != word:
        word = shorter
    return word


_HEBREW_FINAL = str.maketrans("ךםןףץ", "כמנפצ")
_HEBREW_PREFIX = re.compile("(?:ו|ה|ב|ל|כש|כ|מה|שה)(?=...)")
_HEBREW_SUFFIX = re.compile("(?<=...)(?:ימ|ות|ה|ת|י)$")


def _hebrew(word: str) -> str:
    """One ending of number or gender, and the prefixes that hardly ever belong to a stem, while three letters stay.

    The prefixes מ and ש alone begin too many nouns.
    """
    word = _HEBREW_SUFFIX.sub("", word.translate(_HEBREW_FINAL).replace("יי", "י"))
    while match := _HEBREW_PREFIX.match(word):
        word = word[match.end() :]
    return word

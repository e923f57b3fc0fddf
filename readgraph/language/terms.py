"""The terms of a text and of a query, the same for every ranking by words; stems of words by their language.

A text is analysed in its language (ISO 639-1), and a query in that of the texts that it is compared with; words in
another script as those of the script's main language. Most stemmers are Snowball's (https://snowballstem.org). English,
Arabic and Hebrew have light rules of our own.
"""

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import cache, lru_cache, partial, update_wrapper
from importlib import import_module
from importlib.resources import files
from itertools import zip_longest
from threading import Lock
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar
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

BEGUN_ALIKE = frozenset("ca cs da de en es et eu fr hi hu it lt nb nn no pl pt ro ru sv tr".split())
"""Languages whose stemmer, which may take 0.3 ms for a word, never changes how a word begins (`fold_accents`); a last
letter of a short one may change."""

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

    Vietnamese keeps its accents. Latin words of other languages without a stemmer are stemmed as English ones.
    """
    if language == ENGLISH and word.isascii():
        return english_stem(word)
    language = language_of_word(word, language)
    if language == "vi":
        return word
    if language == "ar":
        return _arabic(word)
    if language == "he":
        return _hebrew(word)
    if language in _SNOWBALL:
        # A stemmer has a state, which threads can't share.
        return fold_accents(_snowball(language)().stemWord(word)) or fold_accents(word)
    return (
        fold_accents(word)
        if language in _WITHOUT_STEMMER or not _LATIN.match(word)
        else english_stem(fold_accents(word))
    )


MOST_WORDS = 65_536  # whose results a table keeps: a text says the same words again and again
Made = TypeVar("Made")


class WordTable(dict[str, Made]):
    """What a function makes of the words that were met last."""

    def __init__(self, function: Callable[[str], Made]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, word: str) -> Made:
        if len(self) >= MOST_WORDS:
            self.clear()
        self[word] = made = self._function(word)
        return made


@lru_cache(8)
def _stems(language: str) -> Mapping[str, str]:
    return WordTable(partial(stem, language=language))


@lru_cache(8)
def _content_stems(language: str) -> Mapping[str, Any]:  # None for a stop word
    stopped = stop_words(language)
    return WordTable(lambda token: None if token in stopped else stem(token, language))


def fold_accents(word: str) -> str:
    """A word without accents; Cyrillic й and ї are letters of their own."""
    if word.isascii():
        return word
    if _CYRILLIC.match(word):
        return word.replace("ё", "е")
    return normalize("NFC", _ACCENTS.sub("", normalize("NFKD", word))).replace("ı", "i")


def language_of_word(word: str, language: str) -> str:
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


_ENGLISH_ENDINGS = ("ing", "ed", "es", "s")


def english_stem(word: str) -> str:
    """A light English stem: plurals, -ing, -ed, and the letters that these double, drop or change.

    It was compared with FTS5's Porter stemmer on LoCoMo turns, QMSum chunks and Hotpot paragraphs: neither is better on
    all of them (`benchmarks/retrieval.py`), and with this one all rankings use the same words.
    """
    if word.endswith(_ENGLISH_ENDINGS) and not word.endswith("ss"):
        for ending in _ENGLISH_ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
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

    Light10 (Larkey, Ballesteros and Connell 2007). Snowball has another stem for "مخطوطات" than for its singular.
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


_OF_OTHER_SCRIPTS = ("ru", "ar", "he", "hi")


@cache
def stop_word_lists() -> dict[str, frozenset[str]]:
    """Words that say little about what a text is about, by language, with accents, case-folded, not stemmed."""
    text = files(__package__).joinpath("stop_words.txt").read_text(encoding="utf-8")
    parts = (part.partition("]") for part in text.split("[")[1:])
    return {language: frozenset(listed.split()) for language, _, listed in parts}


@lru_cache
def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language (ISO 639-1), else English ones, and those of the main languages of other scripts."""
    listed = stop_word_lists()
    return listed.get(language, listed[ENGLISH]).union(*(listed[other] for other in _OF_OTHER_SCRIPTS))


STOP_WORDS = stop_words(ENGLISH)
MOST_TERMS = 64  # the most different words of a query that are looked up; of a longer query the first ones are enough
GRAM = 4
"""Characters of the parts of words that are searched for beside words in some languages: "_fir", "fire", "ires"."""

# Scripts without spaces between words, or (Hangul) with endings joined to words. Here each character is a term, and
# each pair of neighbouring characters; in the alphabets of South East Asia each four characters too.
_ALPHABETS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
UNSPACED = f"{_ALPHABETS}\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
_INDIC = "\u0900-\u0963\u0966-\u0dff"  # `\w` does not match vowel signs, but they are inside words
_TOKEN = re.compile(rf"[{UNSPACED}]+|(?:[^\W{UNSPACED}]|[{_INDIC}])+")
_FOLDED = "".join(chr(code).lower() if chr(code).isalnum() or chr(code) == "_" else " " for code in range(128))
_ASCII_FOLDED = _FOLDED.encode().ljust(256)  # for bytes, which are translated in a tenth of the time of a string
_PRINTED_BETWEEN = "\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u00a0"  # often all that is not ASCII
_UNSPACED_START, _ALPHABET_START = re.compile(rf"[{UNSPACED}]"), re.compile(rf"[{_ALPHABETS}]")
_MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]")  # vowel points, which are seldom written
_DOTLESS = frozenset(("az", "tr"))
_GRAM_SIGN = "\u00b7"  # in no word, and no sign that parts words in the index


def words(text: str, language: str = ENGLISH) -> list[str]:
    """All words of a text in their order, case-folded and stemmed, without accents and full-width forms."""
    return [*map(_stems(language).__getitem__, tokens(text, language))]


def content_words(text: str, language: str = ENGLISH) -> list[str]:
    """The result of `words` without stop words."""
    stems = _content_stems(language)
    return [stemmed for stemmed in map(stems.__getitem__, tokens(text, language)) if stemmed is not None]


def different_content_words(text: str, language: str = ENGLISH) -> set[str]:
    """The words of `content_words`, each once, in half of its time."""
    found = {*map(_content_stems(language).__getitem__, tokens(text, language))}
    found.discard(None)
    return found


def tokens(text: str, language: str = ENGLISH) -> list[str]:
    """All words of a text in their order, case-folded and not stemmed, without full-width forms."""
    if language in _DOTLESS:
        text = text.replace("I", "ı").replace("İ", "i")
    if not text.isascii():
        for mark in _PRINTED_BETWEEN:
            text = text.replace(mark, " ")
    if text.isascii():
        return text.encode().translate(_ASCII_FOLDED).decode().split()
    found: list[str] = _TOKEN.findall(_MARKS.sub("", normalize("NFKC", normalize("NFKC", text).casefold())))
    if not any(map(_UNSPACED_START.match, found)):
        return found
    split = list[str]()
    for token in found:
        if not _UNSPACED_START.match(token):
            split.append(token)
            continue
        split += token
        for size in (2, GRAM) if _ALPHABET_START.match(token) else (2,):
            split += (token[start : start + size] for start in range(len(token) - size + 1))
    return split


def grams(token: str, language: str) -> list[str]:
    """The parts of a word that are searched for beside its stem; none in most languages."""
    if (token.isascii() and language not in WITH_GRAMS) or language_of_word(token, language) not in WITH_GRAMS:
        return []
    padded = f"_{token}_"
    return [f"{_GRAM_SIGN}{padded[at : at + GRAM]}" for at in range(len(padded) - GRAM + 1)]


def index_terms(text: str, language: str) -> list[str]:
    """The terms of a text in an index: `words`, and their `grams`."""
    found = tokens(text, language)
    stems = [*map(_stems(language).__getitem__, found)]
    if text.isascii() and language not in WITH_GRAMS:
        return stems
    return stems + [gram for token in found for gram in grams(token, language)]


def query_terms(query: str, *languages: str) -> list[str]:
    """The different terms to look for in texts of these languages (English by default), words first.

    They are those of words that are stop words in none of the languages, or of all words if there are no others.
    """
    spoken = languages or (ENGLISH,)
    stopped = frozenset[str]().union(*map(stop_words, spoken))
    by_language = {language: tokens(query, language) for language in spoken}
    content = {language: [token for token in found if token not in stopped] for language, found in by_language.items()}
    lists = [
        [(token, language) for token in dict.fromkeys(found)]
        for language, found in (content if any(content.values()) else by_language).items()
    ]
    wanted = [each for row in zip_longest(*lists) for each in row if each][:MOST_TERMS]
    stems = [stem(token, language) for token, language in wanted]
    return list(dict.fromkeys([*stems, *(gram for token, language in wanted for gram in grams(token, language))]))


def has_content(query: str, *languages: str) -> bool:
    """Whether a query has a word that is no stop word in any of these languages (English by default)."""
    spoken = languages or (ENGLISH,)
    stopped = frozenset[str]().union(*map(stop_words, spoken))
    return any(token not in stopped for language in spoken for token in tokens(query, language))


def affordable(frequencies: Mapping[str, int], most_rows: int) -> list[str]:
    """The rarest terms whose page counts (`frequencies`) add up to at most `most_rows`, at least one of them.

    A term costs time for each page that has it, and the more pages have it, the less it distinguishes them.
    """
    chosen: list[str] = []
    for term in sorted((term for term, pages in frequencies.items() if pages), key=lambda term: frequencies[term]):
        most_rows -= frequencies[term]
        if chosen and most_rows < 0:
            break
        chosen.append(term)
    return chosen


MOST_CHARACTERS = 2_000_000
"""Characters of all texts whose results one function keeps; those of one result may have a twentieth of them."""

Text = TypeVar("Text", bound=str | tuple[str, ...])
More = ParamSpec("More")
Result = TypeVar("Result")


class cache_by_text(Generic[Text, More, Result]):
    """A pure function of a text or several that keeps its newest results, which must not be changed."""

    def __init__(self, function: Callable[Concatenate[Text, More], Result]) -> None:
        self._function = function
        self._kept = OrderedDict[tuple[Text, tuple[object, ...]], Result]()
        self._characters, self._lock = 0, Lock()
        update_wrapper(self, function)

    def __call__(self, text: Text, *more: More.args, **named: More.kwargs) -> Result:
        """The function's result for this text, or these texts."""
        if (characters := _characters(text)) > MOST_CHARACTERS // 20:
            return self._function(text, *more, **named)
        key = text, (*more, *named.values())
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        result = self._function(text, *more, **named)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = result
                self._characters += characters
            while self._characters > MOST_CHARACTERS:
                (oldest, _), _ = self._kept.popitem(last=False)
                self._characters -= _characters(oldest)
        return result


def _characters(text: str | tuple[str, ...]) -> int:
    return len(text) if isinstance(text, str) else sum(map(len, text))

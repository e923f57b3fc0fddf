"""Which language a text is in."""

import re
from functools import lru_cache
from importlib import import_module

DEFAULT = "en"

SAMPLE, SAMPLES = 700, 3
"""Characters of each sample of a long text, and how many: a book's first page may be in another language."""

_BY_SCRIPT = {
    "ja": re.compile(r"[\u3040-\u30ff]"),
    "ko": re.compile(r"[\uac00-\ud7a3]"),
    "zh": re.compile(r"[\u4e00-\u9fff]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
    "he": re.compile(r"[\u0590-\u05ff]"),
    "el": re.compile(r"[\u0370-\u03ff]"),
}
"""Scripts that one language uses, most telling first: Japanese has Chinese characters too."""

_SCRIPT_SHARE = 0.2

_LETTER, _WORD = re.compile(r"[^\W\d_]"), re.compile(r"[^\W\d_]+")

_ENGLISH = frozenset("the of and to in that is was it for on as with his he be at by had not are but from".split())
_ENGLISH_SHARE, _FEWEST_WORDS = 0.15, 4
"""A text with this share of such words is English: no other language comes near, and no model has to be loaded."""


def language_of(text: str) -> str:
    """The ISO 639-1 code of a text's main language; English where there is too little to see it by."""
    parts = SAMPLES + 1
    if len(text) <= parts * SAMPLE:
        return _language_of_sample(text)
    return _language_of_sample(
        " ".join(text[at : at + SAMPLE] for at in range(len(text) // parts, len(text), len(text) // parts))
    )


@lru_cache(4096)
def _language_of_sample(sample: str) -> str:
    letters = len(_LETTER.findall(sample))
    for language, script in _BY_SCRIPT.items():
        if letters and len(script.findall(sample)) > _SCRIPT_SHARE * letters:
            return language
    words = _WORD.findall(sample.lower())
    if len(words) < _FEWEST_WORDS or sum(word in _ENGLISH for word in words) > _ENGLISH_SHARE * len(words):
        return DEFAULT
    classified: str = import_module("py3langid").classify(sample)[0]
    return classified

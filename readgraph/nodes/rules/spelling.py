"""What is written in two ways: "colour" and "color", and a name by its initials."""

import re
from collections.abc import Iterable, Iterator
from functools import cache

_PAIRS = [
    pair.split("/")
    for pair in "our/or ise/ize isa/iza isi/izi yse/yze tre/ter bre/ber logue/log fence/fense gramme/gram elled/eled "
    "elling/eling".split()
]
_WHOLE = {"grey": "gray", "greys": "grays", "mould": "mold", "plough": "plow", "tyre": "tire", "kerb": "curb"}
KEPT = 2  # letters before such an ending: not in "four" and "rise"
_WORD, _INITIALS = re.compile(r"[^\W\d_]{4,}"), re.compile(r"\b[A-Z]{2,6}\b")
_LITTLE = r"(?:(?:of|the|for|and|de|del|la|las|los|des|du|di|et|für|der|und) ){0,2}"
_NAME = re.compile(rf"[A-Z]\w+(?:[ -]{_LITTLE}[A-Z]\w+)+")


@cache
def fold_spelling(word: str) -> str:
    """An English word as Americans write it."""
    for british, american in _PAIRS:
        word = word[:KEPT] + word[KEPT:].replace(british, american)
    return _WHOLE.get(word, word)


def other_writings(sentence: str, texts: Iterable[str]) -> Iterator[str]:
    """How texts may write words of a sentence: otherwise spelt, names by their initials, or what these stand for."""
    for word in map(str.casefold, _WORD.findall(sentence)):
        british = word
        for ours, theirs in _PAIRS:
            british = british[:KEPT] + british[KEPT:].replace(theirs, ours)
        others = {fold_spelling(word), british, *(ours for ours, theirs in _WHOLE.items() if theirs == word)}
        yield from others - {word}
    yield from ("".join(re.findall(r"[A-Z]", name)) for name in _NAME.findall(sentence))
    for initials in {*_INITIALS.findall(sentence)}:
        begun = rf"[ -]{_LITTLE}".join(rf"(?i:{initial})\w+" for initial in initials)
        yield from next(filter(None, (re.findall(rf"\b{begun}", text)[:1] for text in texts)), [])

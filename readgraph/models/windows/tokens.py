"""How many tokens a text has: what no tokenizer in use goes below, and what few go above. No vocabulary is needed."""

import re

TOKENS_PER_WORD = 4 / 3  # on average
_LETTER, _DIGIT, _MARK = b"a", b"0", b"."


def _shape(character: str) -> bytes:
    if character.isspace():
        return b" "
    return _LETTER if character.isalpha() else _DIGIT if character.isdigit() else _MARK


_SHAPES = b"".join(_shape(chr(code)) for code in range(128)) + _MARK * 128
_NO_ASCII = re.compile(r"[^\x00-\x7f]+")
_IDEOGRAPHS = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]+")
_ALPHABETS = re.compile("[\u00c0-\u06ff]+")  # of European languages, Hebrew and Arabic: vocabularies know their words
IDEOGRAPHS_A_TOKEN = 4  # at most, on average: some vocabularies hold common phrases
LETTERS_A_TOKEN = 12  # at most, on average, of scripts without spaces between words


def fewest_tokens(text: str) -> int:
    """A number of tokens that no tokenizer in use goes below on a text of this length.

    A token may hold a long run of spaces, of one character, or of punctuation, but not two words with a space between
    them. What has no spaces is counted by its characters, where its script has no letters of one byte.
    """
    beside = 0
    if not text.isascii():
        runs = _NO_ASCII.findall(text)
        if ideographs := sum(map(len, _IDEOGRAPHS.findall("".join(runs)))):
            beside, text = ideographs // IDEOGRAPHS_A_TOKEN, _IDEOGRAPHS.sub(" ", text)
            runs = _NO_ASCII.findall(text)
        beside += sum(len(run) // LETTERS_A_TOKEN for run in runs)
        text = _NO_ASCII.sub("a", text)
    shape = b" " + text.encode().translate(_SHAPES).replace(_MARK, b"").replace(_DIGIT, _LETTER)
    return shape.count(b" a") + beside


def likely_tokens(text: str) -> int:
    """A number of tokens that today's tokenizers seldom go above: prose has fewer, and so has most code."""
    tokens = 0.0
    if not text.isascii():
        others = "".join(_NO_ASCII.findall(text))
        known = sum(map(len, _ALPHABETS.findall(others)))
        tokens = known / 1.5 + 1.3 * (len(others) - known)
        text = _NO_ASCII.sub("", text)
    shape = text.encode().translate(_SHAPES).replace(3 * _MARK, _MARK)
    words = (b" " + shape).count(b" a")
    letters, digits, marks = (shape.count(kind) for kind in (_LETTER, _DIGIT, _MARK))
    return round(tokens + max(words, letters / 3.4) + digits + marks)

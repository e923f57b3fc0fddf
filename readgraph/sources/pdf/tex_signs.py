"""What TeX draws of several signs, or with fonts whose codes are no letters: "´e" is é, "/=" ≠, and an "X" a sum."""

import re
from collections.abc import Iterator
from unicodedata import normalize

from readgraph.sources.pdf.words import WordReader

_ACCENTS = dict(zip("`´ˆ˜¨¯˘˙˚ˇ˝¸˛", "\u0300\u0301\u0302\u0303\u0308\u0304\u0306\u0307\u030a\u030c\u030b\u0327\u0328"))  # noqa: B905
_ACCENT = re.compile(f"[{''.join(_ACCENTS)}\u20d7]")
_STROKE = re.compile("[/\u0338] ?(?=[=<>≤≥≡∼≈≃≅∈∋⊂⊃⊆⊇⊢∥⇒→])")
_DOTLESS = {"ı": "i", "ȷ": "j"}
_SHORT = re.compile(r"(?<!\S)(?![a-z]{2}|\d+\b)\S{1,4}(?!\S)")  # words that may hold a sign of its own font
_EXTENSION = re.compile(rb"(?:^|\+)(?:CMEX|LMMathExt|[tp]xex|yhcmex)", re.IGNORECASE)
_SYMBOLS = re.compile(rb"(?:^|\+)(?:CMSY|LMMathSym|[tp]xsy)", re.IGNORECASE)
_CODES = dict(zip("FGHIJKLMNOPQRSTUVWXYZ`a", "⊔⨆∮∮⊙⨀⊕⨁⊗⨂∑∏∫⋃⋂⨄⋀⋁∑∏∫∐∐", strict=True))
_CODES |= dict(zip("bcdefghijklmnopqrs", "ˆˆˆ˜˜˜[]⌊⌋⌈⌉{}√√√√", strict=True))
_DEGREE, _ROOTS = re.compile(r"√([34])(?=\s)"), {"3": "∛", "4": "∜"}
CENTRED = 0.25  # font sizes by which two signs over each other may be apart
AXIS = 0.25  # font sizes from the feet of letters to the middle of large signs


def read_tex_signs(reader: WordReader) -> None:
    """Put the signs that are meant into the reader's text; large ones stand on the line in whose middle they are."""
    for match in [*_SHORT.finditer(reader.text)]:
        for index in range(*match.span()):
            _read_large(reader, index)
    signs = [*reader.text]
    for (base, mark), *texts in (*_accented(reader), *_negated(reader)):
        signs[base], signs[mark] = texts
    reader.text = "".join(signs)


def _read_large(reader: WordReader, index: int) -> None:
    sign, font = reader.text[index], reader.font_name(index)
    is_large = bool(_EXTENSION.search(font))
    if is_large and sign in _CODES:
        sign = _CODES[sign]
        reader.text = f"{reader.text[:index]}{sign}{reader.text[index + 1 :]}"
    if (is_large and sign not in "ˆ˜") or (sign == "√" and _SYMBOLS.search(font)):
        bottom, top = reader.ink(index)
        reader.lines[index] = (bottom + top) / 2.0 - AXIS * reader.font(index)[2]
        if sign == "√" and (degree := _DEGREE.match(reader.text, index)) and _is_over(reader, index, degree.end() - 1):
            root = _ROOTS[degree[1]]
            reader.text = f"{reader.text[:index]}{root:<{len(degree[0])}}{reader.text[degree.end() :]}"


def _accented(reader: WordReader) -> Iterator[tuple[tuple[int, int], str, str]]:
    """Letters and accents that are drawn over each other: their places, and what is to stand there."""
    for match in _ACCENT.finditer(reader.text):
        at, mark = match.start(), _ACCENTS.get(match[0], match[0])
        for near in (at + 1, at - 1, _letter_below(reader, at)):
            letter = reader.text[near : near + 1] if near >= 0 else ""
            if letter.isalpha() and _is_over(reader, at, near):
                base = _DOTLESS.get(letter, letter)
                is_apart = abs(near - at) > 1
                if not is_apart or len(base := normalize("NFC", base + mark)) == 1:
                    yield (
                        (near if is_apart else min(at, near), at if is_apart else max(at, near)),
                        base,
                        " " if is_apart else mark,
                    )
                break


def _letter_below(reader: WordReader, at: int) -> int:
    """The character below an accent that the file names elsewhere, as it does over capitals."""
    (left, _, right, _), size = reader.box(at), reader.font(at)[2]
    return reader.index_at((left + right) / 2.0, reader.origin(at, 1.0, 0.0)[1], 0.5, 0.4 * size)


def _negated(reader: WordReader) -> Iterator[tuple[tuple[int, int], str, str]]:
    for match in _STROKE.finditer(reader.text):
        at = match.end()
        if _is_over(reader, match.start(), at):
            yield (match.start(), at), reader.text[at], "\u0338"


def _is_over(reader: WordReader, sign: int, letter: int) -> bool:
    """Whether two signs are drawn over each other."""
    (left, _, right, _), (begin, _, end, _) = reader.box(sign), reader.box(letter)
    return abs(left + right - begin - end) < 2.0 * CENTRED * reader.font(letter)[2] and left < end and begin < right

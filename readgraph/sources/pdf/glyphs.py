"""Pages written from right to left, or from above: their lines, made from single characters by where they stand.

PDFium gives the characters of such a page in an order that holds for one line drawn at once at most.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise
from unicodedata import combining, normalize

from readgraph.sources.pdf.printed import SAME_LINE, PrintedLine
from readgraph.sources.pdf.words import (
    CJK,
    COLUMN_GAP,
    SMALLER,
    UPRIGHT,
    WordReader,
    direction_of,
    join_halves,
    set_off,
    shift_of,
)

RTL = "\u0590-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufeff"
RTL_LETTER = re.compile(rf"(?![\u0660-\u066d\u06f0-\u06f9])[{RTL}]")
_FORMS = re.compile("[\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc]+")  # letters as they look at the end of a word and so on
# In a line read from the right, by `_kind`: words of other letters with what stands between them, and single numbers.
_LTR_RUN = re.compile(r"(?:N[^RL]*)?L(?:[^R]*[LN])?|%?N(?:[.-]?N)*[$+-]?")
_RTL_RUN = re.compile(r"R(?:[^L]*R)?")
_BRACKETS = str.maketrans("()[]{}<>«»", ")(][}{><»«")
_OPENING, _CLOSING = "([{", ")]}"
ABOVE, MIDDLE = 0.88, 0.35  # font sizes from the line on which letters stand up to their top, and to their middle
MOST_IN_COLUMN = 4  # characters beside each other in a column of text from above
SAMPLE = 200  # characters by whose steps the direction of the writing is told
WIDEST_SPACE = 2.0  # font sizes of white space between the words of a stretched line
SPACE = 0.3  # font sizes of white space that part words where the file has no character


@dataclass(slots=True)
class _Glyph:
    """A character, or several drawn as one: where it begins and ends along its line, and where its line stands."""

    text: str
    begin: float
    end: float
    y: float
    size: float
    index: int
    is_mirrored: bool = False  # as brackets are from right to left


def take_unusual_pieces(reader: WordReader) -> tuple[list[PrintedLine], list[PrintedLine]]:
    """The pieces of lines that are written from right to left or from above, and of those of them turned otherwise.

    All of a page that is mostly so are taken. They stand as if it were mirrored, or turned: each line begins at its
    left and the first one is the highest. `spans` of the reader loses what is taken.
    """
    taken = list[tuple[int, int]]()
    if CJK.search(reader.text) and _goes_down(reader):
        taken = [span for span in reader.spans if not _goes_across(reader, *span)]
        reader.runs_down = True
        reader.spans = [span for span in reader.spans if _goes_across(reader, *span)]
        return [*_pieces(reader, [*chain.from_iterable(_glyphs(reader, taken, from_above=True).values())], None)], []
    if not (found := RTL_LETTER.findall(reader.text)):
        return [], []
    if is_rtl := 2 * len(found) > sum(sign.isalpha() for sign in reader.text):
        taken, reader.spans = reader.spans, taken
    else:
        are_rtl = [(span, bool(RTL_LETTER.search(reader.text, *span))) for span in reader.spans]
        taken = [span for span, is_own in are_rtl if is_own]
        reader.spans = [span for span, is_own in are_rtl if not is_own]
    groups = sorted(_glyphs(reader, taken).values(), key=len, reverse=True)
    if is_rtl:
        for glyph in chain.from_iterable(groups):
            glyph.begin, glyph.end = -glyph.end, -glyph.begin
    main, *others = ([*_pieces(reader, group, is_rtl)] for group in groups)
    return main, [*chain.from_iterable(others)]


def _goes_across(reader: WordReader, begin: int, end: int) -> bool:
    """Whether characters stand close to each other in a row, and are no number within a column."""
    text = reader.text[begin:end].strip()
    size, (x, y) = reader.font(begin)[2], reader.origin(begin, 1.0, 0.0)
    last_x, last_y = reader.origin(begin + len(text) - 1, 1.0, 0.0)
    fewest = 1 if any(map(str.isalpha, text)) and not CJK.search(text) else MOST_IN_COLUMN
    return len(text) > fewest and abs(last_y - y) < size and abs(last_x - x) < 1.3 * size * len(text)


def _goes_down(reader: WordReader) -> bool:
    """Whether most characters stand below the one before."""
    down = across = 0
    at = [match.start() for match in CJK.finditer(reader.text)][:SAMPLE]
    for first, second in pairwise(at):
        size = reader.font(first)[2] or 1.0
        (x, y), (next_x, next_y) = reader.origin(first, 1.0, 0.0), reader.origin(second, 1.0, 0.0)
        down += abs(next_x - x) < 0.4 * size < y - next_y < 2.5 * size
        across += abs(next_y - y) < 0.4 * size < next_x - x < 2.5 * size
    return down > across


def _glyphs(
    reader: WordReader, spans: Iterable[tuple[int, int]], *, from_above: bool = False
) -> dict[tuple[float, float], list[_Glyph]]:
    """The characters of spans by their direction, as if turned; those drawn as one (a ligature) are together."""
    glyphs = defaultdict[tuple[float, float], list[_Glyph]](list)
    last, line, direction = _Glyph("", 0.0, 0.0, 0.0, 1.0, -1), (0.0, 0.0), (0.0, 0.0)
    a, b, size, baseline = 1.0, 0.0, 1.0, 0.0
    for index, is_same in reader.characters(spans):
        sign = reader.text[index]
        if sign in " \r\n\0\ufffe\x02":
            continue
        left, bottom, right, top = reader.box(index)
        if not is_same and ((bottom, top) != line or direction != UPRIGHT):  # else of the same font as the one before
            a, b, size = reader.font(index)
            baseline = reader.origin(index, a, b)[1]
            line, direction = (bottom, top), direction_of(a, b)
        if from_above and direction == UPRIGHT:
            y = (left + right) / 2.0 if right - left > 0.01 else last.y  # no width: of a font that isn't in the file
            begin = -(reader.origin(index, 1.0, 0.0)[1] + ABOVE * size)
            end = begin + size
        else:
            begin, end = sorted((left * a + bottom * b, right * a + top * b))
            y = baseline + MIDDLE * size * from_above
        if (last.begin, last.end, last.y) == (begin, end, y) and last.index == index - 1:
            last.text, last.index = sign + last.text if RTL_LETTER.match(sign) else last.text + sign, index
        else:
            glyph = _Glyph(sign, begin, end, y, size or 1.0, index)
            if " " in reader.text[last.index + 1 : index] and abs(y - last.y) < SAME_LINE * size:
                at = _place_of_space(reader, last, glyph, a, b)
                glyphs[direction].append(_Glyph(" ", at, at, y, glyph.size, last.index))
            glyphs[direction].append(last := glyph)
    for glyph in chain.from_iterable(glyphs.values()):
        glyph.text = _FORMS.sub(lambda form: normalize("NFKC", form[0]), join_halves(glyph.text))
    return glyphs


def _place_of_space(reader: WordReader, last: _Glyph, glyph: _Glyph, a: float, b: float) -> float:
    """Where white space stands: between its neighbours if they stand side by side, else where its own box is."""
    gap = max(glyph.begin - last.end, last.begin - glyph.end)
    if -0.3 * glyph.size < gap < COLUMN_GAP * glyph.size:
        return (last.begin + last.end + glyph.begin + glyph.end) / 4.0
    left, bottom, right, top = reader.box(reader.text.index(" ", last.index + 1))
    return ((left + right) * a + (bottom + top) * b) / 2.0


def _pieces(reader: WordReader, glyphs: list[_Glyph], is_rtl: bool | None) -> Iterator[PrintedLine]:
    """The pieces of lines. `is_rtl`: whether nearly all runs from right to left; None where it runs from above."""
    lines = [line for row in _rows(glyphs) for line in _parts(row, spaced=is_rtl is not None)]
    swapped = 0
    made = list[tuple[list[_Glyph], list[_Glyph]]]()
    for line in lines:
        ordered = line if is_rtl is None else _order(line, is_rtl=is_rtl)
        made.append((line, ordered))
        first = next((glyph.text for glyph in ordered if glyph.is_mirrored and glyph.text in _OPENING + _CLOSING), "")
        swapped += bool(first) * (1 if first in _CLOSING else -1)
    for line, ordered in made:
        main = max(line, key=lambda glyph: glyph.size)
        brackets = _BRACKETS if swapped > 0 else {}
        texts = [glyph.text.translate(brackets) if glyph.is_mirrored else glyph.text for glyph in ordered]
        text = "".join(texts)
        if is_rtl is not None and any(glyph.y != main.y for glyph in ordered):
            shifts = (shift_of(glyph.text, glyph.y, glyph.size, main.y, main.size) for glyph in ordered)
            text = set_off(text, [shift for shift, own in zip(shifts, texts, strict=True) for _ in own])
        text = " ".join(text.split())
        if text:
            width = (line[-1].end - line[0].begin) * len(text.partition(" ")[0]) / len(text)
            bold = all(reader.is_bold(glyph.index) for glyph in (line[0], main, line[-1]))
            yield PrintedLine(text, line[0].begin, main.y, main.size, line[-1].end, None, width, bold)


def _rows(glyphs: Iterable[_Glyph]) -> list[list[_Glyph]]:
    """Characters by the lines in which they stand; points and accents are with their letters."""
    rows: list[list[_Glyph]] = []
    accents = list[_Glyph]()
    for glyph in sorted(glyphs, key=lambda glyph: -glyph.y):
        if combining(glyph.text[0]):
            accents.append(glyph)
            continue
        line = rows[-1][0] if rows else glyph
        if rows and line.y == glyph.y:
            rows[-1].append(glyph)
            continue
        size = max(line.size, glyph.size)
        is_smaller = min(line.size, glyph.size) < SMALLER * size
        if rows and abs(line.y - glyph.y) < (SAME_LINE + 0.2 * is_smaller) * size:
            rows[-1].append(glyph)
        else:
            rows.append([glyph])
    for accent in accents:
        near = [glyph for row in rows if abs(row[0].y - accent.y) < row[0].size for glyph in row if glyph.text != " "]
        middle = (accent.begin + accent.end) / 2
        if near:
            min(near, key=lambda glyph: abs((glyph.begin + glyph.end) / 2 - middle)).text += accent.text
    return rows


def _parts(row: list[_Glyph], *, spaced: bool) -> Iterator[list[_Glyph]]:
    """The pieces of a line, between wide white space; `spaced`: smaller white space parts words."""
    part, spaces, end = list[_Glyph](), list[_Glyph](), 0.0
    row = sorted(row, key=lambda glyph: glyph.begin + glyph.end)
    widest = _widest_space([glyph for glyph in row if glyph.text != " "])
    for glyph in row:
        if glyph.text == " ":
            spaces.append(glyph)
            continue
        gap = glyph.begin - end
        if part and gap > widest * glyph.size:
            yield part
            part = []
        elif part and spaced and gap > SPACE * glyph.size:
            spaces.append(_Glyph(" ", end, glyph.begin, glyph.y, glyph.size, glyph.index))
        end = max(end, glyph.end) if part else glyph.end
        part += [*(spaces if part and spaced else ()), glyph]
        spaces = []
    if part:
        yield part


def _widest_space(row: Sequence[_Glyph]) -> float:
    """Font sizes up to which white space parts words: more where a line is stretched, and all of it is as wide."""
    gaps = [(right.begin - left.end) / right.size for left, right in pairwise(row)]
    wide = [gap for gap in gaps if gap > SPACE]
    is_even = len(wide) > 2 and max(wide) < min(1.3 * min(wide), WIDEST_SPACE)
    return WIDEST_SPACE if is_even else COLUMN_GAP


def _order(line: list[_Glyph], *, is_rtl: bool) -> list[_Glyph]:
    """The characters of a line in the order of reading; `line` begins where the page's lines do."""
    kinds = "".join(_kind(glyph.text[0]) for glyph in line)
    if is_rtl:
        return line[::-1] if "R" not in kinds and "L" in kinds else _flip(line, kinds)
    ordered, end = list[_Glyph](), 0
    for run in _RTL_RUN.finditer(kinds):
        ordered += chain(line[end : run.start()], _flip(line[run.start() : run.end()][::-1], run[0][::-1]))
        end = run.end()
    return [*ordered, *line[end:]]


def _flip(line: Sequence[_Glyph], kinds: str) -> list[_Glyph]:
    """Characters read from the right, with those that are read from the left in their own order."""
    ordered, end = list[_Glyph](), 0
    for glyph in line:
        glyph.is_mirrored = True
    for run in _LTR_RUN.finditer(kinds):
        own = line[run.start() : run.end()][::-1]
        for glyph in own:
            glyph.is_mirrored = False
        ordered += chain(line[end : run.start()], own)
        end = run.end()
    return [*ordered, *line[end:]]


@cache
def _kind(sign: str) -> str:
    """R: a letter written from right to left; L: another letter; N: a digit; signs as they are, M for others."""
    if RTL_LETTER.match(sign):
        return "R"
    if sign.isdecimal():
        return "N"
    if sign.isalpha():
        return "L"
    return {"%": "%", "٪": "%", " ": " ", "-": "-", "+": "+", "$": "$", "€": "$", "£": "$", "₪": "$"}.get(
        sign, "." if sign in ".,:/·٫٬" else "M"
    )

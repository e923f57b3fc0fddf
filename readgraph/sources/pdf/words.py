"""The words of a page of a PDF, with their geometry."""

import ctypes
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import hypot
from operator import itemgetter
from statistics import median
from typing import TYPE_CHECKING
from unicodedata import normalize

if TYPE_CHECKING:
    from pypdfium2 import PdfTextPage

COLUMN_GAP = 0.9  # font sizes of white space that part two pieces of a line: a column's gutter, cells of a table
PARTED = 0.06  # the share of a character's height that parts two numbers
WORD_GAP = 0.1  # the share of a character's height that parts two words of which the file says nothing
UPRIGHT = (1.0, 0.0)  # the direction of text that isn't turned
ASLANT = 0.15  # how far up or across text goes at least that runs aslant, as shares of its length
SMALLER = 0.86  # the share of the line's font size below which what stands off the line is raised or lowered
HIGHER, LOWER = 0.075, 0.05  # font sizes off the line from which on smaller print is raised, or lowered
OFF = 0.2  # the same for digits that are as large as the line
RAISED, LOWERED, LEVEL = "\ufdd0", "\ufdd1", "\ufdd2"  # in a text: before and after what stands off its line
_WORD = re.compile(r"[^\s\x00\x02\ufffe]+[\x02\ufffe]?")
_DRAWN_LINE = re.compile(r"[^\r\n]+")
MARK = re.compile(r"\d{1,3}|[*†‡§¶]{1,3}")
CJK = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
_DIGITS = re.compile(r"\d\d+")
_MAY_BE_OFF = re.compile(r"[\d*†‡§¶]")
_HALVES = re.compile("[\ud800-\udfff]")
_BOLD = re.compile(rb"bold|black|heavy|demi|[-_]medi|(?:^|\+)(?:cm|ec|sf|lm|tc|la|ss)\w{0,3}b[xf]|mbx", re.IGNORECASE)
_LINE_END_HYPHEN = str.maketrans({"\x02": "-", "\ufffe": "-"})  # PDFium's signs for a hyphen at a line's end


@dataclass(slots=True)
class Word:
    """A word, or several that are drawn at once; `first_end` is where the first one ends.

    In `text`, what is raised stands between `RAISED` and `LEVEL`, what is lowered between `LOWERED` and `LEVEL`.
    """

    text: str
    x: float
    y: float
    size: float
    end: float
    direction: tuple[float, float]
    index: int
    first_end: float


class WordReader:
    """Words of a page with their geometry."""

    def __init__(self, page: "PdfTextPage") -> None:
        from pypdfium2 import raw

        self._raw, self._page = raw, page.raw
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._matrix, self._box = raw.FS_MATRIX(), raw.FS_RECTF()
        count = max(page.count_chars(), 0)
        text = page.get_text_range() if count else ""
        if len(text) != count:  # characters without a code, or with two: then one by one
            codes = (raw.FPDFText_GetUnicode(self._page, index) for index in range(count))
            text = "".join(chr(code) if 0 < code < 0x110000 else "\0" for code in codes)
        self.spans = [line.span() for line in _DRAWN_LINE.finditer(text)]  # what is drawn on a line
        self.runs_down = False  # whether text from above was taken from `spans`
        self.text = text  # a code above 16 bits stays as two halves, so that each position is PDFium's
        self.lines = dict[int, float]()  # the heights of lines on which large signs stand that hang from their origin

    @property
    def without_code(self) -> int:
        """The number of characters of which the file doesn't say which they are."""
        return self.text.count("\0") + self.text.count("\ufffd")

    def rows(self) -> list[tuple[float, float, float, float]]:
        """The box (left, bottom, right, top) around the first and the last character of each of `spans`."""
        ends = ((self.box(begin), self.box(end - 1)) for begin, end in self.spans)
        return [(min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])) for a, b in ends]

    def leave_out(self, taken: Collection[int]) -> None:
        """Take characters out of `spans`."""
        spans = list[tuple[int, int]]()
        for begin, end in self.spans:
            for index in range(begin, end + 1):
                if index == end or index in taken:
                    spans += [(begin, index)] * (begin < index)
                    begin = index + 1
        self.spans = spans

    def part_numbers(self) -> None:
        """Part `spans` where two numbers stand side by side, as in cells: PDFium passes over narrow white space."""
        edges = set[int]()
        for number in _DIGITS.finditer(self.text):
            boxes = [self.box(index) for index in range(*number.span())]
            gaps = [right[0] - left[2] for left, right in pairwise(boxes)]
            size = boxes[0][3] - boxes[0][1]
            widest = (PARTED if len(gaps) > 1 else 2.0 * PARTED) * size + 3.0 * max(min(gaps), 0.0) * (len(gaps) > 1)
            edges |= {number.start() + at for at, gap in enumerate(gaps, 1) if gap > widest}
        if edges:
            cuts = ((begin, *sorted(edge for edge in edges if begin < edge < end), end) for begin, end in self.spans)
            self.spans = [span for cut in cuts for span in pairwise(cut)]

    def words(self) -> Iterator[Word]:
        """The words of `spans`, in the order of the file; words of a line that is drawn at once are together."""
        for first, end in self.spans:
            if self._raw.FPDFText_CountRects(self._page, first, end - first) == 1:
                a, b, size = self.font(first)
                if (a, b) == (1.0, 0.0):
                    yield from self._run(first, end, size)
                    continue
            yield from self._single_words(first, end)

    def _run(self, first: int, end: int, size: float) -> Iterator[Word]:
        """The words between two characters that are drawn at once, in one font: together but where there is a gap."""
        box, get, page = self._box, self._raw.FPDFText_GetLooseCharBox, self._page
        y = self.origin(first, 1.0, 0.0)[1]
        begin, begin_x, first_end, last, last_end = -1, 0.0, 0.0, 0, 0.0
        for match in _WORD.finditer(self.text, first, end):
            get(page, match.start(), box)
            if begin >= 0 and box.left - last_end > COLUMN_GAP * size:
                yield Word(self.text_of(begin, last), begin_x, y, size, last_end, UPRIGHT, begin, first_end)
                begin = -1
            if begin < 0:
                begin, begin_x, first_end = match.start(), box.left, 0.0
            last = match.end()
            get(page, last - 1, box)
            last_end = max(box.right, begin_x)
            first_end = first_end or last_end
        if begin >= 0:
            yield Word(self.text_of(begin, last), begin_x, y, size or 1.0, last_end, UPRIGHT, begin, first_end)

    def text_of(self, first: int, end: int) -> str:
        """The text from one character up to another."""
        return compose(" ".join(join_halves(self.text[first:end].translate(_LINE_END_HYPHEN)).split()))

    def _single_words(self, begin: int, end: int) -> Iterator[Word]:
        box = self._box
        for first, last, may_be_off in self._spans(begin, end):
            a, b, size = self.font(first)
            x, y = self.origin(first, a, b)
            self._raw.FPDFText_GetLooseCharBox(self._page, last, box)
            right = max(float(max(box.left * a, box.right * a) + max(box.bottom * b, box.top * b)), x)
            if min(abs(a), abs(b)) > ASLANT:  # the box is wider than the character
                right = max(((box.left + box.right) * a + (box.bottom + box.top) * b) / 2.0 + size / 4.0, x)
            text = self.text[first : last + 1].translate(_LINE_END_HYPHEN)
            if first < last and may_be_off:
                text, y, size = self._set_off(text, first, a, b)
            yield Word(compose(join_halves(text)), x, y, size or 1.0, right, direction_of(a, b), first, right)

    def _spans(self, begin: int, end: int) -> Iterator[tuple[int, int, bool]]:
        """First and last character of each word, and whether some may be raised or lowered.

        White space ends a word, or a gap where the file has no character.
        """
        count, get, page, box = self._raw.FPDFText_CountRects, self._raw.FPDFText_GetLooseCharBox, self._page, self._box
        for match in _WORD.finditer(self.text, begin, end):
            first, last = match.start(), match.end() - 1
            if count(page, first, last - first + 1) == 1:  # drawn at once
                yield first, last, False
                continue
            get(page, first, box)
            gaps, right = list[float](), box.right  # the white space between characters, in heights of a character
            heights = [box.top - box.bottom]
            for index in range(first + 1, last + 1):
                get(page, index, box)
                heights.append(box.top - box.bottom)
                gaps.append((box.left - right) / (heights[-1] or 1.0))
                right = box.right
            may_be_off = (
                min(heights) < SMALLER * max(heights)
                or bool(_MAY_BE_OFF.search(match[0]))
                or self.font(first)[2] != self.font(last)[2]
            )
            widest = max(WORD_GAP, 3.0 * median(gaps)) if gaps else 0.0  # letters may be spaced
            for index, gap in enumerate(gaps, first + 1):
                if gap > widest:
                    yield first, index - 1, may_be_off
                    first = index
            yield first, last, may_be_off

    def characters(self, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, bool]]:
        """The characters of spans, and whether each is drawn at once with the one before."""
        for first, end in spans:
            at_once = self._raw.FPDFText_CountRects(self._page, first, end - first) == 1
            yield first, False
            for index in range(first + 1, end):
                yield index, at_once

    def is_bold(self, index: int) -> bool:
        """Whether the font of a character says that it is bold."""
        return bool(_BOLD.search(self.font_name(index)))

    def font_name(self, index: int) -> bytes:
        """The name of a character's font."""
        name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
        self._raw.FPDFText_GetFontInfo(self._page, index, name, 128, flags)
        return name.value

    def ink(self, index: int) -> tuple[float, float]:
        """Where what is drawn of a character begins and ends in height."""
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        self._raw.FPDFText_GetCharBox(self._page, index, left, right, bottom, top)
        return bottom.value, top.value

    def box(self, index: int) -> tuple[float, float, float, float]:
        """The left, bottom, right and top of a character with the white space that belongs to it."""
        self._raw.FPDFText_GetLooseCharBox(self._page, index, self._box)
        return self._box.left, self._box.bottom, self._box.right, self._box.top

    def index_at(self, x: float, y: float, width: float, height: float) -> int:
        """The character whose ink is at a point or next to it, within so many points across and up; else below 0."""
        return int(self._raw.FPDFText_GetCharIndexAtPos(self._page, x, y, width, height))

    def font(self, index: int) -> tuple[float, float, float]:
        """The direction of the writing (two numbers), and the font size in points."""
        matrix = self._matrix
        size = float(self._raw.FPDFText_GetFontSize(self._page, index))
        if not self._raw.FPDFText_GetMatrix(self._page, index, matrix):
            return 1.0, 0.0, size
        scale = hypot(matrix.a, matrix.b)
        return (matrix.a / scale, matrix.b / scale, size * hypot(matrix.c, matrix.d)) if scale else (1.0, 0.0, size)

    def origin(self, index: int, a: float, b: float) -> tuple[float, float]:
        """Where a character stands, in the direction of its writing and across it."""
        self._raw.FPDFText_GetCharOrigin(self._page, index, self._x, self._y)
        x, y = self._x.value, self.lines.get(index, self._y.value)
        return x * a + y * b, y * a - x * b

    def _set_off(self, text: str, first: int, a: float, b: float) -> tuple[str, float, float]:
        """A word in which what is raised or lowered stands between signs, and the word's own height and size."""
        fonts = [(self.origin(first + at, a, b)[1], self.font(first + at)[2]) for at in range(len(text))]
        y, size = max(fonts, key=lambda font: font[1])
        shifts = [shift_of(sign, *font, y, size) for sign, font in zip(text, fonts, strict=True)]
        return set_off(text, shifts), y, size


def direction_of(a: float, b: float) -> tuple[float, float]:
    """The direction of a writing, about; one that is all but level or upright counts as such."""
    digits = 1 if min(abs(a), abs(b)) > ASLANT else 0
    return round(a, digits), round(b, digits)


def set_off(text: str, shifts: Sequence[str]) -> str:
    """A text in which what is raised or lowered stands between signs; `shifts` says of each character what it is."""
    runs = groupby(zip(text, shifts, strict=True), key=itemgetter(1))
    parts = ((shift, "".join(sign for sign, _ in run)) for shift, run in runs)
    return "".join(f"{shift}{part}{LEVEL}" if shift else part for shift, part in parts)


def shift_of(text: str, y: float, size: float, line: float, line_size: float) -> str:
    """`RAISED` or `LOWERED` where characters stand so off their line; "" where they stand on it."""
    if size < SMALLER * line_size:
        high, low = HIGHER * line_size, LOWER * line_size
    elif text.isdecimal():
        high = low = OFF * line_size
    else:
        return ""
    return RAISED if y - line > high else LOWERED if line - y > low else ""


def join_halves(text: str) -> str:
    """A text in which two halves of a character above 16 bits are that character; a lone half goes."""
    if text.isascii() or not _HALVES.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")


def compose(text: str) -> str:
    """The text with its letters and their accents as one sign, where there is one."""
    return (
        text
        if text.isascii()
        else re.sub("\\w[\u0300-\u0338]|[^\\w\\s]\u0338", lambda pair: normalize("NFC", pair[0]), text)
    )

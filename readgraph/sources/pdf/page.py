"""A page of a PDF: its words with their geometry, as pieces of printed lines."""

import ctypes
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import hypot
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pypdfium2 import PdfPage, PdfTextPage

COLUMN_GAP = 0.9  # font sizes of white space that part two pieces of a line: a column's gutter, cells of a table
WORD_GAP = 0.1  # the share of a character's height that parts two words of which the file says nothing
UPRIGHT = (1, 0)  # the direction of text that isn't turned
# Font sizes above the line, and the share of the line's font size, from which on a number is a footnote's mark.
RAISED, SMALLER = 0.15, 0.86
_WORD = re.compile(r"[^\s\x00\x02\ufffe]+[\x02\ufffe]?")
_DRAWN_LINE = re.compile(r"[^\r\n]+")
MARK = re.compile(r"\d{1,3}|[*†‡§¶]{1,3}")
_MAY_HOLD_MARKS = re.compile(r"(?=.*[\d*†‡§¶])..")
_BOLD = re.compile(rb"bold|black|heavy|demi|[-_]medi|(?:^|\+)(?:cm|ec|sf|lm|tc|la|ss)\w{0,3}b[xf]|mbx", re.IGNORECASE)
_LINE_END_HYPHEN = str.maketrans({"\x02": "-", "\ufffe": "-"})  # PDFium's signs for a hyphen at a line's end


@dataclass(slots=True)
class Word:
    """A word, or several that are drawn at once; `first_end` is where the first one ends."""

    text: str
    x: float
    y: float
    size: float
    end: float
    direction: tuple[int, int]
    index: int
    marks: list[tuple[int, str]]
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
            text = "".join(chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\0" for code in codes)
        self._text = text

    def words(self) -> Iterator[Word]:
        """The page's words, in the order of the file; words of a line that is drawn at once are together."""
        for match in _DRAWN_LINE.finditer(self._text):
            first, end = match.span()
            if self._raw.FPDFText_CountRects(self._page, first, end - first) == 1:
                a, b, size = self._font(first)
                if (a, b) == (1.0, 0.0):
                    yield from self._run(first, end, size)
                    continue
            yield from self._single_words(first, end)

    def _run(self, first: int, end: int, size: float) -> Iterator[Word]:
        """The words between two characters that are drawn at once, in one font: together but where there is a gap."""
        box, get, page = self._box, self._raw.FPDFText_GetLooseCharBox, self._page
        y = self._origin(first, 1.0, 0.0)[1]
        begin, begin_x, first_end, last, last_end = -1, 0.0, 0.0, 0, 0.0
        for match in _WORD.finditer(self._text, first, end):
            get(page, match.start(), box)
            if begin >= 0 and box.left - last_end > COLUMN_GAP * size:
                yield Word(self._text_of_span(begin, last), begin_x, y, size, last_end, UPRIGHT, begin, [], first_end)
                begin = -1
            if begin < 0:
                begin, begin_x, first_end = match.start(), box.left, 0.0
            last = match.end()
            get(page, last - 1, box)
            last_end = max(box.right, begin_x)
            first_end = first_end or last_end
        if begin >= 0:
            yield Word(
                self._text_of_span(begin, last), begin_x, y, size or 1.0, last_end, UPRIGHT, begin, [], first_end
            )

    def _text_of_span(self, first: int, end: int) -> str:
        return " ".join(self._text[first:end].translate(_LINE_END_HYPHEN).split())

    def _single_words(self, begin: int, end: int) -> Iterator[Word]:
        box = self._box
        for first, last in self._spans(begin, end):
            a, b, size = self._font(first)
            x, y = self._origin(first, a, b)
            self._raw.FPDFText_GetLooseCharBox(self._page, last, box)
            right = max(float(max(box.left * a, box.right * a) + max(box.bottom * b, box.top * b)), x)
            text, marks = self._text[first : last + 1].translate(_LINE_END_HYPHEN), list[tuple[int, str]]()
            if _MAY_HOLD_MARKS.match(text):
                text, marks, y, size = self._without_marks(text, first, a, b, y, size)
            yield Word(text, x, y, size or 1.0, right, (round(a), round(b)), first, marks, right)

    def _spans(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """First and last character of each word: white space ends it, or a gap where the file has no character."""
        count, get, page, box = self._raw.FPDFText_CountRects, self._raw.FPDFText_GetLooseCharBox, self._page, self._box
        for match in _WORD.finditer(self._text, begin, end):
            first, last = match.start(), match.end() - 1
            if count(page, first, last - first + 1) == 1:  # drawn at once
                yield first, last
                continue
            get(page, first, box)
            gaps, right = list[float](), box.right  # the white space between characters, in heights of a character
            for index in range(first + 1, last + 1):
                get(page, index, box)
                gaps.append((box.left - right) / ((box.top - box.bottom) or 1.0))
                right = box.right
            widest = max(WORD_GAP, 3.0 * median(gaps)) if gaps else 0.0  # letters may be spaced
            for index, gap in enumerate(gaps, first + 1):
                if gap > widest:
                    yield first, index - 1
                    first = index
            yield first, last

    def is_bold(self, index: int) -> bool:
        """Whether the font of a character says that it is bold."""
        name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
        self._raw.FPDFText_GetFontInfo(self._page, index, name, 128, flags)
        return bool(_BOLD.search(name.value))

    def _font(self, index: int) -> tuple[float, float, float]:
        """The direction of the writing (two numbers), and the font size in points."""
        matrix = self._matrix
        size = float(self._raw.FPDFText_GetFontSize(self._page, index))
        if not self._raw.FPDFText_GetMatrix(self._page, index, matrix):
            return 1.0, 0.0, size
        scale = hypot(matrix.a, matrix.b)
        return (matrix.a / scale, matrix.b / scale, size * hypot(matrix.c, matrix.d)) if scale else (1.0, 0.0, size)

    def _origin(self, index: int, a: float, b: float) -> tuple[float, float]:
        self._raw.FPDFText_GetCharOrigin(self._page, index, self._x, self._y)
        x, y = self._x.value, self._y.value
        return x * a + y * b, y * a - x * b

    def _without_marks(
        self, text: str, first: int, a: float, b: float, y: float, size: float
    ) -> tuple[str, list[tuple[int, str]], float, float]:
        """A word without the raised numbers in it, these, and the word's own height and size."""
        fonts = [(self._origin(first + at, a, b)[1], self._font(first + at)[2]) for at in range(len(text))]
        y, size = max(fonts, key=lambda font: font[1])
        kept, marks = "", list[tuple[int, str]]()
        at = 0
        while at < len(text):
            mark = MARK.match(text, at)
            if mark and all(is_raised(*font, y, size) for font in fonts[at : mark.end()]):
                marks.append((len(kept), mark[0]))
                at = mark.end()
            else:
                kept += text[at]
                at += 1
        return kept, marks, y, size


def is_raised(y: float, size: float, line: float, line_size: float) -> bool:
    """Whether a character stands above its line as a footnote's mark does."""
    return size < SMALLER * line_size and y > line + RAISED * line_size * 0.5


SAME_LINE = 0.35  # font sizes that a word may stand above or below the line that it belongs to


@dataclass(slots=True)
class PrintedLine:
    """A printed line, or a piece of one: where it begins (points, from below) and its font size.

    `end` is where it ends, `edge` how far lines of its column go, `first` the width of its first word. `marks` are
    footnote marks that were taken out of the text: (character offset, mark). `start` is where the line begins in the
    document's text, once it is joined.
    """

    text: str
    x: float
    y: float
    size: float
    end: float = 0.0
    edge: float | None = None
    first: float = 0.0
    bold: bool = False
    is_row: bool = False
    marks: list[tuple[int, str]] = field(default_factory=list)
    start: int = -1


def read_pieces(page: "PdfPage") -> list[PrintedLine]:
    """The pieces of a page's lines, in the order of the file; text that is turned, as if the page were turned."""
    text = page.get_textpage()
    try:
        reader = WordReader(text)
        words = list(reader.words())
        if not words:
            return []
        letters = Counter[tuple[int, int]]()
        for word in words:
            letters[word.direction] += len(word.text)
        main = letters.most_common(1)[0][0]
        upright = _with_marks(_pieces([word for word in words if word.direction == main], reader))
        turned = _pieces([word for word in words if word.direction != main], reader)
        lowest = min((piece.y for piece in upright), default=0.0)
        for number, piece in enumerate(turned, 1):  # such as a stamp in the margin: after everything else
            piece.x, piece.end, piece.y = 0.0, piece.end - piece.x, lowest - 100.0 * number
        return [*upright, *turned]
    finally:
        text.close()


def _pieces(words: list[Word], reader: WordReader) -> list[PrintedLine]:
    """Words as pieces of lines: white space wider than a gap between words ends a piece."""
    groups: list[list[Word]] = []
    longest: Word | None = None
    for word in words:
        if longest is not None and _continues(groups[-1][-1], longest, word):
            groups[-1].append(word)
            longest = word if len(word.text) > len(longest.text) else longest
        else:
            groups.append([word])
            longest = word
    return [_piece(group, reader) for group in groups]


def _with_marks(pieces: list[PrintedLine]) -> list[PrintedLine]:
    """The pieces; a footnote mark that a file draws apart from its line belongs to it."""
    lone = [piece for piece in pieces if MARK.fullmatch(piece.text)]
    for mark in lone:
        for line in pieces:
            if mark.size >= SMALLER * line.size or not 0.0 < mark.y - line.y < 0.6 * line.size:
                continue
            if -0.1 * line.size < mark.x - line.end < 0.3 * line.size:
                line.marks.append((len(line.text), mark.text))
            elif 0.0 <= line.x - mark.end < COLUMN_GAP * line.size:
                line.text, line.x = f"{mark.text} {line.text}", mark.x
            else:
                continue
            pieces = [piece for piece in pieces if piece is not mark]
            break
    return pieces


def _continues(last: Word, longest: Word, word: Word) -> bool:
    """Whether a word stands in the line of others, of which the longest says where the line is."""
    size = max(longest.size, word.size)
    smaller = min(longest.size, word.size) < SMALLER * size  # raised, or beside raised
    off = abs(word.y - longest.y)
    return off < (SAME_LINE + 0.2 * smaller) * size and -0.3 * size < word.x - last.end < COLUMN_GAP * size


def _piece(words: list[Word], reader: WordReader) -> PrintedLine:
    """A piece of these words, without the footnote marks after the first of them."""
    main = max(words, key=lambda word: len(word.text))
    text, marks, end = "", list[tuple[int, str]](), 0.0
    for word in words:
        own = word.marks
        if text and MARK.fullmatch(word.text) and is_raised(word.y, word.size, main.y, main.size):
            own, written = [(0, word.text)], ""
        elif not text and own and own[0][0] == 0:  # a line may begin with the mark of its note
            mark = own[0][1]
            written = f"{mark} {word.text}".strip()
            own = [(at + len(mark) + 1, other) for at, other in own[1:]]
        else:
            written = word.text
        after_mark = bool(marks) and marks[-1][0] == len(text) and word.x - end < 0.1 * main.size
        start = len(text) + (1 if text and written and not after_mark else 0)
        text = f"{text:<{start}}{written}"
        marks += [(start + at, mark) for at, mark in own]
        end = max(end, word.end)
    first = words[0]
    bold = all(reader.is_bold(word.index) for word in (main, first, words[-1]))
    return PrintedLine(text, first.x, main.y, main.size, end, None, first.first_end - first.x, bold, marks=marks)

"""A page of a PDF as pieces of printed lines: their words, where they stand, and their size."""

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from readgraph.sources.pdf.words import COLUMN_GAP, MARK, SMALLER, Word, WordReader, is_raised

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

SAME_LINE = 0.35
"""Font sizes that a word may stand above or below the line that it belongs to."""


@dataclass(slots=True)
class Line:
    """A printed line, or a piece of one: where it begins (points, from below) and its font size, where known.

    `end` is where it ends, `edge` how far lines of its column go, `first` the width of its first word. `marks` are
    footnote marks that were taken out of the text: (character offset, mark). `start` is where the line begins in the
    document's text, once it is joined.
    """

    text: str = ""
    x: float | None = None
    y: float | None = None
    size: float = 0.0
    end: float | None = None
    edge: float | None = None
    first: float = 0.0
    bold: bool = False
    is_row: bool = False
    marks: list[tuple[int, str]] = field(default_factory=list)
    start: int = -1


@dataclass(slots=True)
class Piece(Line):
    """A line, or a part of one, whose place on the page is known."""

    x: float = 0.0
    y: float = 0.0
    end: float = 0.0


def read_pieces(page: "PdfPage") -> list[Piece]:
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


def _pieces(words: list[Word], reader: WordReader) -> list[Piece]:
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


def _with_marks(pieces: list[Piece]) -> list[Piece]:
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


def _piece(words: list[Word], reader: WordReader) -> Piece:
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
    return Piece(
        text,
        first.x,
        main.y,
        main.size,
        end,
        first=first.first_end - first.x,
        bold=reader.is_bold(main.index),
        marks=marks,
    )

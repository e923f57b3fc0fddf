"""A page of a PDF as pieces of printed lines."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from operator import add, attrgetter
from typing import TYPE_CHECKING

from readgraph.sources.pdf.drawn_lines import Box, lines_through
from readgraph.sources.pdf.fractions import take_fractions
from readgraph.sources.pdf.glyphs import RTL_LETTER, take_unusual_pieces
from readgraph.sources.pdf.printed import SAME_LINE, PrintedLine
from readgraph.sources.pdf.struck import drop_struck
from readgraph.sources.pdf.tex_signs import read_tex_signs
from readgraph.sources.pdf.words import (
    COLUMN_GAP,
    LEVEL,
    LOWERED,
    MARK,
    RAISED,
    SMALLER,
    UPRIGHT,
    Word,
    WordReader,
    shift_of,
)

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

_WITHIN = re.compile(f"(?:^|(?<={LEVEL}))[^{RAISED}{LOWERED}]+")  # what of a word stands on its line
STRUCK = "passage that is struck out"
ASLANT = "line that is drawn aslant and set apart"
LONGEST_OFF = 6  # characters of what a file draws off its line, apart from it
NEAR_STEP = 8.0  # points
GLUED = 0.15  # font sizes of white space below which what is off the line belongs to the word beside it


def read_pieces(
    page: "PdfPage", marked: Sequence[Box] = (), leave_out: Callable[[str], object] = str
) -> tuple[list[PrintedLine], int]:
    """The pieces of a page's lines, in the order of the file, and the number of characters whose code is not known.

    Text that is turned comes as if the page were turned. `marked` are the places that remarks on the page strike out;
    `leave_out` is told the kind of each passage that is left out.
    """
    text = page.get_textpage()
    try:
        reader = WordReader(text)
        read_tex_signs(reader)
        lines = lines_through(reader.rows(), page)
        for _ in range(drop_struck(reader, lines, marked)):
            leave_out(STRUCK)
        reader.part_numbers()
        unusual, usual = take_unusual_pieces(reader), _usual_pieces(reader, lines, leave_out)
        upright, turned = map(add, unusual, usual)
        if reader.runs_down:  # what is written across, such as captions, is no part of its lines
            letters = [sum(len(piece.text) for piece in pieces) for pieces in (unusual[0], usual[0])]
            upright, apart = (unusual[0], usual[0]) if letters[0] > letters[1] else (usual[0], unusual[0])
            turned = [*apart, *usual[1]]
        lowest = min((piece.y for piece in upright), default=0.0)
        for number, piece in enumerate(turned, 1):  # such as a stamp in the margin: after everything else
            piece.x, piece.end, piece.y = 0.0, piece.end - piece.x, lowest - 100.0 * number
        return [*upright, *turned], reader.without_code
    finally:
        text.close()


def _usual_pieces(
    reader: WordReader, lines: Sequence[Box], leave_out: Callable[[str], object]
) -> tuple[list[PrintedLine], list[PrintedLine]]:
    """The pieces in the direction in which most of a page is written, and the others."""
    fractions = [] if RTL_LETTER.search(reader.text) else take_fractions(reader, lines)
    words = sorted([*reader.words(), *fractions], key=attrgetter("index")) if fractions else list(reader.words())
    letters = Counter[tuple[float, float]]()
    for word in words:
        letters[word.direction] += len(word.text)
    main = max(letters, key=lambda direction: letters[direction], default=UPRIGHT)
    pieces = _join_marks(_pieces([word for word in words if word.direction == main], reader))
    turned = list[PrintedLine]()
    for direction in letters:
        if direction != main:
            turned += (own := _pieces([word for word in words if word.direction == direction], reader))
            for _ in own if 0.0 not in direction else ():
                leave_out(ASLANT)
    return pieces, turned


def _pieces(words: list[Word], reader: WordReader) -> list[PrintedLine]:
    """Words as pieces of lines: white space wider than a gap between words ends a piece."""
    groups: list[list[Word]] = []
    longest: Word | None = None
    for word in _place_off_line(words):
        if longest is not None and _continues(groups[-1][-1], longest, word):
            groups[-1].append(word)
            longest = word if len(word.text) > len(longest.text) else longest
        else:
            groups.append([word])
            longest = word
    return [_piece(group, reader) for group in groups]


def _place_off_line(words: list[Word]) -> list[Word]:
    """The words; what a file draws apart from its line, raised or lowered, comes after the word at which it stands."""
    largest = max((word.size for word in words), default=0.0)
    lone = [
        word
        for last, word in pairwise(words)
        if word.size < SMALLER * largest and len(word.text) <= LONGEST_OFF and not _continues(last, last, word)
    ]
    if not lone:
        return words
    near = defaultdict[int, list[Word]](list)  # words by where they end, in steps of `NEAR_STEP`
    are_lone = set(map(id, lone))
    for word in words:
        if id(word) not in are_lone:
            near[round(word.end / NEAR_STEP)].append(word)
    after = dict[int, list[Word]]()
    for word in lone:
        at = round(word.x / NEAR_STEP)
        beside = chain(near[at], near[at - 1], near[at + 1])
        line = next((line for line in beside if _is_off(word, line)), None)
        if line:
            after.setdefault(id(line), []).append(word)
    moved = {id(word) for group in after.values() for word in group}
    kept = (word for word in words if id(word) not in moved)
    return [each for word in kept for each in (word, *after.get(id(word), ()))]


def _is_off(word: Word, line: Word) -> bool:
    """Whether a word stands raised or lowered at the end of another."""
    if not -0.4 * line.size < word.y - line.y < 0.6 * line.size or word.size >= SMALLER * line.size:
        return False
    is_near = -0.1 * line.size < word.x - line.end < (0.3 if MARK.fullmatch(word.text) else GLUED) * line.size
    return is_near and shift_of(word.text, word.y, word.size, line.y, line.size) != ""


def _join_marks(pieces: list[PrintedLine]) -> list[PrintedLine]:
    """The pieces; a footnote mark that a file draws apart, before its line, belongs to it."""
    for mark in [piece for piece in pieces if MARK.fullmatch(piece.text)]:
        for line in pieces:
            is_off = mark.size < SMALLER * line.size and 0.0 < mark.y - line.y < 0.6 * line.size
            if is_off and 0.0 <= line.x - mark.end < COLUMN_GAP * line.size:
                line.text, line.x = f"{mark.text} {line.text}", mark.x
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
    """A piece of these words; what is off the line stands between signs, but at its beginning: a note's own mark."""
    main = max(words, key=lambda word: len(word.text))
    text, end = "", 0.0
    for word in words:
        shift = shift_of(word.text, word.y, word.size, main.y, main.size)
        is_off = shift or word.text[0] in (RAISED, LOWERED) or text.endswith(LEVEL)
        is_glued = is_off and word.x - end < GLUED * main.size
        written = _WITHIN.sub(rf"{shift}\g<0>{LEVEL}", word.text) if shift and text else word.text
        if not text and written[0] in (RAISED, LOWERED):
            written = written[1:].replace(LEVEL, " ", 1).strip()
        text = f"{text}{'' if is_glued or not text else ' '}{written}"
        end = max(end, word.end)
    first = words[0]
    bold = all(reader.is_bold(word.index) for word in (main, first, words[-1]))
    return PrintedLine(text, first.x, main.y, main.size, end, None, first.first_end - first.x, bold)

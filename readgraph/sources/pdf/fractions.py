"""Fractions that stand in a line, one part above a drawn bar and one below: written "3/4"."""

import re
from collections.abc import Iterator, Sequence

from readgraph.sources.pdf.drawn_lines import Box
from readgraph.sources.pdf.words import UPRIGHT, Word, WordReader

LONGEST_BAR = 60.0  # points
BESIDE = 8.0  # points around the end of a bar in which text stands at its height
HIGHEST = 0.6  # font sizes from a bar up to the feet of the part above
LOWEST, LOWER = 0.4, 1.3  # font sizes from a bar down to the feet of the part below
COVERED = 0.4  # the share of a bar that the longer part takes
AXIS = 0.25  # font sizes from the feet of letters to the height of bars
SMALL = 0.7  # the usual font size of the parts, in those of the line
MORE = 12  # characters
_SIMPLE = re.compile(r"\w+(?:[.,]\w+)*")


def take_fractions(reader: WordReader, lines: Sequence[Box]) -> list[Word]:
    """The fractions as words, whose characters leave the reader's `spans`.

    Text must stand beside the bar, at its height: beside the rule above a column's sum, none does.
    """
    return [word for line in lines for word in _fraction(reader, *line)]


def _fraction(reader: WordReader, begin: float, low: float, end: float, high: float) -> Iterator[Word]:
    at, length = (low + high) / 2.0, end - begin
    if not high - low < length < LONGEST_BAR:
        return
    if not any(_is_at_height(reader, reader.index_at(x, at, BESIDE, 0.1), at) for x in (begin - 4.0, end + 4.0)):
        return
    above, below = (
        _part(reader, reader.index_at((begin + end) / 2.0, y, length, 6.0), begin, end) for y in (at + 4.0, at - 4.0)
    )
    if not above or not below:
        return
    size = reader.font(above[0])[2]
    up, down = (reader.origin(part[0], 1.0, 0.0)[1] - at for part in (above, below))
    taken = max(reader.box(part[-1])[2] - reader.box(part[0])[0] for part in (above, below))
    length -= high - low  # the drawn width of a line is also added at its ends
    is_near = 0.0 < up < HIGHEST * size and LOWEST * size < -down < LOWER * size
    is_whole = {*above, *below} == {*_around(reader, above + below, (begin, at - LOWER * size, end, at + size))}
    if is_near and is_whole and taken > COVERED * length:
        text = "/".join(_write(reader.text_of(part[0], part[-1] + 1)) for part in (above, below))
        reader.leave_out({*above, *below})
        y, size = at - AXIS * size / SMALL, size / SMALL
        yield Word(text, begin, y, size, end, UPRIGHT, min(above[0], below[0]), end)


def _is_at_height(reader: WordReader, index: int, at: float) -> bool:
    """Whether a character stands in the line to which a bar at this height belongs."""
    if index < 0:
        return False
    size, y = reader.font(index)[2], reader.origin(index, 1.0, 0.0)[1]
    return 0.1 * size < at - y < 0.45 * size


def _part(reader: WordReader, index: int, begin: float, end: float) -> list[int]:
    """The characters around one that stand on its line and within the bar."""
    if index < 0:
        return []
    y, size = reader.origin(index, 1.0, 0.0)[1], reader.font(index)[2]
    part = list[int]()
    for step in (-1, 1):
        at = index if step < 0 else index + 1
        while 0 <= at < len(reader.text) and (reader.text[at] == " " or _is_of_part(reader, at, y, size, begin, end)):
            part += [at] * (reader.text[at] != " ")
            at += step
    return sorted(part)


def _around(reader: WordReader, found: Sequence[int], box: Box) -> Iterator[int]:
    """The characters in a box that are drawn with others or shortly before or after them."""
    for index in range(max(min(found) - MORE, 0), min(max(found) + MORE, len(reader.text))):
        if reader.text[index] > " ":
            left, _, right, _ = reader.box(index)
            if box[0] < (left + right) / 2.0 < box[2] and box[1] < reader.origin(index, 1.0, 0.0)[1] < box[3]:
                yield index


def _is_of_part(reader: WordReader, index: int, y: float, size: float, begin: float, end: float) -> bool:
    left, _, right, _ = reader.box(index)
    is_on_line = abs(reader.origin(index, 1.0, 0.0)[1] - y) < 0.05 * size > abs(reader.font(index)[2] - size)
    return is_on_line and begin < (left + right) / 2.0 < end


def _write(part: str) -> str:
    return part if _SIMPLE.fullmatch(part) else f"({part})"

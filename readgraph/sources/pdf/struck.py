"""Text that is struck out: a thin line crosses it at about half its height, and begins and ends with it.

Lines under text and above it, bars of fractions, rules of tables and lines of charts don't do that.
"""

from bisect import bisect
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

from readgraph.sources.pdf.drawn_lines import Box
from readgraph.sources.pdf.words import CJK, WordReader

THICK = 0.3  # font sizes of a line, with what PDFium adds to it
LOWEST, HIGHEST = 0.15, 0.46  # font sizes from the foot of letters to a line that crosses them
MIDDLE = 0.25  # font sizes that a line may be off the middle of letters that stand above each other
BEYOND = 0.6  # font sizes by which a line may go beyond the text
COVERED = 0.8  # the share of the text's width that it is under a line
NEAR, WIDE = 3.0, 12.0  # points from a line's end to where a letter is looked for, and how wide
_Span = tuple[int, int]


def drop_struck(reader: WordReader, lines: Sequence[Box], marked: Sequence[Box]) -> int:
    """Take from the reader's `spans` what drawn lines strike out, or a remark `marked` so; the number of passages."""
    found = [own for line in lines if (own := _struck_by(reader, line))]
    struck = {index for own in found if len(own) > 1 or reader.text[own[0]].isdecimal() for index in own}
    struck |= {own[0] for own in found if len(own) == 1 and _is_beside(struck, reader.text, own[0])}
    struck.update(index for box in marked for index in _within(reader, box))
    if not struck:
        return 0
    reader.leave_out(struck)
    return 1 + sum(bool(reader.text[first + 1 : second].strip()) for first, second in pairwise(sorted(struck)))


def _is_beside(struck: set[int], text: str, index: int) -> bool:
    """Whether a single character goes on with what is struck out: else it may be drawn in two parts, such as Đ."""
    after = len(text) - len(text[index + 1 :].lstrip())
    return after in struck or len(text[:index].rstrip()) - 1 in struck


def _within(reader: WordReader, marked: Box) -> Iterator[int]:
    """The characters whose middle is in a box."""
    left, bottom, right, top = marked
    for index, (start, low, end, high) in _boxes(reader, reader.spans):
        if left < (start + end) / 2.0 < right and low < (bottom + top) / 2.0 < high:
            yield index


def _struck_by(reader: WordReader, line: Box) -> list[int]:
    """The characters that a line strikes out."""
    along = int(line[3] - line[1] > line[2] - line[0])  # edges of boxes that are along the line: this, the next but one
    across = 1 - along
    begin, end, at = line[along], line[along + 2], (line[across] + line[across + 2]) / 2.0
    spans, is_crossed = set[_Span](), False
    for near in (min(begin + NEAR, end), max(end - NEAR, begin)):
        x, y = (at, near) if along else (near, at)
        index = reader.index_at(x, y, *((0.1, WIDE) if along else (WIDE, 0.1)))
        if index < 0 or not (before := bisect(reader.spans, (index, len(reader.text)))):
            return []
        is_crossed |= _size_if_crossed(reader, index, reader.box(index), at, goes_down=bool(along)) > 0.0
        spans.update(reader.spans[max(before - 2, 0) : before + 1])  # what is raised may be drawn apart
    if not is_crossed:
        return []
    under = [
        (index, box)
        for index, box in _boxes(reader, spans)
        if begin < (box[along] + box[along + 2]) / 2.0 < end and box[across] < at < box[across + 2]
    ]
    sizes = [_size_if_crossed(reader, index, box, at, goes_down=bool(along)) for index, box in under]
    size = max(sizes, default=0.0)
    if 2 * sum(map(bool, sizes)) <= len(sizes) or line[across + 2] - line[across] > THICK * size:
        return []
    first, last = min(box[along] for _, box in under), max(box[along + 2] for _, box in under)
    fits = first - begin < BEYOND * size > end - last and end - begin > COVERED * (last - first)
    return [index for index, _ in under] if fits else []


def _boxes(reader: WordReader, spans: Sequence[_Span] | set[_Span]) -> Iterator[tuple[int, Box]]:
    for index in chain.from_iterable(range(*span) for span in spans):
        if reader.text[index] > " ":
            yield index, reader.box(index)


def _size_if_crossed(reader: WordReader, index: int, box: Box, at: float, *, goes_down: bool) -> float:
    """The font size of a character that a line crosses in its middle, else 0."""
    a, b, size = reader.font(index)
    if goes_down and abs(a) > abs(b):  # letters above each other
        is_near = abs((box[0] + box[2]) / 2.0 - at) < MIDDLE * size
        return size if is_near and CJK.match(reader.text[index]) else 0.0
    height = at * (-b if goes_down else a) - reader.origin(index, a, b)[1]
    return size if LOWEST * size < height < HIGHEST * size else 0.0

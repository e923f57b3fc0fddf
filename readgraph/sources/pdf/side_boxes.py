"""Boxes beside which the text of a page is narrower: they are read after it, not within its sentences."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from readgraph.sources.pdf.layout import NEAR
from readgraph.sources.pdf.printed import PrintedLine

FEWEST = 3  # lines of a box, and of the text beside it
FEWEST_WORDS = 2.0  # of a line, on average: cells have fewer
WIDEST_STEP = 2.2  # font sizes from line to line of a box
WITHIN = 0.25  # the share of lines that begin within a sentence


def take_box(pieces: list[PrintedLine]) -> tuple[list[PrintedLine], list[PrintedLine]]:
    """The pieces of a page of one column without a side box, and those of the box.

    On its height, nothing crosses from one side to the other, both sides are running text, and a sentence of the text
    goes on from wide lines to narrow ones, or back, which it doesn't in the cells of a table.
    """
    begin, end = min((piece.x for piece in pieces), default=0.0), max((piece.end for piece in pieces), default=0.0)
    middle = [piece for piece in pieces if 0.15 < (piece.x - begin) / ((end - begin) or 1.0) < 0.9]
    starts = Counter(round(piece.x / NEAR) for piece in middle)
    for start, count in starts.most_common(4):
        if count < FEWEST:
            break
        for run in _runs([piece for piece in middle if abs(piece.x / NEAR - start) <= 1.0]):
            if box := _box_beside(pieces, run):
                own = set(map(id, box))
                return [piece for piece in pieces if id(piece) not in own], box
    return pieces, []


def _runs(pieces: list[PrintedLine]) -> list[list[PrintedLine]]:
    """Pieces from above, where each stands closely below the one before."""
    pieces.sort(key=lambda piece: -piece.y)
    runs = [pieces[:1]]
    for above, below in pairwise(pieces):
        if above.y - below.y < WIDEST_STEP * above.size:
            runs[-1].append(below)
        else:
            runs.append([below])
    return [run for run in runs if len(run) >= FEWEST]


def _box_beside(pieces: Sequence[PrintedLine], run: Sequence[PrintedLine]) -> list[PrintedLine]:
    """The lines of the box, if these stand beside running text or are text beside a box; else none."""
    edge = min(piece.x for piece in run)
    top, bottom = run[0].y + 0.8 * run[0].size, run[-1].y - 0.8 * run[-1].size
    band = [piece for piece in pieces if bottom <= piece.y <= top]
    left = [piece for piece in band if piece.x < edge - NEAR]
    right = [piece for piece in band if piece.x >= edge - NEAR]
    if any(piece.end > edge for piece in left) or not (_is_running(left) and _is_running(right)):
        return []
    wide = [piece for piece in pieces if piece.x < edge - NEAR and piece.end > edge + NEAR]
    narrow = [piece for piece in pieces if piece.end <= edge], [piece for piece in pieces if piece.x >= edge - NEAR]
    for text, box, same_side in ((left, right, narrow[0]), (right, left, narrow[1])):
        near = _with_lines_near(text, same_side)
        if _width(text) > _width(box) and _goes_on(near, wide):
            for piece in near:
                piece.edge = max(other.end for other in near)
            return sorted(box, key=lambda piece: (-piece.y, piece.x))
    return []


def _width(pieces: Sequence[PrintedLine]) -> float:
    return max(piece.end for piece in pieces) - min(piece.x for piece in pieces)


def _is_running(pieces: Sequence[PrintedLine]) -> bool:
    if len(pieces) < FEWEST or sum(len(piece.text.split()) for piece in pieces) < FEWEST_WORDS * len(pieces):
        return False
    return sum(_is_within(piece) for piece in pieces) >= WITHIN * len(pieces)


def _is_within(piece: PrintedLine) -> bool:
    """Whether a line may begin within a sentence."""
    return piece.text[0].isalpha() and not piece.text[0].isupper()


def _with_lines_near(text: Sequence[PrintedLine], narrow: Sequence[PrintedLine]) -> list[PrintedLine]:
    """The lines beside a box with the narrow ones above and below: the box is lower than the room that it has."""
    printed_lines = [*text]
    for down in (False, True):
        end = min(text, key=lambda piece: piece.y) if down else max(text, key=lambda piece: piece.y)
        for piece in sorted(narrow, key=lambda piece: piece.y, reverse=down):
            step = end.y - piece.y if down else piece.y - end.y
            if 0.0 < step < WIDEST_STEP * end.size and abs(piece.size - end.size) < 0.5:
                printed_lines.append(end := piece)
    return printed_lines


def _goes_on(text: Sequence[PrintedLine], wide: Sequence[PrintedLine]) -> bool:
    """Whether a sentence goes on from a wide line above the narrow ones, or below them to a wide one."""
    first, last = max(text, key=lambda piece: piece.y), min(text, key=lambda piece: piece.y)
    near = WIDEST_STEP * first.size
    above = [piece for piece in wide if 0.0 < piece.y - first.y < near and abs(piece.size - first.size) < 0.5]
    below = [piece for piece in wide if 0.0 < last.y - piece.y < near and abs(piece.size - last.size) < 0.5]
    return any(
        upper.text[-1].isalnum() and _is_within(lower)
        for upper, lower in [*((piece, first) for piece in above), *((last, piece) for piece in below)]
    )

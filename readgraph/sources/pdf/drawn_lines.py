"""Thin straight lines that a page of a PDF draws across its text, also as filled boxes."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from ctypes import c_float, c_int, c_uint
from math import inf
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

Box = tuple[float, float, float, float]  # left, bottom, right, top, in points
THICKEST, SHORTEST = 6.0, 3.0  # points of a line
LOWEST, HIGHEST = 0.25, 0.7  # shares of the height of a row of text between which a line strikes out, or is a bar
BEYOND = 12.0  # points by which such a line may exceed the row
GAP = 1.0  # points between parts of a line
SIMPLE = 5  # sides of a single line or box
WHITE = 250  # of 255
MOST_LINES, MOST_SIDES, DEEPEST = 1_000, 200, 3  # of a page; of a path; drawings in drawings
_Matrix = tuple[float, float, float, float, float, float]
_IDENTITY = 1.0, 0.0, 0.0, 1.0, 0.0, 0.0


def lines_through(rows: Sequence[Box], page: "PdfPage") -> list[Box]:
    """The lines to be seen that run along rows of text, in or over them; those that go on from each other are one."""
    from pypdfium2 import raw

    if not rows:
        return []
    finder = _Finder(raw, rows)
    finder.search(page.raw, raw.FPDFPage_CountObjects, raw.FPDFPage_GetObject, _IDENTITY)
    return [*_join(finder.found, 0), *_join(finder.found, 1)]


def _join(lines: Sequence[Box], along: int) -> list[Box]:
    """The lines across (`along` is 0: the index of the edge at which they begin) or down (1)."""
    across, joined = 1 - along, list[list[float]]()
    own = (line for line in lines if line[along + 2] - line[along] >= line[across + 2] - line[across])
    for line in sorted(own, key=lambda line: (round(line[across], 1), line[along])):
        last = joined[-1] if joined else [-inf] * 4
        if abs(last[across] - line[across]) < 0.1 and line[along] < last[along + 2] + GAP:
            last[along + 2] = max(last[along + 2], line[along + 2])
        else:
            joined.append([*line])
    return [(a, b, c, d) for a, b, c, d in joined if max(c - a, d - b) > max(SHORTEST, 2.0 * min(c - a, d - b))]


class _Finder:
    def __init__(self, raw: Any, rows: Sequence[Box]) -> None:
        self._raw = raw
        self._across = defaultdict[int, list[Box]](list)  # by each point of height at which a line may be
        self._down = list[Box]()
        for left, low, right, high in rows:
            bottom, top = (low + share * (high - low) for share in (LOWEST, HIGHEST))
            for height in range(int(bottom), int(top) + 1):
                self._across[height].append((left - BEYOND, bottom, right + BEYOND, top))
            if high - low > 0.5 * (right - left):
                self._down.append((left, low - BEYOND, right, high + BEYOND))
        self._edges, self._colour = [c_float() for _ in range(4)], [c_uint() for _ in range(4)]
        self.found = list[Box]()

    def search(
        self, parent: Any, count: Callable[..., int], get: Callable[..., Any], matrix: _Matrix, deep: int = 0
    ) -> None:
        """Find the lines of a page, or of a drawing on it that a matrix places."""
        raw, kind_of, is_path = self._raw, self._raw.FPDFPageObj_GetType, self._raw.FPDF_PAGEOBJ_PATH
        for number in range(count(parent)):
            drawn = get(parent, number)
            kind = kind_of(drawn)
            if kind == is_path and len(self.found) < MOST_LINES:
                self.found += [
                    box for box in self._boxes(drawn, matrix) if self._runs_through(*box) and self._is_seen(drawn)
                ]
            elif kind == raw.FPDF_PAGEOBJ_FORM and deep < DEEPEST:
                inner = _multiply(self._matrix_of(drawn), matrix)
                self.search(drawn, raw.FPDFFormObj_CountObjects, raw.FPDFFormObj_GetObject, inner, deep + 1)

    def _boxes(self, path: Any, matrix: _Matrix) -> Iterator[Box]:
        """The box of a path that is a line, or those of its parts that are."""
        raw, edges = self._raw, self._edges
        raw.FPDFPageObj_GetBounds(path, *edges)
        left, bottom, right, top = (edge.value for edge in edges)
        sides = raw.FPDFPath_CountSegments(path)
        if sides <= SIMPLE:
            boxes = [(left, bottom, right, top)]
            if matrix != _IDENTITY:
                boxes = [_box([(left, bottom), (right, bottom), (left, top), (right, top)], matrix)]
        elif sides < MOST_SIDES:
            boxes = [*self._boxes_of_parts(path, sides, _multiply(self._matrix_of(path), matrix))]
        else:
            return
        for box in boxes:
            thickness, length = sorted((box[2] - box[0], box[3] - box[1]))
            if thickness < min(THICKEST, length):
                yield box

    def _boxes_of_parts(self, path: Any, sides: int, matrix: _Matrix) -> Iterator[Box]:
        raw, (x, y, *_) = self._raw, self._edges
        points = list[tuple[float, float]]()
        for number in range(sides):
            side = raw.FPDFPath_GetPathSegment(path, number)
            kind = raw.FPDFPathSegment_GetType(side)
            if kind == raw.FPDF_SEGMENT_BEZIERTO:
                return
            if points and kind == raw.FPDF_SEGMENT_MOVETO:
                yield _box(points, matrix)
                points = []
            raw.FPDFPathSegment_GetPoint(side, x, y)
            points.append((x.value, y.value))
        yield _box(points, matrix)

    def _runs_through(self, left: float, low: float, right: float, high: float) -> bool:
        """Whether a line is within a row of text, whose end it may exceed."""
        if high - low > right - left:
            left = right = (left + right) / 2.0
            rows = self._down
        else:
            low = high = (low + high) / 2.0
            rows = self._across.get(int(low), [])
        return any(row[0] < left and right < row[2] and row[1] < low and high < row[3] for row in rows)

    def _is_seen(self, path: Any) -> bool:
        raw, (red, green, blue, alpha), is_stroked, fill = self._raw, self._colour, c_int(), c_int()
        raw.FPDFPath_GetDrawMode(path, fill, is_stroked)
        colour_of = raw.FPDFPageObj_GetStrokeColor if is_stroked else raw.FPDFPageObj_GetFillColor
        if not (fill or is_stroked) or not colour_of(path, red, green, blue, alpha):
            return bool(fill or is_stroked)
        return bool(alpha.value and min(red.value, green.value, blue.value) < WHITE)

    def _matrix_of(self, drawn: Any) -> _Matrix:
        matrix = self._raw.FS_MATRIX()
        self._raw.FPDFPageObj_GetMatrix(drawn, matrix)
        return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f


def _multiply(first: _Matrix, then: _Matrix) -> _Matrix:
    a, b, c, d, e, f = first
    across, down = (then[0], then[2]), (then[1], then[3])
    (p, q), (r, s) = across, down
    return a * p + b * q, a * r + b * s, c * p + d * q, c * r + d * s, e * p + f * q + then[4], e * r + f * s + then[5]


def _box(points: Sequence[tuple[float, float]], matrix: _Matrix) -> Box:
    a, b, c, d, e, f = matrix
    across = [a * x + c * y + e for x, y in points]
    up = [b * x + d * y + f for x, y in points]
    return min(across), min(up), max(across), max(up)

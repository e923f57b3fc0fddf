"""Pages of a PDF that show what their text lacks: figures, charts, scans, tables between ruled lines.

What stands on most pages, such as a logo or a background, is no figure.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Set
from ctypes import c_float
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from readgraph.state.errors import BadInput

SHARE = 0.008  # of a page, from which on pictures or a drawing are more than marks
RUNNING = 3  # pages on which the same stands in the same place, at least, if it is a logo or a background
BACKGROUND = 0.5  # of a page, from which on a box is what text stands on
FILLED = 0.3  # of a box, from which on the words in it fill it: it marks them, and is no part of a drawing
THIN, TOUCH = 3.0, 1.5  # points of a line's thickness, and between lines that meet, at most
BARS, RULES = 3, 3  # bars of a chart, or boxes beside others, and rules of a table, across and down, at least
NODE, BLOCK = 10.0, 20.0  # points of the sides of a box that lines join, and of one that is no mark of words
BEND = 16.0  # points within which the corner of a box is rounded
ICON, ICONS = 16.0, 10  # points of what is no more than a sign; signs that are a drawing together, such as dots
MOST_COMPARED = 300  # boxes or lines that are compared with each other
SIDES = 12  # of one drawing of level lines, from which on it is more than a box or two
MOST_OBJECTS, DEEPEST = 5_000, 3  # of a page, or of a drawing on it, that are looked at; drawings in drawings
MOST_POINTS = 50  # of a drawing, by which it is known on another page
LITTLE_TEXT = 20  # characters below which a page shows something else, if it draws as many things


def pages_with_figures_here(file: Path, pages: Iterable[int]) -> list[int]:
    """Those of the pages (from 1) that show more than text; one thread at a time, as PDFium must be used.

    Raises `BadInput` where the file can't be looked through.
    """
    from pypdfium2 import PdfDocument, PdfiumError, raw

    try:
        document = PdfDocument(file)
    except (PdfiumError, OSError):
        raise BadInput(f"{file.name} can't be opened any more.") from None
    try:
        inside = [number for number in pages if 1 <= number <= len(document)]
        marks = {number: _marks(document[number - 1], raw) for number in inside}
        times = Counter(mark for own in marks.values() for mark in {*own})
        most = max(RUNNING, len(inside) // 2 + 1)
        running = {mark for mark, count in times.items() if mark and count >= most}
        return [number for number in inside if _shows_more(document[number - 1], raw, marks[number], running)]
    except PdfiumError:
        raise BadInput(f"{file.name} can't be looked through.") from None
    finally:
        document.close()


class _Drawn(NamedTuple):
    kind: int
    handle: Any
    left: float
    bottom: float
    right: float
    top: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.top - self.bottom

    @property
    def area(self) -> float:
        return max(self.width, 0.0) * max(self.height, 0.0)


def _marks(page: Any, raw: Any) -> list[Hashable]:
    return [_mark(raw, each) for each in _objects_of(page, raw)]


def _mark(raw: Any, drawn: _Drawn, deep: int = 0) -> Hashable:
    """What is the same of a picture or a drawing on another page if it stands there too; None for text and lines."""
    held: Hashable = None
    if drawn.kind == raw.FPDF_PAGEOBJ_TEXT or min(drawn.width, drawn.height) < THIN:
        return None
    if drawn.kind == raw.FPDF_PAGEOBJ_PATH:
        held = tuple(_points(raw, drawn.handle, MOST_POINTS))
    elif drawn.kind == raw.FPDF_PAGEOBJ_IMAGE:
        held = raw.FPDFImageObj_GetImageDataRaw(drawn.handle, None, 0)  # its length
    elif drawn.kind == raw.FPDF_PAGEOBJ_FORM and deep < DEEPEST:
        held = tuple(_mark(raw, each, deep + 1) for each in _objects_in(drawn, raw))
    return hash((drawn.kind, *map(round, drawn[2:]), held))


def _shows_more(page: Any, raw: Any, marks: Iterable[Hashable], running: Set[Hashable]) -> bool:
    objects = _objects_of(page, raw)
    drawn = [each for each, mark in zip(objects, marks, strict=True) if mark not in running]
    width, height = page.get_size()
    if _has_figure(raw, drawn, width * height, 0):
        return True
    letters = "".join(page.get_textpage().get_text_range().replace("\ufffd", "\0").split()) if drawn else ""
    read = sum(map(str.isprintable, letters))
    return read < max(min(LITTLE_TEXT, len(drawn)), len(letters) / 2)


def _objects_of(page: Any, raw: Any) -> Iterator[_Drawn]:
    return _objects(raw, page.raw, raw.FPDFPage_CountObjects, raw.FPDFPage_GetObject)


def _objects_in(form: _Drawn, raw: Any) -> Iterator[_Drawn]:
    return _objects(raw, form.handle, raw.FPDFFormObj_CountObjects, raw.FPDFFormObj_GetObject)


def _objects(raw: Any, parent: Any, count: Callable[..., int], get: Callable[..., Any]) -> Iterator[_Drawn]:
    edges = [c_float() for _ in range(4)]
    for number in range(min(count(parent), MOST_OBJECTS)):
        handle = get(parent, number)
        raw.FPDFPageObj_GetBounds(handle, *edges)
        yield _Drawn(raw.FPDFPageObj_GetType(handle), handle, *(edge.value for edge in edges))


def _has_figure(raw: Any, drawn: list[_Drawn], area: float, deep: int) -> bool:
    kinds = raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_FORM, raw.FPDF_PAGEOBJ_TEXT
    paths, images, forms, texts = ([each for each in drawn if each.kind == kind] for kind in kinds)
    if sum(each.area for each in images) >= SHARE * area:  # a scan may be in stripes
        return True
    if _is_table([*paths, *images]) or _has_chart(raw, paths, texts, area):
        return True
    return deep < DEEPEST and any(_is_figure(raw, form, deep) for form in forms if form.area >= SHARE * area)


def _is_figure(raw: Any, form: _Drawn, deep: int) -> bool:
    """Whether a drawing with a space of its own has a figure, by the space that its parts take there."""
    inner = [*_objects_in(form, raw)]
    return bool(inner) and _has_figure(raw, inner, _box_around(inner).area, deep + 1)


def _is_table(drawn: Iterable[_Drawn]) -> bool:
    """Whether rules of a table meet, which frames beside each other don't; some programs write them as pictures."""
    lines = [each for each in drawn if min(each.width, each.height) < THIN][:MOST_COMPARED]
    while lines:
        meeting, waiting = list[_Drawn](), [lines.pop()]
        while waiting:
            meeting.append(line := waiting.pop())
            apart = list[_Drawn]()
            for other in lines:
                (waiting if min(_overlap(line, other)) >= -TOUCH else apart).append(other)
            lines = apart
        across = _count_apart(line.bottom for line in meeting if line.width > line.height)
        if min(across, _count_apart(line.left for line in meeting if line.height > line.width)) >= RULES:
            return True
    return False


def _count_apart(at: Iterable[float]) -> int:
    """How many places there are, of which those that are no further apart than a line is thick are one."""
    places = sorted(at)
    return sum(later - earlier > THIN for earlier, later in pairwise(places)) + bool(places)


def _overlap(one: _Drawn, other: _Drawn) -> tuple[float, float]:
    """How far two lie above, and beside each other; below 0, how far they are apart."""
    across = min(one.right, other.right) - max(one.left, other.left)
    return across, min(one.top, other.top) - max(one.bottom, other.bottom)


def _has_chart(raw: Any, paths: list[_Drawn], texts: list[_Drawn], area: float) -> bool:
    """Whether paths are slanted or curved over some space, bars, or boxes that stand beside each other or are joined.

    Boxes that words fill are none of a drawing: they mark or frame the words.
    """
    slanted, boxes = list[_Drawn](), list[_Drawn]()
    for path in (path for path in paths if min(path.width, path.height) >= THIN):
        sides = _sides_of_box(raw, path)
        if sides is None:
            slanted.append(path)
        elif sides <= SIDES and path.area < BACKGROUND * area:
            boxes.append(path)
        elif sides > SIDES and path.area >= SHARE * area:
            return True
    if _is_drawing(slanted, area):
        return True
    lines = [path for path in paths if min(path.width, path.height) < THIN <= max(path.width, path.height)]
    if _are_joined(boxes, lines):
        return True
    return _are_drawing(boxes) and _are_drawing([box for box in boxes[:MOST_COMPARED] if not _is_filled(box, texts)])


def _is_drawing(slanted: list[_Drawn], area: float) -> bool:
    """Whether what is slanted or curved takes some space; a few signs, as before the entries of a list, don't."""
    alike = Counter(map(_column_of, slanted))
    signs = [each for each in slanted if max(each.width, each.height) <= ICON]
    shapes = [each for each in slanted if max(each.width, each.height) > ICON and alike[_column_of(each)] < RUNNING]
    around = [_box_around(each) for each in (shapes, signs if len(signs) >= ICONS else []) if each]
    return any(each.area >= SHARE * area and min(each.width, each.height) > ICON for each in around)


def _column_of(drawn: _Drawn) -> tuple[int, int, int]:
    """What is the same of drawings of one size that stand above each other."""
    return round(drawn.left), round(drawn.width), round(drawn.height)


def _are_drawing(boxes: list[_Drawn]) -> bool:
    """Whether boxes are bars, stand beside each other, or are the cells of a table."""
    edges = (edge for box in boxes[:MOST_COMPARED] for edge in _edges(box))
    return _are_bars(boxes) or _are_blocks(boxes) or _is_table(edges)


def _edges(box: _Drawn) -> Iterator[_Drawn]:
    yield from (box._replace(right=box.left), box._replace(left=box.right))
    yield from (box._replace(top=box.bottom), box._replace(bottom=box.top))


def _is_filled(box: _Drawn, texts: Iterable[_Drawn]) -> bool:
    shared = (_overlap(box, text) for text in texts)
    return sum(max(across, 0.0) * max(down, 0.0) for across, down in shared) >= FILLED * box.area


def _are_joined(boxes: list[_Drawn], lines: list[_Drawn]) -> bool:
    """Whether a line leads from one box to another, as in diagrams."""
    nodes = [box for box in boxes if min(box.width, box.height) >= NODE][:MOST_COMPARED]
    return len(nodes) > 1 and any(_joins(line, nodes) for line in lines[:MOST_COMPARED])


def _joins(line: _Drawn, nodes: list[_Drawn]) -> bool:
    if line.width > line.height:
        begun = any(abs(box.right - line.left) < THIN and box.bottom < line.top < box.top for box in nodes)
        return begun and any(abs(box.left - line.right) < THIN and box.bottom < line.top < box.top for box in nodes)
    begun = any(abs(box.top - line.bottom) < THIN and box.left < line.left < box.right for box in nodes)
    return begun and any(abs(box.bottom - line.top) < THIN and box.left < line.left < box.right for box in nodes)


def _box_around(drawn: list[_Drawn]) -> _Drawn:
    lefts, bottoms, rights, tops = zip(*(each[2:] for each in drawn), strict=True)
    return _Drawn(0, None, min(lefts), min(bottoms), max(rights), max(tops))


def _points(raw: Any, path: Any, most: int) -> Iterator[tuple[int, float, float]]:
    """The kinds and the ends of so many sides of a path."""
    x, y = c_float(), c_float()
    for number in range(min(raw.FPDFPath_CountSegments(path), most)):
        side = raw.FPDFPath_GetPathSegment(path, number)
        raw.FPDFPathSegment_GetPoint(side, x, y)
        yield raw.FPDFPathSegment_GetType(side), x.value, y.value


def _sides_of_box(raw: Any, path: _Drawn) -> int | None:
    """How many lines and sides a path has that all run across or down, but for short ones at corners; else None."""
    sides, straight, bends = 0, 0.0, False
    if not (points := [*_points(raw, path.handle, MOST_OBJECTS)]):
        return 0
    (left, right), (bottom, top) = ((min(at), max(at)) for at in [*zip(*points, strict=True)][1:])
    largest = max(right - left, top - bottom)
    bend = BEND * largest / max(path.width, path.height)  # points of a path may have a scale of their own
    before = 0.0, 0.0
    for kind, x, y in points:
        across, down = abs(x - before[0]), abs(y - before[1])
        if kind == raw.FPDF_SEGMENT_MOVETO:
            sides += 1
        elif kind == raw.FPDF_SEGMENT_LINETO and min(across, down) <= 1.0:
            sides, straight = sides + 1, straight + max(across, down)
        else:
            bends = True
            if max(across, down, min(x - left, right - x), min(y - bottom, top - y)) > bend:
                return None
        before = x, y
    return sides if not bends or straight > largest / 2 else None


def _are_bars(boxes: list[_Drawn]) -> bool:
    """Whether boxes stand on one line, or lie above each other, equally thick and of several lengths."""
    standing, lying = defaultdict[tuple[int, int], dict[int, int]](dict), defaultdict[int, dict[int, int]](dict)
    for box in boxes:
        standing[round(box.bottom), round(box.width)][round(box.left)] = round(box.height)
        lying[round(box.height)][round(box.bottom)] = round(box.width)
    lengths = [[*bars.values()] for bars in (*standing.values(), *lying.values())]
    return any(len(each) >= BARS and len({*each}) > 1 for each in lengths)


def _are_blocks(boxes: list[_Drawn]) -> bool:
    """Whether boxes stand beside others, as in diagrams: those around notes and listings stand above each other."""
    large = [box for box in boxes if min(box.width, box.height) >= BLOCK][:MOST_COMPARED]
    return sum(any(_is_beside(box, other) for other in large) for box in large) >= BARS


def _is_beside(box: _Drawn, other: _Drawn) -> bool:
    across, down = _overlap(box, other)
    return across < THIN < down

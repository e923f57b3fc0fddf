"""Pages of a PDF that show what their text lacks: figures, charts, scans, tables between ruled lines.

What stands on most pages, such as a logo or a background, is no figure.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Set
from ctypes import c_float
from pathlib import Path
from typing import Any, NamedTuple

from readgraph.state.errors import BadInput

SHARE = 0.02  # of a page, from which on pictures or a drawing are more than marks
RUNNING = 3  # pages on which the same stands in the same place, at least, if it is a logo or a background
BACKGROUND = 0.5  # of a page, from which on a box is what text stands on
THIN = 3.0  # points of a line's thickness at most
BARS, RULES = 3, 3  # bars of a chart, or boxes beside others, and rules of a table, across and down, at least
BLOCK, MOST_BLOCKS = 20.0, 200  # points of the sides of a box that is no mark of words; boxes that are compared
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
    kinds = raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_FORM
    paths, images, forms = ([each for each in drawn if each.kind == kind] for kind in kinds)
    if sum(each.area for each in images) >= SHARE * area:  # a scan may be in stripes
        return True
    if _is_table([*paths, *images]) or _has_chart(raw, paths, area):
        return True
    return deep < DEEPEST and any(_is_figure(raw, form, deep) for form in forms if form.area >= SHARE * area)


def _is_figure(raw: Any, form: _Drawn, deep: int) -> bool:
    """Whether a drawing with a space of its own has a figure, by the space that its parts take there."""
    inner = [*_objects_in(form, raw)]
    return bool(inner) and _has_figure(raw, inner, _box_around(inner).area, deep + 1)


def _is_table(drawn: Iterable[_Drawn]) -> bool:
    """Whether there are rules of a table; some programs write them as pictures."""
    lines = [each for each in drawn if min(each.width, each.height) < THIN]
    across = {round(line.bottom / THIN) for line in lines if line.width > line.height}
    down = {round(line.left / THIN) for line in lines if line.height > line.width}
    return min(len(across), len(down)) >= RULES


def _has_chart(raw: Any, paths: list[_Drawn], area: float) -> bool:
    """Whether paths are slanted or curved over some space, bars of several lengths, or boxes beside each other."""
    slanted, bars = list[_Drawn](), list[_Drawn]()
    for path in (path for path in paths if min(path.width, path.height) >= THIN):
        sides = raw.FPDFPath_CountSegments(path.handle)
        if not _is_level(raw, path.handle):
            slanted.append(path)
        elif sides <= SIDES and path.area < BACKGROUND * area:
            bars.append(path)
        elif sides > SIDES and path.area >= SHARE * area:
            return True
    return (bool(slanted) and _box_around(slanted).area >= SHARE * area) or _are_bars(bars) or _are_blocks(bars)


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


def _is_level(raw: Any, path: Any) -> bool:
    """Whether all sides of a path run across or down."""
    before = 0.0, 0.0
    for kind, x, y in _points(raw, path, MOST_OBJECTS):
        slants = min(abs(x - before[0]), abs(y - before[1])) > 1.0
        if kind == raw.FPDF_SEGMENT_BEZIERTO or (kind == raw.FPDF_SEGMENT_LINETO and slants):
            return False
        before = x, y
    return True


def _are_bars(boxes: list[_Drawn]) -> bool:
    """Whether boxes stand on one line, or begin at one, equally thick and of several lengths."""
    standing, lying = defaultdict[tuple[int, int], list[int]](list), defaultdict[tuple[int, int], list[int]](list)
    for box in boxes:
        standing[round(box.bottom), round(box.width)].append(round(box.height))
        lying[round(box.left), round(box.height)].append(round(box.width))
    groups = (lengths for rows in (standing, lying) for lengths in rows.values())
    return any(len(lengths) >= BARS and len({*lengths}) > 1 for lengths in groups)


def _are_blocks(boxes: list[_Drawn]) -> bool:
    """Whether boxes stand beside others, as in diagrams: those around notes and listings stand above each other."""
    large = [box for box in boxes if min(box.width, box.height) >= BLOCK][:MOST_BLOCKS]
    return sum(any(_is_beside(box, other) for other in large) for box in large) >= BARS


def _is_beside(box: _Drawn, other: _Drawn) -> bool:
    apart = min(box.right, other.right) < max(box.left, other.left) + THIN
    return apart and min(box.top, other.top) - max(box.bottom, other.bottom) > THIN

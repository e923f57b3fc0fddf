"""Pages of a PDF that show what their text lacks: figures, charts, scans, tables between ruled lines."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from ctypes import c_float
from pathlib import Path
from typing import Any, NamedTuple

from readgraph.sources.pdf.in_child import in_child
from readgraph.state.errors import BadInput

SHARE = 0.02  # of a page, from which on a picture or a drawing is more than a mark
BACKGROUND = 0.5  # of a page, from which on a box is what text stands on
THIN = 3.0  # points of a line's thickness at most
BARS, RULES = 3, 3  # bars of a chart, and rules of a table, across and down, at least: a frame has two
SIDES = 12  # of one drawing of level lines, from which on it is more than a box or two
MOST_OBJECTS, DEEPEST = 5_000, 3  # of a page, or of a drawing on it, that are looked at; drawings in drawings
LITTLE_TEXT = 20  # characters below which a page shows something else, if anything


def pages_with_figures(file: Path, pages: range) -> list[int]:
    """Those of the pages (from 1) that show more than text; a child process looks. Raises `BadInput` where it can't."""
    shown: list[int] = in_child("figures", file.name, file=str(file.absolute()), pages=[pages.start, pages.stop])[0]
    return shown


def pages_with_figures_here(file: Path, pages: Iterable[int]) -> list[int]:
    """The same in this process, without limits; one thread at a time, as PDFium must be used."""
    from pypdfium2 import PdfDocument, PdfiumError, raw

    try:
        document = PdfDocument(file)
    except (PdfiumError, OSError):
        raise BadInput(f"{file.name} can't be opened any more.") from None
    try:
        inside = (number for number in pages if 1 <= number <= len(document))
        return [number for number in inside if _shows_more(document[number - 1], raw)]
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


def _shows_more(page: Any, raw: Any) -> bool:
    drawn = [*_objects(raw, page.raw, raw.FPDFPage_CountObjects, raw.FPDFPage_GetObject)]
    width, height = page.get_size()
    if _has_figure(raw, drawn, width * height, 0):
        return True
    characters: int = page.get_textpage().count_chars() if drawn else LITTLE_TEXT
    return characters < LITTLE_TEXT


def _objects(raw: Any, parent: Any, count: Callable[..., int], get: Callable[..., Any]) -> Iterator[_Drawn]:
    edges = [c_float() for _ in range(4)]
    for number in range(min(count(parent), MOST_OBJECTS)):
        handle = get(parent, number)
        raw.FPDFPageObj_GetBounds(handle, *edges)
        yield _Drawn(raw.FPDFPageObj_GetType(handle), handle, *(edge.value for edge in edges))


def _has_figure(raw: Any, drawn: list[_Drawn], area: float, deep: int) -> bool:
    paths = [each for each in drawn if each.kind == raw.FPDF_PAGEOBJ_PATH]
    large = [each for each in drawn if each.area >= SHARE * area]
    if any(each.kind == raw.FPDF_PAGEOBJ_IMAGE for each in large):
        return True
    forms = [each for each in large if each.kind == raw.FPDF_PAGEOBJ_FORM] if deep < DEEPEST else []
    return _has_chart(raw, paths, area) or any(_is_figure(raw, form, deep) for form in forms)


def _is_figure(raw: Any, form: _Drawn, deep: int) -> bool:
    """Whether a drawing with a space of its own has a figure, by the space that its parts take there."""
    inner = [*_objects(raw, form.handle, raw.FPDFFormObj_CountObjects, raw.FPDFFormObj_GetObject)]
    return bool(inner) and _has_figure(raw, inner, _box_around(inner).area, deep + 1)


def _has_chart(raw: Any, paths: list[_Drawn], area: float) -> bool:
    """Whether paths are slanted or curved over some space, bars of several lengths, or rules of a table."""
    lines = [path for path in paths if min(path.width, path.height) < THIN]
    across = {round(line.bottom / THIN) for line in lines if line.width > line.height}
    down = {round(line.left / THIN) for line in lines if line.height > line.width}
    if min(len(across), len(down)) >= RULES:
        return True
    slanted, bars = list[_Drawn](), list[_Drawn]()
    for path in (path for path in paths if min(path.width, path.height) >= THIN):
        sides = raw.FPDFPath_CountSegments(path.handle)
        if not _is_level(raw, path.handle, sides):
            slanted.append(path)
        elif sides <= SIDES and path.area < BACKGROUND * area:
            bars.append(path)
        elif sides > SIDES and path.area >= SHARE * area:
            return True
    return (bool(slanted) and _box_around(slanted).area >= SHARE * area) or _are_bars(bars)


def _box_around(drawn: list[_Drawn]) -> _Drawn:
    lefts, bottoms, rights, tops = zip(*(each[2:] for each in drawn), strict=True)
    return _Drawn(0, None, min(lefts), min(bottoms), max(rights), max(tops))


def _is_level(raw: Any, path: Any, sides: int) -> bool:
    """Whether all sides of a path run across or down."""
    x, y, before = c_float(), c_float(), (0.0, 0.0)
    for number in range(min(sides, MOST_OBJECTS)):
        side = raw.FPDFPath_GetPathSegment(path, number)
        kind = raw.FPDFPathSegment_GetType(side)
        raw.FPDFPathSegment_GetPoint(side, x, y)
        here = x.value, y.value
        slants = min(abs(here[0] - before[0]), abs(here[1] - before[1])) > 1.0
        if kind == raw.FPDF_SEGMENT_BEZIERTO or (kind == raw.FPDF_SEGMENT_LINETO and slants):
            return False
        before = here
    return True


def _are_bars(boxes: list[_Drawn]) -> bool:
    """Whether boxes stand on one line, or begin at one, equally thick and of several lengths."""
    standing, lying = defaultdict[tuple[int, int], list[int]](list), defaultdict[tuple[int, int], list[int]](list)
    for box in boxes:
        standing[round(box.bottom), round(box.width)].append(round(box.height))
        lying[round(box.left), round(box.height)].append(round(box.width))
    groups = (lengths for rows in (standing, lying) for lengths in rows.values())
    return any(len(lengths) >= BARS and len({*lengths}) > 1 for lengths in groups)

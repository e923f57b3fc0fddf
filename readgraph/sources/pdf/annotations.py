"""What is laid over the pages of a PDF: typed values, ticks and choices of its form, notes, stamps, and comments."""

import ctypes
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from readgraph.sources.converting import on_a_line
from readgraph.sources.pdf.drawn_lines import Box
from readgraph.sources.pdf.printed import PrintedLine

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage

TICKED, EMPTY = "[x]", "[ ]"
MOST = 5_000  # annotations of a page
USUAL_SIZE, LINE_HEIGHT = 10.0, 1.2  # points of typed text of no given size; font sizes from line to line


class Overlay(NamedTuple):
    """What is laid over a page: `typed` with its rectangle, `comments` of no line, and places `struck` out."""

    typed: list[tuple[str, Box]]
    comments: list[str]
    struck: list[Box]


def take_overlay(document: "PdfDocument", number: int) -> tuple["PdfPage", Overlay]:
    """A page (from 0), on which other notes and stamps are now drawn like its text; and what is typed or commented."""
    from pypdfium2 import raw

    page = document[number]
    count = min(raw.FPDFPage_GetAnnotCount(page), MOST)
    overlay, removed, is_drawn = Overlay([], [], []), list[int](), False
    for index in range(count):
        annotation = raw.FPDFPage_GetAnnot(page, index)
        try:
            reader = _Annotation(annotation, document.formenv)
            if reader.kind in (raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP) or reader.is_hidden:
                continue
            overlay.struck.extend(reader.struck())
            if reader.is_field:
                removed.append(index)
                overlay.typed.extend(reader.typed())
            elif reader.is_drawn:
                is_drawn = True
                overlay.comments.extend(reader.comments(page))
            else:
                overlay.typed.extend(reader.written())
                overlay.comments.extend(reader.comments(page))
        finally:
            raw.FPDFPage_CloseAnnot(annotation)
    if is_drawn:
        for index in reversed(removed):  # a tick would be drawn as some letter
            raw.FPDFPage_RemoveAnnot(page, index)
        raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY)
        page.close()
        page = document[number]
    return page, overlay


def pieces_of_typed(overlay: Overlay, printed: list[PrintedLine]) -> list[PrintedLine]:
    """What is typed, as pieces on the lines of what is printed beside it."""
    pieces = []
    is_mirrored = bool(printed) and max(piece.end for piece in printed) < 0.0  # written from right to left
    for text, (left, bottom, right, top) in overlay.typed:
        if is_mirrored:
            left, right = -right, -left
        lines = list(filter(None, map(on_a_line, text.splitlines())))
        beside = [piece for piece in printed if bottom - 3.0 <= piece.y < top]
        near = min(beside, key=lambda piece: max(piece.x - right, left - piece.end), default=None)
        size = near.size if near else min(USUAL_SIZE, 0.8 * (top - bottom)) or USUAL_SIZE
        y = near.y if near and len(lines) == 1 else top - size
        if not near and len(lines) == 1:
            y = (top + bottom) / 2.0 - 0.3 * size
        for at, line in enumerate(lines):
            first = (right - left) * len(line.partition(" ")[0]) / len(line)
            pieces.append(PrintedLine(line, left, y - LINE_HEIGHT * size * at, size, right, first=first, is_row=True))
    return pieces


class _Annotation:
    def __init__(self, annotation: object, form: object | None) -> None:
        from pypdfium2 import raw

        self._raw, self._annotation, self._form = raw, annotation, form
        self.kind = raw.FPDFAnnot_GetSubtype(annotation)
        flags = raw.FPDFAnnot_GetFlags(annotation)
        self.is_hidden = bool(flags & (raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW))
        self._field = raw.FPDF_FORMFIELD_UNKNOWN
        if form and self.kind == raw.FPDF_ANNOT_WIDGET:
            self._field = raw.FPDFAnnot_GetFormFieldType(form, annotation)

    @property
    def is_field(self) -> bool:
        """Whether it is a field of a form; a signature is drawn."""
        return bool(self.kind == self._raw.FPDF_ANNOT_WIDGET and self._field != self._raw.FPDF_FORMFIELD_SIGNATURE)

    @property
    def is_drawn(self) -> bool:
        """Whether the file says how it looks."""
        normal = self._raw.FPDF_ANNOT_APPEARANCEMODE_NORMAL
        return len(self._read(self._raw.FPDFAnnot_GetAP, self._annotation, normal)) > 0

    def typed(self) -> Iterator[tuple[str, Box]]:
        """What is typed, ticked or chosen in a field."""
        raw, form, annotation = self._raw, self._form, self._annotation
        if not form:  # the file has fields, but no form that they belong to
            look = self._value("AS")
            text = (EMPTY if look == "Off" else TICKED) if look else self._value("V")
        elif self._field in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
            text = TICKED if raw.FPDFAnnot_IsChecked(form, annotation) else EMPTY
        elif self._field in (raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX):
            options = range(max(raw.FPDFAnnot_GetOptionCount(form, annotation), 0))
            chosen = [at for at in options if raw.FPDFAnnot_IsOptionSelected(form, annotation, at)]
            labels = [self._read(raw.FPDFAnnot_GetOptionLabel, form, annotation, at) for at in chosen]
            text = ", ".join(labels) or self._read(raw.FPDFAnnot_GetFormFieldValue, form, annotation)
        elif self._field == raw.FPDF_FORMFIELD_TEXTFIELD:
            is_secret = raw.FPDFAnnot_GetFormFieldFlags(form, annotation) & raw.FPDF_FORMFLAG_TEXT_PASSWORD
            text = "" if is_secret else self._read(raw.FPDFAnnot_GetFormFieldValue, form, annotation)
        else:
            text = ""
        if text.strip():
            yield text, self._rect()

    def written(self) -> Iterator[tuple[str, Box]]:
        """What a note on the page, or a stamp, says of which the file doesn't say how it looks."""
        keys = {self._raw.FPDF_ANNOT_FREETEXT: "Contents", self._raw.FPDF_ANNOT_STAMP: "Name"}
        if (key := keys.get(self.kind)) and (text := self._value(key)).strip():
            yield text, self._rect()

    def comments(self, page: "PdfPage") -> Iterator[str]:
        """What is said about the page, and what of it is struck out."""
        raw = self._raw
        if parts := [*self.struck()]:
            text = page.get_textpage()
            struck = on_a_line(" ".join(text.get_text_bounded(*part) for part in parts))
            text.close()
            if struck:
                yield f"Struck out: {struck}"
        said = on_a_line(self._value("Contents"))
        if said and self.kind not in (raw.FPDF_ANNOT_FREETEXT, raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_WATERMARK):
            author = on_a_line(self._value("T"))
            yield f"Comment{author and f' by {author}'}: {said}"

    def struck(self) -> Iterator[Box]:
        """The middle of each line that is struck out: its upper and lower edge may reach into others."""
        if self.kind != self._raw.FPDF_ANNOT_STRIKEOUT:
            return
        points, parts = self._raw.FS_QUADPOINTSF(), list[Box]()
        for at in range(min(self._raw.FPDFAnnot_CountAttachmentPoints(self._annotation), MOST)):
            if self._raw.FPDFAnnot_GetAttachmentPoints(self._annotation, at, points):
                across = (points.x1, points.x2, points.x3, points.x4)
                up = (points.y1, points.y2, points.y3, points.y4)
                parts.append((min(across), min(up), max(across), max(up)))
        for left, bottom, right, top in parts or [self._rect()]:
            edge = 0.3 * (top - bottom)
            yield left, bottom + edge, right, top - edge

    def _rect(self) -> Box:
        rect = self._raw.FS_RECTF()
        self._raw.FPDFAnnot_GetRect(self._annotation, rect)
        return rect.left, min(rect.bottom, rect.top), rect.right, max(rect.bottom, rect.top)

    def _value(self, key: str) -> str:
        return self._read(self._raw.FPDFAnnot_GetStringValue, self._annotation, key.encode())

    def _read(self, get: Callable[..., int], *given: object) -> str:
        """The string that a function of PDFium writes: first it tells the number of bytes."""
        size = get(*given, None, 0)
        if size <= 2:
            return ""
        buffer = ctypes.create_string_buffer(size)
        get(*given, ctypes.cast(buffer, ctypes.POINTER(self._raw.FPDF_WCHAR)), size)
        return buffer.raw[: size - 2].decode("utf-16-le", "ignore")

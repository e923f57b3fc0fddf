"""Workbooks of Excel as plain text: each row of each sheet, its values as shown, after the names of their columns."""

import re
from collections.abc import Iterator
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING

from readgraph.sources.converting import Converted, join_lines, on_a_line
from readgraph.sources.formats.office_text import DELETED
from readgraph.sources.formats.open_xml import PROPERTIES, Package, child, use_usual_names, value
from readgraph.sources.formats.pptx_text import Drawing
from readgraph.sources.formats.table_names import Row
from readgraph.sources.formats.tables import MOST_ROW, Table, convert_tables
from readgraph.sources.formats.workbook_parts import BookParts, CellStyle, show_string, text_of
from readgraph.sources.left_out import LeftOut
from readgraph.sources.parsing import Archive, elements_named, local_name
from readgraph.sources.places import shorten_label
from readgraph.state.errors import BadInput
from readgraph.state.words import format_count

if TYPE_CHECKING:
    from lxml.etree import _Element

MOST_ROWS = 200_000  # of all sheets, which take some seconds; of more, the first are read, and that is said
MOST_CELLS = 1_000_000
_LAST_ROW, _LAST_COLUMN = 1_048_576, 16_384  # of a sheet
_MOST_COVERED = 100  # columns of a merged cell that take its value
_USUAL = CellStyle()
_HIDDEN_VALUE = "value that is hidden by its format"
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]*?\bref\s*=\s*[\"']([A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7})[\"']")
_SHORT_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,5})(?:\.\d{0,3}[1-9])?")  # is shown as it is kept
_S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_C, _V, _F, _IS = f"{_S}c", f"{_S}v", f"{_S}f", f"{_S}is"
_CELL = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")


def convert(data: bytes, name: str) -> Converted:
    """The rows of the sheets with their values as the sheets show them, and the values that formulas had.

    What is hidden is read and named in a notice, as is what can't be had. Raises `BadInput` if there is no cell with
    text, or for a file that can't be opened.
    """
    package = Package.open(data, name, "Excel", ".xlsx")
    _check(Archive(data, name, "Excel"))  # apart, since each reading of a member counts
    book = _Book(package)
    try:
        converted = convert_tables(book.tables(), name)
    except (ValueError, KeyError, IndexError, TypeError):  # a damaged part may hold anything
        raise package.archive.invalid_error() from None
    return converted._replace(title=package.archive.title(PROPERTIES), problems=tuple(book.problems()))


def _check(archive: Archive) -> None:
    """Read each member, to check its size and that it has no entities."""
    for member in archive.members:
        content = archive.read(member)
        if not member.startswith("xl/media/") and b"<!DOCTYPE" in content.replace(b"\0", b""):  # in UTF-16 too
            raise archive.invalid_error(f"{member!r} has entities of its own")  # pictures may well be SVG


class WorkbookNotices:
    """What is counted while the sheets of a workbook are read."""

    def __init__(self, name: str, left_out: LeftOut) -> None:
        self.name, self.left_out, self.hidden = name, left_out, list[str]()
        self.uncomputed = self.rows = self.cells = 0
        self.cut = ""

    def is_enough(self, number: int, title: str) -> bool:
        """Whether so much is read that what follows this row of a sheet is left out; else one row more is read."""
        self.rows += 1
        if self.rows > MOST_ROWS or self.cells > MOST_CELLS:
            self.cut = self.cut or f"row {number:,} of {title}"
        return bool(self.cut)

    def hide_parts(self, title: str, rows: int, columns: int) -> None:
        """Count rows and columns of a sheet that are hidden."""
        for count, thing in ((rows, "row"), (columns, "column")):
            if count:
                self.hidden.append(f"{format_count(count, thing)} of {title}")

    def problems(self) -> Iterator[str]:
        """What of the workbook is left out, can't be had, or is hidden, a line for each."""
        yield from self.left_out.problems(self.name)
        if self.uncomputed:
            counted = format_count(self.uncomputed, "formula")
            yield f"{self.name}: {counted} without a value: open and save it in a spreadsheet program."
        if self.hidden:
            yield f"{self.name}: hidden, and read all the same: {', '.join(self.hidden)}."
        if self.cut:
            yield f"{self.name}: too large to be read whole: what follows {self.cut} is left out. Save it as CSV."


class _Book(WorkbookNotices):
    """A workbook of Excel."""

    def __init__(self, package: Package) -> None:
        super().__init__(package.archive.name, LeftOut())
        self.package = package
        self.main = package.main_part("xl/workbook.xml")
        self.parts = BookParts(package, self.main)

    def tables(self) -> Iterator[Table]:
        """The sheets in their order."""
        relations = self.package.relations(self.main)
        for sheet in elements_named(child(self.package.root(self.main), "sheets"), "sheet"):
            identity = next((text for key, text in sheet.attrib.items() if key.endswith("}id")), "")
            part = relations[identity].part if identity in relations else ""
            title = f"sheet {shorten_label(value(sheet, 'name'))}"
            if not part:
                continue
            if value(sheet, "state") in ("hidden", "veryHidden"):
                self.hidden.append(title)
            reader = _Sheet(self, part, title)
            yield Table(title, reader.rows(), reader.heads(), reader.comments(), reader.drawn)


class _Sheet:
    """A sheet: its rows, read one after the other."""

    def __init__(self, book: _Book, part: str, title: str) -> None:
        self._book, self._part, self._title = book, part, title
        self._data = use_usual_names(book.package.archive.read(part))
        self._relations = book.package.relations(part).values()
        self._merged = list(self._merged_areas())
        self._open: list[tuple[int, int, int, str]] = []  # the last row, the columns, and the value of merged cells

    def heads(self) -> frozenset[int]:
        """The rows of which the sheet itself says that they name columns: of its tables, and of its filter."""
        heads = set[int]()
        for relation in self._relations:
            if relation.kind == "table" and relation.part:
                root = self._book.package.root(relation.part)
                if value(root, "headerRowCount", "1") != "0":
                    heads.add(_position(value(root, "ref").partition(":")[0])[0])
        tail = self._data[self._data.rfind(b"sheetData") :]
        if match := re.search(rb"<(?:\w+:)?autoFilter\s[^>]*?\bref\s*=\s*[\"']([^\"']+)", tail):
            heads.add(_position(match[1].decode("ascii", "replace").partition(":")[0])[0])
        return frozenset(heads - {0})

    def rows(self) -> Iterator[Row]:
        """The rows with their cells as they are shown."""
        from lxml import etree

        hidden_rows, hidden_columns, shown = 0, set[int](), set[int]()
        last = 0
        events = etree.iterparse(
            BytesIO(self._data), ("end",), tag=("{*}row", "{*}col"), resolve_entities=False, no_network=True
        )
        try:
            for _, element in events:
                if local_name(element.tag) == "col":
                    hidden_columns |= _hidden_columns(element)
                    continue
                number = element.get("r", "")
                last = int(number) if number.isdecimal() else last + 1
                if last > _LAST_ROW:
                    raise BadInput(
                        f"{self._book.name} has too many empty cells before others: save what is to be read as CSV."
                    )
                if self._book.is_enough(last - 1, self._title):
                    break
                row = Row(last, self._cells(element, last))
                hidden_rows += bool(row.cells) and element.get("hidden") in ("1", "true")
                shown.update(row.cells)
                element.clear()
                while (earlier := element.getprevious()) is not None:
                    element.getparent().remove(earlier)  # type: ignore[union-attr]
                yield row
        except etree.XMLSyntaxError:
            raise self._book.package.archive.invalid_error(f"{self._part!r} can't be read") from None
        self._book.hide_parts(self._title, hidden_rows, sum(column in shown for column in hidden_columns))

    def _cells(self, row: "_Element", number: int) -> dict[int, str]:
        cells, column, book = dict[int, str](), 0, self._book
        for cell in row:
            if cell.tag != _C:
                continue
            book.cells += 1
            at = cell.get("r")
            column = (_position(at)[1] if at else 0) or column + 1
            if len(cell) and column <= _LAST_COLUMN and (text := self._text(cell, at or f"row {number}")) is not None:
                cells[column] = text
        self._cover(cells, number)
        if sum(map(len, cells.values())) > MOST_ROW:
            raise BadInput(
                f"Row {number} of {self._book.name} has more than {MOST_ROW:,} characters: it is none of a table."
            )
        return cells

    def _cover(self, cells: dict[int, str], number: int) -> None:
        """Give the values of merged cells to all cells that they cover."""
        while self._merged and self._merged[-1][0] <= number:
            first, left, last, right = self._merged.pop()
            if first == number and cells.get(left):
                self._open.append((last, left, min(right, left + _MOST_COVERED), cells[left]))
        self._open = [each for each in self._open if each[0] >= number]
        for _, left, right, text in self._open:
            self._book.cells += right - left + 1
            cells.update(dict.fromkeys(range(left, right + 1), text))
        if self._open:
            ordered = sorted(cells.items())
            cells.clear()
            cells.update(ordered)

    def _text(self, cell: "_Element", at: str) -> str | None:
        """The value of a cell as it is shown; "" for a formula without a value, None for an empty cell."""
        book, kind, style = self._book, cell.get("t", "n"), self._style(cell)
        held = {element.tag: element for element in cell}
        raw = (held[_V].text or "") if _V in held else ""
        if not raw and _IS not in held:
            book.uncomputed += _F in held and kind != "str"
            return "" if _F in held else None
        if kind == "n" and not style.is_struck:
            shown, has_struck, text = self._show(raw, kind, style), False, raw
        elif kind == "s" or _IS in held:
            text, has_struck = text_of(held[_IS]) if _IS in held else book.parts.string(raw)
            shown = join_lines(show_string(text, style))
        else:
            shown, has_struck, text = on_a_line(self._show(raw, kind, style)), False, raw
        if style.is_struck or has_struck:
            book.left_out.add(DELETED, f"{self._title}, {at}")
            shown = "" if style.is_struck else shown
        elif not shown and text.strip():
            book.left_out.add(_HIDDEN_VALUE, f"{self._title}, {at}")
        return shown or None

    def _show(self, raw: str, kind: str, style: CellStyle) -> str:
        if kind == "b":
            return "TRUE" if raw.strip() in ("1", "true") else "FALSE"
        if kind == "n":
            if style.form == "General" and _SHORT_NUMBER.fullmatch(raw):
                return raw
            try:
                return self._book.parts.show(float(raw), style)
            except (ValueError, OverflowError):
                return raw
        return raw.removesuffix("T00:00:00") if kind == "d" else raw if kind == "e" else show_string(raw, style)

    def _style(self, cell: "_Element") -> CellStyle:
        number, styles = cell.get("s", "0"), self._book.parts.styles
        return styles[int(number)] if number.isdecimal() and int(number) < len(styles) else _USUAL

    def _merged_areas(self) -> list[tuple[int, int, int, int]]:
        """The merged cells, by their first row from the last on: first row, first column, last row, last column."""
        areas = []
        for found in _MERGED.findall(self._data, max(0, self._data.rfind(b"sheetData"))):
            first, _, last = found.decode("ascii").partition(":")
            areas.append((*_position(first), *_position(last)))
        return sorted(areas, reverse=True)

    def comments(self) -> dict[int, list[str]]:
        """What is remarked on cells, by rows: "Comment on B3 by Anna: ..."."""
        package, remarks = self._book.package, dict[int, list[str]]()
        people = {
            value(element, "id"): value(element, "displayName")
            for part in package.related(self._book.main, "person")
            for element in elements_named(package.root(part), "person")
        }
        threaded = set[str]()
        for kind, name in (("threadedComment", "threadedcomment"), ("comments", "comment")):
            for part in (relation.part for relation in self._relations if relation.kind == kind and relation.part):
                root = package.root(part)
                authors = [on_a_line("".join(element.itertext())) for element in elements_named(root, "author")]
                for element in elements_named(root, name):
                    at, author = value(element, "ref"), value(element, "authorId")
                    by = on_a_line(people.get(value(element, "personId"), "")) or (
                        authors[int(author)] if author.isdecimal() and int(author) < len(authors) else ""
                    )
                    text = on_a_line("".join("".join(text.itertext()) for text in elements_named(element, "text")))
                    if text and (kind == "threadedComment" or at not in threaded):
                        said = text.removeprefix(f"{by}:").strip()
                        remarks.setdefault(_position(at)[0], []).append(
                            f"Comment on {at}{f' by {by}' if by and not by.startswith('tc=') else ''}: {said}"
                        )
                    threaded |= {at} if kind == "threadedComment" else set()
        return remarks

    def drawn(self) -> Iterator[str]:
        """The texts of boxes and charts on the sheet."""
        for relation in self._relations:
            if relation.kind == "drawing" and relation.part:
                yield from (text for text, _ in Drawing(self._book.package, relation.part).blocks())


def _hidden_columns(column: "_Element") -> set[int]:
    first, last = value(column, "min"), value(column, "max")
    if value(column, "hidden") not in ("1", "true") or not (first.isdecimal() and last.isdecimal()):
        return set()
    return set(range(int(first), min(int(last), _LAST_COLUMN) + 1))


@lru_cache(maxsize=20_000)
def _position(reference: str) -> tuple[int, int]:
    """The row and the column of a cell's name, from 1; 0 where it names none."""
    match = _CELL.fullmatch(reference)
    if match is None:
        return 0, 0
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - 64
    return int(match[2]), column


def name_cell(row: int, column: int) -> str:
    """The name of a cell: "B3"."""
    letters = ""
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(65 + letter) + letters
    return f"{letters}{row}"

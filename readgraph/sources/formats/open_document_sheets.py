"""OpenDocument spreadsheets as plain text: each row of each sheet, its values as shown, under the names of columns."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from readgraph.sources.converting import Converted, join_lines, on_a_line
from readgraph.sources.formats.office_text import DELETED
from readgraph.sources.formats.open_document_text import OpenDocumentReader, open_document
from readgraph.sources.formats.open_xml import child, value
from readgraph.sources.formats.table_names import Row
from readgraph.sources.formats.tables import Table, convert_tables
from readgraph.sources.formats.workbook import WorkbookNotices, name_cell
from readgraph.sources.parsing import elements_named, local_name, text_of_first
from readgraph.sources.places import shorten_label

if TYPE_CHECKING:
    from lxml.etree import _Element

_MOST_REPEATED = 1_000  # rows or columns with a value that one element stands for
_MOST_COVERED = 100  # columns of a merged cell that take its value
_IN_DIGITS = re.compile(r"[\d./: -]+")
_RANGE = re.compile(r"(?:\$?'?(?P<sheet>.*?)'?\.)?\$?[A-Z]+\$?(?P<row>\d+)(?::.*)?")
_NUMBER = re.compile(r"-?\d{1,300}(?:\.\d+)?")
_HIDDEN = frozenset(("collapse", "filter"))


def convert(data: bytes, name: str) -> Converted:
    """The rows of the sheets, as those of `workbook.convert`; raises `BadInput` for the same causes."""
    reader, body, title = open_document(data, name, OpenDocumentReader)
    notices = WorkbookNotices(name, reader.left_out)
    sheets = [_Sheet(reader, notices, element) for element in elements_named(body, "table") if not _is_inner(element)]
    heads = [*elements_named(body, "database-range")]
    tables = (Table(sheet.title, sheet.rows, sheet.heads(heads), sheet.remarks, sheet.drawn) for sheet in sheets)
    return convert_tables(tables, name)._replace(title=title, problems=tuple(notices.problems()))


def _is_inner(table: "_Element") -> bool:
    """Whether a table is no sheet of its own: one in a cell, or what is kept of another file."""
    is_nested = any(local_name(ancestor.tag) == "table" for ancestor in table.iterancestors())
    return is_nested or value(table, "name").startswith("'file:")


class _Sheet:
    """A sheet: its rows, and the remarks on its cells."""

    def __init__(self, reader: OpenDocumentReader, notices: WorkbookNotices, table: "_Element") -> None:
        self._reader, self._notices, self._table = reader, notices, table
        self._name = value(table, "name")
        self.title = f"sheet {shorten_label(self._name)}"
        self.remarks = dict[int, list[str]]()
        self._named = set[int]()
        self._hidden_rows = 0
        self._above = dict[int, tuple[int, str]]()  # for columns that are merged: the last row, and the value
        if reader.is_hidden("table", value(table, "style-name")):
            notices.hidden.append(self.title)
        self.rows = [*self._read(table)]
        shown = {column for row in self.rows for column in row.cells}
        notices.hide_parts(self.title, self._hidden_rows, sum(column in shown for column in self._hidden_columns()))

    def heads(self, ranges: "list[_Element]") -> set[int]:
        """The rows of which the sheet says that they name columns: those that pages repeat, and of its filters."""
        matches = (_RANGE.fullmatch(value(element, "target-range-address")) for element in ranges
                 if value(element, "contains-header", default="true") == "true"
                 and value(element, "display-filter-buttons") == "true")  # fmt: skip
        return self._named | {int(match["row"]) for match in matches if match and (match["sheet"] or "") == self._name}

    def drawn(self) -> Iterator[str]:
        """The texts of boxes and charts on the sheet."""
        for shapes in (element for element in self._table.iter() if local_name(element.tag) in ("shapes", "frame")):
            if local_name(shapes.tag) == "frame" or child(shapes, "frame") is None:
                yield from filter(None, self._reader.drawn_texts(shapes))

    def _read(self, table: "_Element") -> Iterator[Row]:
        number = 0
        for element in (each for each in table.iter() if local_name(each.tag) == "table-row"):
            times = min(_repeated(element, "rows"), _MOST_REPEATED)
            cells = self._cells(element, number + 1)
            if cells and self._notices.is_enough(number, self.title):
                return
            for at in range(number + 1, number + 1 + (times if cells else 0)):
                self._hidden_rows += value(element, "visibility") in _HIDDEN
                yield Row(at, cells)
            above = local_name(element.getparent().tag)  # type: ignore[union-attr]
            self._named |= {number + 1} if above == "table-header-rows" else set()
            number += _repeated(element, "rows")

    def _cells(self, row: "_Element", number: int) -> dict[int, str]:
        cells, column = dict[int, str](), 1
        for cell in row:
            name, times = local_name(cell.tag), _repeated(cell, "columns")
            if name == "covered-table-cell":
                for at in range(column, column + min(times, _MOST_COVERED)):
                    if self._above.get(at, (0, ""))[0] >= number:
                        cells[at] = self._above[at][1]
            elif name == "table-cell" and (text := self._text(cell, name_cell(number, column))) is not None:
                cells |= dict.fromkeys(range(column, column + min(times, _MOST_REPEATED)), text)
                across, down = _repeated(cell, "columns", "spanned"), _repeated(cell, "rows", "spanned")
                covered = range(column, column + min(across, _MOST_COVERED))
                self._above |= dict.fromkeys(covered if across > 1 or down > 1 else (), (number + down - 1, text))
            column += times if name in ("table-cell", "covered-table-cell") else 0
        self._notices.cells += len(cells)
        return dict(sorted(cells.items()))

    def _text(self, cell: "_Element", at: str) -> str | None:
        """The value of a cell as it is shown; "" for a formula without a value, None for an empty cell."""
        for remark in (element for element in cell if local_name(element.tag) == "annotation"):
            by = text_of_first(element for element in remark if local_name(element.tag) == "creator")
            said = on_a_line(" ".join("".join(element.itertext()) for element in elements_named(remark, "p")))
            row = int(re.sub(r"\D", "", at))
            self.remarks.setdefault(row, []).append(f"Comment on {at}{f' by {by}' if by else ''}: {said}")
        shown = join_lines("\n".join(self._reader.cell_texts(cell)))
        kind = value(cell, "value-type")
        if kind == "date" and (not shown or _IN_DIGITS.fullmatch(shown)):  # as each computer shows it in its own way
            shown = value(cell, "date-value").removesuffix("T00:00:00").replace("T", " ")
        shown = shown or _value_of(cell, kind)
        if self._reader.format_of_cell(value(cell, "style-name")).left_out == DELETED and shown:
            self._reader.left_out.add(DELETED, f"{self.title}, {at}")
            return None
        if not shown and value(cell, "formula"):
            self._notices.uncomputed += kind != "string"
            return ""
        return shown or None

    def _hidden_columns(self) -> Iterator[int]:
        column = 1
        for element in (each for each in self._table.iter() if local_name(each.tag) == "table-column"):
            times = _repeated(element, "columns")
            if value(element, "visibility") in _HIDDEN:
                yield from range(column, column + min(times, _MOST_REPEATED))
            column += times


def _value_of(cell: "_Element", kind: str) -> str:
    """The value of a cell that keeps none as it is shown, as programs write that don't show it."""
    said = value(cell, "value") or value(cell, "string-value")
    if kind == "percentage" and _NUMBER.fullmatch(said):
        return f"{float(said) * 100:g}%"
    if kind == "boolean":
        return value(cell, "boolean-value").upper()
    if kind == "time":
        match = re.fullmatch(r"-?PT(\d+)H(\d+)M(\d+)(?:[.,]\d+)?S", value(cell, "time-value"))
        return f"{int(match[1])}:{match[2]}:{match[3]}" if match else value(cell, "time-value")
    return f"{said} {value(cell, 'currency')}".strip()


def _repeated(element: "_Element", what: str, how: str = "repeated") -> int:
    said = value(element, f"number-{what}-{how}", default="1")
    return int(said) if said.isdecimal() and len(said) < 9 else 1

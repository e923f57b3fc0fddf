"""Tables as plain text, from CSV and workbooks of Excel: a paragraph per row, each value under its column's name.

Places are the rows: "row 12", "sheet Rivers, row 12".
"""

import csv
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time
from io import BytesIO
from itertools import groupby, zip_longest
from operator import itemgetter
from typing import Any

from readgraph.sources.converting import Blocks, Converted, on_a_line
from readgraph.sources.encodings import decode
from readgraph.sources.inputs import most_bytes
from readgraph.sources.parsing import Archive, open_office_archive
from readgraph.sources.places import MOST_PLACES, Place, order_places, shorten_label
from readgraph.state.errors import BadInput
from readgraph.state.words import format_count

SEPARATORS = ",;\t|"

MOST_ROW = 1_000_000
"""Most characters of a row: a longer one is no row of a table, and would take many times its size in memory."""

SAMPLE_LINES = 20  # lines from which the separator is found
_NUMBER = re.compile(r"[-+(]?[\d.,' %€$£/:-]*\d[\d.,' %€$£/:)-]*")
_QUOTED = re.compile(r'"[^"]*"')
_LINE_END = re.compile(r"\r\n?|\n")


def convert(data: bytes, name: str) -> Converted:
    """The rows of a table, such as "station: Lundeford | year: 1991"; places are "row 2" and so on, as in a sheet.

    Where there are too many rows, a place is several: "rows 2–6". Empty cells are left out. A first row of different
    words names the columns; without one they are "column 1" and so on. Raises `BadInput` if there is no cell with text,
    or if the rows can't be told apart, or one is too long.
    """
    return convert_tables([("", _cells(decode(data, name), name))], name)


def convert_tables(tables: Iterable[tuple[str, Iterable[tuple[int, list[str]]]]], name: str) -> Converted:
    """The rows of tables, each with its title ("sheet Rivers") and its numbered rows of cells, as `convert` does."""
    blocks, most = Blocks(), most_bytes()
    rows: list[tuple[int, str, int]] = []
    for title, cells in tables:
        for number, row in _rows(cells):
            rows.append((blocks.add(row), title, number))
            if blocks.length + 2 > most:
                raise BadInput(f"{name} would become more than {most // 1_000_000} MB of text: split it.")
    if not rows:
        raise BadInput(f"{name} holds no row with text: there is nothing to read.")
    places, together = list[Place](), -(-len(rows) // MOST_PLACES)
    for title, of_table in groupby(rows, key=itemgetter(1)):
        table = list(of_table)
        for first in range(0, len(table), together):
            (start, _, number), (_, _, last) = table[first], table[min(first + together, len(table)) - 1]
            label = f"row {number}" if last == number else f"rows {number}–{last}"
            places.append(Place(start, ", ".join(filter(None, [title, label]))))
    return Converted(blocks.text(), order_places(places))


def _rows(table: Iterable[tuple[int, list[str]]]) -> Iterator[tuple[int, str]]:
    columns: list[str] | None = None
    for number, row in table:
        cells = [on_a_line(cell) for cell in row]
        filled = [cell for cell in cells if cell]
        if not filled:
            continue
        if columns is None:
            is_head = len(set(filled)) == len(filled) and not any(map(_NUMBER.fullmatch, filled))
            columns = [shorten_label(cell) for cell in cells] if is_head else []
            if is_head:
                continue
        named = zip_longest(cells, columns[: len(cells)], fillvalue="")
        labelled = [f"{column or f'column {at}'}: {cell}" for at, (cell, column) in enumerate(named, 1) if cell]
        yield number, " | ".join(labelled)


def _cells(table: str, name: str) -> Iterator[tuple[int, list[str]]]:
    separator, skipped = _separator(table)
    row_began = read_to = 0

    def lines() -> Iterator[str]:
        nonlocal read_to
        number = 0
        while read_to < len(table):
            start, number = read_to, number + 1
            last = row_began + MOST_ROW
            found = _LINE_END.search(table, start, last + 2)
            end, read_to = found.span() if found else (len(table), len(table))
            if end > last:
                raise BadInput(
                    f"Line {number} of {name} ends a row of more than {MOST_ROW:,} characters, which is none of a "
                    "table: put each row on a line of its own, or give the file as .txt."
                )
            yield f"{table[start:end]}\n"

    reader = csv.reader(lines(), delimiter=separator)
    try:
        for number, row in enumerate(reader, 1 - skipped):
            row_began = read_to
            if number > 0:
                yield number, row
    except csv.Error:
        most = csv.field_size_limit()
        raise BadInput(
            f"Line {reader.line_num} of {name} has a cell of more than {most:,} characters: "
            "is the quotation mark at its end missing?"
        ) from None


def _separator(table: str) -> tuple[str, int]:
    """The character between cells, and the number of first lines that only name it ("sep=;", as Excel writes)."""
    lines = [line for line in _LINE_END.split(table[:100_000])[:SAMPLE_LINES] if line.strip()]
    if lines and (named := re.fullmatch(r"sep=(.)", lines[0])):
        return named[1], 1
    counts = {each: [_QUOTED.sub("", line).count(each) for line in lines] for each in SEPARATORS}
    # The separator stands equally often in every line; a comma inside of sentences or numbers doesn't.
    return max(SEPARATORS, key=lambda each: (_share_of_commonest(counts[each]), sum(counts[each]))), 0


def _share_of_commonest(counts: Sequence[int]) -> float:
    """The share of lines with the commonest count, of the lines that hold the character; 0 if none does."""
    used = [count for count in counts if count]
    return max(map(used.count, used)) / len(counts) if used else 0


MOST_CELLS = 20_000_000  # with the empty ones before others: a small file can have far more
EMPTY_ROW = 20  # for how many cells an empty row counts, since it takes as long
_UNCOMPUTED = re.compile(rb"(?:</f>|<f\b[^<>]{0,200}/>)\s{0,9}(?:<v>\s{0,9}</v>|<v\s?/>)?\s{0,9}</c>")


def convert_workbook(data: bytes, name: str) -> Converted:
    """The rows of the sheets with the values that formulas had, and dates as ISO writes them ("2024-03-12").

    Raises `BadInput` if there is no cell with text, or for a file that can't be opened.
    """
    from openpyxl import load_workbook

    archive = open_office_archive(data, name, "Excel", ".xlsx")
    uncomputed = _check(archive)
    try:
        with warnings.catch_warnings(action="ignore"):  # of what a workbook has that openpyxl doesn't keep
            book = load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
            sheets = [(f"sheet {shorten_label(sheet.title)}", sheet) for sheet in book.worksheets]
            looked_at = [0]
            converted = convert_tables(
                ((title, _cells_of_sheet(sheet, looked_at, name)) for title, sheet in sheets), name
            )
    except (BadInput, MemoryError):
        raise
    except Exception:  # openpyxl checks little: damage shows as an error of any type
        raise archive.invalid_error() from None
    problem = (
        f"{name}: {format_count(uncomputed, 'formula')} without a value: open and save it in a spreadsheet program."
    )
    return converted._replace(title=archive.title("docProps/core.xml"), problems=(problem,) if uncomputed else ())


def _check(archive: Archive) -> int:
    """Read each member, to check its size and that it has no entities; the number of formulas without a value."""
    uncomputed = 0
    for member in archive.members:
        content = archive.read(member)
        if not member.startswith("xl/media/"):  # pictures, which may well be SVG
            if b"<!DOCTYPE" in content.replace(b"\0", b""):  # in UTF-16 too
                raise archive.invalid_error(f"{member!a} has entities of its own")
            uncomputed += len(_UNCOMPUTED.findall(content))
    return uncomputed


def _cells_of_sheet(sheet: Any, looked_at: list[int], name: str) -> Iterator[tuple[int, list[str]]]:
    sheet.reset_dimensions()  # a file may say that a sheet is larger than it is
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        looked_at[0] += len(row) or EMPTY_ROW
        cells = [_text_of_cell(value) for value in row]
        if looked_at[0] > MOST_CELLS:
            raise BadInput(f"{name} has too many empty cells before others: save what is to be read as CSV.")
        if sum(map(len, cells)) > MOST_ROW:
            raise BadInput(f"Row {number} of {name} has more than {MOST_ROW:,} characters: it is none of a table.")
        yield number, cells


def _text_of_cell(value: Any) -> str:
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, datetime):
        return value.isoformat(" ")
    return "" if value is None else value.isoformat() if isinstance(value, date | time) else str(value)

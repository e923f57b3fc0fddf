"""Workbooks of Excel as plain text: the rows of each sheet, as those of CSV; places are "sheet Rivers, row 12"."""

import re
import warnings
from collections.abc import Iterator
from datetime import date, datetime, time
from io import BytesIO
from typing import Any

from readgraph.sources.converting import Converted
from readgraph.sources.formats.csv_text import MOST_ROW, convert_tables
from readgraph.sources.parsing import Archive, open_office_archive
from readgraph.sources.places import shorten_label
from readgraph.state.errors import BadInput
from readgraph.state.words import format_count

MOST_CELLS = 20_000_000  # with the empty ones before others: a small file can have far more
EMPTY_ROW = 20  # for how many cells an empty row counts, since it takes as long
_UNCOMPUTED = re.compile(rb"(?:</f>|<f\b[^<>]{0,200}/>)\s{0,9}(?:<v>\s{0,9}</v>|<v\s?/>)?\s{0,9}</c>")


def convert(data: bytes, name: str) -> Converted:
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
            converted = convert_tables(((title, _cells(sheet, looked_at, name)) for title, sheet in sheets), name)
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


def _cells(sheet: Any, looked_at: list[int], name: str) -> Iterator[tuple[int, list[str]]]:
    sheet.reset_dimensions()  # a file may say that a sheet is larger than it is
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        looked_at[0] += len(row) or EMPTY_ROW
        cells = [_text(value) for value in row]
        if looked_at[0] > MOST_CELLS:
            raise BadInput(f"{name} has too many empty cells before others: save what is to be read as CSV.")
        if sum(map(len, cells)) > MOST_ROW:
            raise BadInput(f"Row {number} of {name} has more than {MOST_ROW:,} characters: it is none of a table.")
        yield number, cells


def _text(value: Any) -> str:
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, datetime):
        return value.isoformat(" ")
    return "" if value is None else value.isoformat() if isinstance(value, date | time) else str(value)

"""A table as an Excel sheet, with XlsxWriter: numbers are numbers, whole dates are dates, all else is text."""

import io
import zipfile
from contextlib import suppress
from datetime import date
from decimal import Decimal
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import Any

from readgraph.report.sheets import Sheet, cells
from readgraph.state.errors import BadInput

MISSING = "An Excel sheet needs one more package: pip install 'readgraph[tables]'; or name a file that ends in .csv."

MOST_ROWS, MOST_CHARACTERS, MOST_DIGITS = 1_048_576, 32_767, 15
"""What a sheet, a cell and a number of Excel hold."""

FIRST_DATE = date(1900, 3, 1)
"""Before it, Excel's dates are wrong by a day, and then end."""

AUTHOR = "readgraph"


def excel_library() -> Any:
    """XlsxWriter; raises `BadInput`, which says what to install."""
    try:
        return import_module("xlsxwriter")
    except ImportError:
        raise BadInput(MISSING) from None


def excel_bytes(sheet: Sheet) -> bytes:
    """The sheet as a workbook. Raises `BadInput` where XlsxWriter is missing, or the rows are too many."""
    if len(sheet.rows) >= MOST_ROWS:
        raise BadInput(f"An Excel sheet holds {MOST_ROWS - 1:,} rows, and the table has {len(sheet.rows):,}: use .csv.")
    written = io.BytesIO()
    book = excel_library().Workbook(written, {"in_memory": True})
    book.set_properties({"author": AUTHOR, "comments": sheet.note})
    page = book.add_worksheet("Table")
    forms = {
        "head": book.add_format({"bold": True, "quote_prefix": True}),
        "text": book.add_format({"quote_prefix": True, "text_wrap": True, "valign": "top"}),
        "number": book.add_format({"valign": "top"}),
        "date": book.add_format({"num_format": "yyyy-mm-dd", "valign": "top"}),
    }
    for column, name in enumerate(sheet.columns):
        page.write_string(0, column, _text(name), forms["head"])
        page.set_column(column, column, 50 if name.endswith("quote") else 20)
    for number, row in enumerate(sheet.rows, 1):
        for column, (value, kind) in enumerate(cells(row, sheet)):
            _write(page, number, column, value, kind, forms)
    page.freeze_panes(1, 0)
    if sheet.columns:
        page.autofilter(0, 0, len(sheet.rows), len(sheet.columns) - 1)
    book.close()
    return written.getvalue()


def _write(page: Any, row: int, column: int, value: str, kind: str, forms: dict[str, Any]) -> None:
    """A cell of its kind; a number with too many digits, or a date that Excel has not, is text."""
    if not value:
        return
    if kind == "number" and _fits(value):
        page.write_number(row, column, float(value), forms["number"])
    elif kind == "date" and (day := _day(value)):
        page.write_datetime(row, column, day, forms["date"])
    else:
        page.write_string(row, column, _text(value), forms["text"])


def _fits(value: str) -> bool:
    """Whether Excel keeps all digits of a number."""
    return len(Decimal(value).normalize().as_tuple().digits) <= MOST_DIGITS and isfinite(float(value))


def _day(value: str) -> date | None:
    """A whole date that Excel has; None for a month, a year, and what was long ago."""
    with suppress(ValueError):
        if len(value) == len("2000-01-01") and (day := date.fromisoformat(value)) >= FIRST_DATE:
            return day
    return None


def _text(value: str) -> str:
    """What a cell holds of a text: a lone surrogate has no form in a file."""
    return value.encode("utf-8", "replace").decode()[:MOST_CHARACTERS]


def is_our_excel(file: Path) -> bool:
    """Whether a workbook names this program as its author."""
    try:
        with zipfile.ZipFile(file) as book:
            return f"<dc:creator>{AUTHOR}</dc:creator>".encode() in book.read("docProps/core.xml")
    except (zipfile.BadZipFile, KeyError):
        return False

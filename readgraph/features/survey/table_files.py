"""A survey's table as a file, each row with its quote and place: CSV, JSON, Markdown, or an Excel sheet with types."""

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from decimal import Decimal
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from readgraph.library.collections import Member
from readgraph.state.errors import BadInput
from readgraph.state.tables import ColumnKind, Row, Table, disarm_formulas

CITED = ("quote", "place", "document")  # the columns of the first quote that shows a row, after the table's own


class Sheet(NamedTuple):
    """A table with its citations as columns: names, kinds, and rows of texts; nothing is ""."""

    columns: list[str]
    kinds: list[ColumnKind]
    rows: list[list[str]]
    note: str = ""


def sheet_of(table: Table, documents: Sequence[Member] = (), note: str = "") -> Sheet:
    """The table with columns for its citations; `documents`: a collection's; `note`: a sentence about all of it."""
    cited = CITED if len(documents) > 1 else CITED[:2]
    taken = {name.casefold() for name in table["columns"]}
    columns = [*table["columns"], *(f"cited {name}" if name in taken else name for name in cited)]
    rows = [[*row["values"], *_citation_cells(row, documents)[: len(cited)]] for row in table["rows"]]
    texts: list[ColumnKind] = ["text"] * len(cited)
    return Sheet(columns, [*table["kinds"], *texts], rows, note)


def _citation_cells(row: Row, documents: Sequence[Member]) -> list[str]:
    if not row["citations"]:
        return ["", "", ""]
    first = row["citations"][0]
    quote, place = " ".join(first["quote"].split()), first["place"] or ""
    member = next((document for document in reversed(documents) if document.start <= first["start"]), None)
    if member:  # it has a column of its own
        place = place.removeprefix(member.title).removeprefix(", ")
    return [quote, place or f"part {first['page']}", member.name if member else ""]


MISSING = "An Excel sheet needs one more package: pip install 'readgraph[tables]'; or name a file that ends in .csv."
MOST_ROWS, MOST_CHARACTERS, MOST_DIGITS = 1_048_576, 32_767, 15  # what a sheet, a cell and a number of Excel hold
FIRST_DATE = date(1900, 3, 1)  # before it, Excel's dates are wrong by a day, and then end
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
        for column, (value, kind) in enumerate(zip(row, sheet.kinds, strict=True)):
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
    if kind == "number" and len(Decimal(value).normalize().as_tuple().digits) <= MOST_DIGITS and isfinite(float(value)):
        page.write_number(row, column, float(value), forms["number"])
    elif kind == "date" and (day := _day(value)):
        page.write_datetime(row, column, day, forms["date"])
    else:
        page.write_string(row, column, _text(value), forms["text"])


def _day(value: str) -> date | None:
    """A whole date that Excel has; None for a month, a year, and what was long ago."""
    with suppress(ValueError):
        if len(value) == len("2000-01-01") and (day := date.fromisoformat(value)) >= FIRST_DATE:
            return day
    return None


def _text(value: str) -> str:
    """What a cell holds of a text: a lone surrogate has no form in a file."""
    return value.encode("utf-8", "replace").decode()[:MOST_CHARACTERS]


_OURS = re.compile(r"(?:cited )?quote,(?:cited )?place(?:,(?:cited )?document)?$")


def number_of(value: str) -> int | float | None:
    """A number of the table as a number; None where there is none, or none that a float can hold."""
    number = int(value) if re.fullmatch(r"-?\d+", value) else float(value or "nan")
    return number if isinstance(number, int) or isfinite(number) else None


def csv_bytes(sheet: Sheet) -> bytes:
    """RFC 4180 in UTF-8 with Excel's mark; all cells are in quotes, since the comma may be the decimal mark."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    writer.writerow(map(disarm_formulas, sheet.columns))
    for row in sheet.rows:
        kinds = zip(row, sheet.kinds, strict=True)
        writer.writerow([value if kind == "number" else disarm_formulas(value) for value, kind in kinds])
    return text.getvalue().encode("utf-8-sig", "replace")


def json_bytes(sheet: Sheet) -> bytes:
    """An array with an object for each row: numbers as numbers, nothing as null."""
    objects = list[str]()
    for row in sheet.rows:
        kinds = zip(row, sheet.kinds, strict=True)
        values = [number_of(value) if kind == "number" else value or None for value, kind in kinds]
        objects.append(json.dumps(dict(zip(sheet.columns, values, strict=True)), ensure_ascii=False))
    text = ",\n".join(objects)
    return f"[\n{text}\n]\n".encode("utf-8", "replace") if objects else b"[]\n"


def markdown(sheet: Sheet) -> str:
    """The table as Markdown; what has a meaning there is escaped."""
    rules = ["---:" if kind == "number" else "---" for kind in sheet.kinds]
    head, *rows = (
        [re.sub(r"([\\`*_\[\]<>|])", r"\\\1", " ".join(cell.split())) for cell in row]
        for row in (sheet.columns, *sheet.rows)
    )
    lines = [f"| {' | '.join(cells)} |" for cells in (head, rules, *rows)]
    return "\n".join([*lines, *(["", f"*{sheet.note}*"] if sheet.note else []), ""])


FORMS: Mapping[str, Callable[[Sheet], bytes]] = {
    ".csv": csv_bytes,
    ".json": json_bytes,
    ".xlsx": excel_bytes,
    ".md": lambda sheet: markdown(sheet).encode("utf-8", "replace"),
}


def table_bytes(sheet: Sheet, ending: str) -> bytes:
    """The file with this ending. Raises `BadInput` where a package is missing, or a sheet can't hold so much."""
    return FORMS[ending](sheet)


def is_our_table(file: Path) -> bool:
    """Whether a file is a table as these functions write them, by its columns; an empty file counts as one."""
    if not file.stat().st_size:
        return True
    ending = file.suffix.lower()
    if ending == ".xlsx":
        with suppress(zipfile.BadZipFile, KeyError), zipfile.ZipFile(file) as book:
            return f"<dc:creator>{AUTHOR}</dc:creator>".encode() in book.read("docProps/core.xml")
        return False
    with file.open(encoding="utf-8-sig", errors="replace", newline="") as opened:
        if ending == ".csv":
            return _has_our_columns(next(csv.reader(opened), []))
        if ending == ".md":
            return _has_our_columns(cell.strip() for cell in opened.readline().strip().strip("|").split("|"))
        try:
            begin = opened.readline(), opened.readline()
            rows = json.loads("".join(begin).rstrip().removesuffix(",").removesuffix("]") + "]")
        except ValueError:
            return False
    return rows == [] or (isinstance(rows[0], dict) and _has_our_columns(rows[0]))


def _has_our_columns(columns: Any) -> bool:
    return bool(_OURS.search(",".join(columns)))

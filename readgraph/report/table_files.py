"""A survey's table as a file: CSV, JSON, an Excel sheet, or Markdown. Each row has its quote and the quote's place."""

import csv
import io
import json
import re
from collections.abc import Callable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any
from unicodedata import normalize

from readgraph.report.excel import excel_bytes, is_our_excel
from readgraph.report.sheets import Sheet, cells

_CELL = re.compile(r"(?:^\s*|(?<=[;\t\r\n]))[^;\t\r\n]+")
_NUMBER = re.compile(r"[+-]?\d[\d., ]*%?")
_OURS = re.compile(r"(?:cited )?quote,(?:cited )?place(?:,(?:cited )?document)?$")


def number_of(value: str) -> int | float | None:
    """A number of the table as a number; None where there is none, or none that a float can hold."""
    number = int(value) if re.fullmatch(r"-?\d+", value) else float(value or "nan")
    return number if isinstance(number, int) or isfinite(number) else None


def harmless(value: str) -> str:
    """The value so that a spreadsheet shows it and calculates nothing: a formula gets an apostrophe before it.

    So does one behind a semicolon, a tab or a line end: some spreadsheets begin a cell there, whatever the quotes say.
    """
    return _CELL.sub(lambda cell: f"'{cell[0]}" if _is_formula(cell) else cell[0], value)


def _is_formula(cell: re.Match[str]) -> bool:
    """Whether a spreadsheet may calculate this cell: what can't be seen before the first sign doesn't count."""
    text = cell[0].lstrip('"') if cell.start() else cell[0]
    first = next((each for each in text if each.isprintable() and not each.isspace()), "")
    is_sign = bool(first) and normalize("NFKC", first) in "=+-@"
    return text.startswith(("\t", "\r")) or (is_sign and not _NUMBER.fullmatch(text.strip(" ")))


def csv_bytes(sheet: Sheet) -> bytes:
    """RFC 4180 in UTF-8; it begins with the mark by which Excel sees that it is UTF-8.

    All cells are in quotes: where the comma is the decimal mark, "-3" and the cell after it could be one formula.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    writer.writerow(map(harmless, sheet.columns))
    for row in sheet.rows:
        writer.writerow([value if kind == "number" else harmless(value) for value, kind in cells(row, sheet)])
    return text.getvalue().encode("utf-8-sig", "replace")


def json_bytes(sheet: Sheet) -> bytes:
    """An array with an object for each row: numbers as numbers, nothing as null."""
    objects = list[str]()
    for row in sheet.rows:
        values = [number_of(value) if kind == "number" else value or None for value, kind in cells(row, sheet)]
        objects.append(json.dumps(dict(zip(sheet.columns, values, strict=True)), ensure_ascii=False))
    text = ",\n".join(objects)
    return f"[\n{text}\n]\n".encode("utf-8", "replace") if objects else b"[]\n"


def markdown_bytes(sheet: Sheet) -> bytes:
    """A table of Markdown, with the note below it."""
    return markdown(sheet).encode("utf-8", "replace")


def markdown(sheet: Sheet) -> str:
    """The table as Markdown; what has a meaning there is escaped."""
    rules = ["---:" if kind == "number" else "---" for kind in sheet.kinds]
    lines = [_line(map(_escaped, sheet.columns)), _line(rules), *(_line(map(_escaped, row)) for row in sheet.rows)]
    return "\n".join([*lines, *(["", f"*{sheet.note}*"] if sheet.note else []), ""])


def _line(cells: Any) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(cell: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|])", r"\\\1", " ".join(cell.split()))


FORMS: Mapping[str, Callable[[Sheet], bytes]] = {
    ".csv": csv_bytes,
    ".json": json_bytes,
    ".xlsx": excel_bytes,
    ".md": markdown_bytes,
}
"""The forms of a file by its ending."""


def table_bytes(sheet: Sheet, ending: str) -> bytes:
    """The file with this ending. Raises `BadInput` where a package is missing, or a sheet can't hold so much."""
    return FORMS[ending](sheet)


def written_before(file: Path) -> bool:
    """Whether a file is a table as these functions write them, by its columns; an empty file counts as one."""
    if not file.stat().st_size:
        return True
    ending = file.suffix.lower()
    if ending == ".xlsx":
        return is_our_excel(file)
    with file.open(encoding="utf-8-sig", errors="replace", newline="") as opened:
        if ending == ".csv":
            return _ours(next(csv.reader(opened), []))
        if ending == ".md":
            return _ours(cell.strip() for cell in opened.readline().strip().strip("|").split("|"))
        try:
            begin = opened.readline(), opened.readline()
            rows = json.loads("".join(begin).rstrip().removesuffix(",").removesuffix("]") + "]")
        except ValueError:
            return False
    return rows == [] or (isinstance(rows[0], dict) and _ours(rows[0]))


def _ours(columns: Any) -> bool:
    return bool(_OURS.search(",".join(columns)))

"""Sources: tables in CSV, and Jupyter notebooks."""

import json
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from readgraph.sources import load
from readgraph.sources.formats.tables import convert
from readgraph.sources.places import MOST_PLACES, place_at
from readgraph.state.errors import BadInput
from tests.support.source_files import edit_zip, labelled, notices, write_file
from tests.support.sources import assert_file_refused

pytestmark = pytest.mark.quick

ROWS = "station: Lundeford | year: 1991 | maximum discharge: 42.5\n\nstation: Holm, upper | maximum discharge: 7"


@pytest.mark.parametrize(
    "table",
    [
        'station,year,maximum discharge\nLundeford,1991,42.5\n\n"Holm, upper",,7\n',
        "station;year;maximum discharge\r\nLundeford;1991;42.5\r\n;;\r\nHolm, upper;;7",
        "sep=;\nstation;year;maximum discharge\nLundeford;1991;42.5\n\nHolm, upper;;7\n",
        "station\tyear\tmaximum discharge\nLundeford\t1991\t42.5\n\nHolm, upper\t\t7\n",
    ],
)
def test_rows_stand_under_their_column_names(tmp_path: Path, table: str) -> None:
    source = load(write_file(tmp_path / "stations.csv", table))
    assert source.text == ROWS
    assert labelled(source) == [("row 2", "station: Lun"), ("row 4", "station: Hol")]


def test_a_table_without_column_names_and_cells_of_several_lines(tmp_path: Path) -> None:
    source = load(write_file(tmp_path / "a.tsv", '1991\t"two\nlines"\n1992\t\tmore\n'))
    assert source.text == "column 1: 1991 | column 2: two lines\n\ncolumn 1: 1992 | column 3: more"
    assert [place.label for place in source.places] == ["row 1", "row 2"]
    parted = load(write_file(tmp_path / "b.csv", '"1, 2, 3";x\n"4, 5, 6";y\n'))
    assert parted.text == "column 1: 1, 2, 3 | column 2: x\n\ncolumn 1: 4, 5, 6 | column 2: y"


def test_a_place_of_a_long_table_is_several_rows(tmp_path: Path) -> None:
    rows = MOST_PLACES + 1
    source = load(write_file(tmp_path / "a.csv", "a,b\n" + "".join(f"x{number},1\n" for number in range(rows))))
    assert place_at(source.places, source.text.index("x1 ")) == "rows 2–3"
    assert source.places[-1].label == f"row {rows + 1}" and len(source.places) <= MOST_PLACES


@pytest.mark.parametrize(
    "table,reason",
    [(",,\n;;\n", "holds no row with text"), ("a,b\n", "holds no row"), ('a,b\n1,"' + "x\n" * 99_999, "Line")],
)
def test_a_damaged_table(tmp_path: Path, table: str, reason: str) -> None:
    assert_file_refused(write_file(tmp_path / "a.csv", table), reason)


@pytest.mark.parametrize("row", ["1,2," * 300_000, '"x\n",' * 220_000], ids=["in one line", "in many lines"])
def test_a_row_that_is_as_long_as_a_book_is_refused_before_it_is_taken_apart(row: str) -> None:
    with pytest.raises(BadInput, match="ends a row of more than 1,000,000 characters"):
        convert(f"a,b\n{row}\n".encode(), "a.csv")


def test_a_long_row_is_read() -> None:
    row = ",".join(["lamp " * 1000] * 190)
    assert convert(f"a,b\r\n{row}\r\n1,2\r".encode(), "a.csv").text.endswith("a: 1 | b: 2")


def test_a_table_that_would_fill_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READGRAPH_MAX_FILE_MB", "1")
    with pytest.raises(BadInput, match="more than 1 MB of text"):
        convert(f"{'name ' * 20},b\n".encode() + b"x,\n" * 15_000, "a.csv")


def test_a_notebook(tmp_path: Path) -> None:
    results: list[dict[str, Any]] = [
        {"output_type": "stream", "text": ["42\n", "43\n"]},
        {"output_type": "execute_result", "data": {"text/html": "<b>44</b>", "text/plain": "44"}},
        {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo="}},
        {"output_type": "error", "ename": "KeyError", "evalue": "'x'", "traceback": ["\x1b[0;31mKeyError"]},
        {"output_type": "stream", "text": "\x1b[1mlong\x1b[0m " * 2_000},
    ]
    cells = [
        {"cell_type": "markdown", "source": ["# Rivers\n", "Of the *north*."]},
        {"cell_type": "code", "source": "print('```')", "outputs": results},
        {"cell_type": "code", "source": "", "outputs": []},
        {"cell_type": "raw", "source": "the end"},
    ]
    source = load(write_file(tmp_path / "a.ipynb", json.dumps({"nbformat": 4, "cells": cells})))
    parts = ["# Rivers\nOf the *north*.", "````\nprint('```')\n````", "42\n43", "44", "KeyError: 'x'", "long long "]
    assert source.text.startswith("\n\n".join(parts))
    assert source.text.endswith("long\n[The rest is left out.]\n\nthe end") and len(source.text) < 5_000
    assert [place.label for place in source.places] == ["cell 1", *["cell 2"] * 5, "cell 4"]


def test_a_notebook_of_an_old_format(tmp_path: Path) -> None:
    cells = [{"cell_type": "code", "input": "1 + 1", "outputs": [{"output_type": "pyout", "text": ["2"]}]}]
    source = load(write_file(tmp_path / "a.ipynb", json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]})))
    assert source.text == "```\n1 + 1\n```\n\n2"


@pytest.mark.parametrize(
    "notebook,reason",
    [
        *[("no JSON", "not a valid notebook"), ("[" * 100_000, "not a valid notebook"), ("[]", "has no cells")],
        *[('{"cells": 1}', "has no cells"), ('{"worksheets": [[]]}', "holds no text")],
        ('{"cells": [1, {"source": 2}, {"source": " "}]}', "holds no text"),
    ],
)
def test_a_damaged_notebook(tmp_path: Path, notebook: str, reason: str) -> None:
    assert_file_refused(write_file(tmp_path / "a.ipynb", notebook), reason)


def write_xlsx(path: Path, sheets: dict[str, Any], *edits: tuple[str, str]) -> Path:
    """A workbook of these rows; each edit is made in the XML of the first sheet."""
    book = Workbook()
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.remove(book.worksheets[0])
    book.save(path)
    for edit in edits:
        edit_zip(path, {"xl/worksheets/sheet1.xml": edit})
    return path


def test_the_rows_of_a_workbooks_sheets(tmp_path: Path) -> None:
    lunde, holm = ["Lunde", date(2024, 3, 12), 42.5], ["Holm", datetime(2024, 3, 12, 9, 30), 7]
    rivers = [["river", "measured", "m³/s"], lunde, [], holm]
    source = load(write_xlsx(tmp_path / "a.xlsx", {"Rivers": rivers, "Empty": [], "Hours": [[time(9, 30), True]]}))
    assert source.text.split("\n\n") == [
        "river: Lunde | measured: 2024-03-12 | m³/s: 42.5",
        "river: Holm | measured: 2024-03-12 9:30:00 | m³/s: 7",
        "column 1: 9:30:00 | column 2: TRUE",
    ]
    labels = [place.label for place in source.places]
    assert labels == ["sheet Rivers, row 2", "sheet Rivers, row 4", "sheet Hours, row 1"]


def test_formulas_have_the_values_that_were_computed(tmp_path: Path) -> None:
    rows = [["a", "b", "c"], ["x", "=1+1", "=1+2"]]
    source = load(write_xlsx(tmp_path / "a.xlsx", {"S": rows}, ("<f>1+1</f><v></v>", "<f>1+1</f><v>2</v>")))
    assert source.text == "a: x | b: 2"
    assert notices(source) == ["1 formula without a value: open and save it in a spreadsheet program."]


@pytest.mark.parametrize(
    "edit,reason",
    [
        (("<sheetData>", "<sheetDat>"), "is not a valid Excel file"),
        (("<worksheet", "<!DOCTYPE a [<!ENTITY own 'x'>]><worksheet"), "entities of its own"),
        (('<row r="1"', '<row r="999999999"'), "too many empty cells before others"),
    ],
)
@pytest.mark.slow
def test_a_workbook_that_is_damaged_or_made_to_take_for_ever(
    tmp_path: Path, edit: tuple[str, str], reason: str
) -> None:
    assert_file_refused(write_xlsx(tmp_path / "a.xlsx", {"S": [["word"]]}, edit), reason)


def test_a_string_that_stands_in_each_cell_is_not_repeated_without_end(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "a.xlsx", {"S": [["x" * 30_000] * 40]})
    assert_file_refused(path, "Row 1 of .* has more than 1,000,000 characters")
    assert_file_refused(write_file(tmp_path / "b.xlsx", "words"), "is not a valid Excel file")

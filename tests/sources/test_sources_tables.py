"""Sources: tables in CSV, and Jupyter notebooks."""

import json
from pathlib import Path
from typing import Any

import pytest

from readgraph.sources import load, place_at
from readgraph.sources.formats.csv_text import convert
from readgraph.sources.places import MOST_PLACES
from readgraph.state.errors import BadInput
from tests.support.source_files import labelled, write_file
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


def write_notebook(path: Path, *cells: dict[str, Any]) -> Path:
    return write_file(path, json.dumps({"nbformat": 4, "cells": cells}))


def test_a_notebook(tmp_path: Path) -> None:
    results: list[dict[str, Any]] = [
        {"output_type": "stream", "text": ["42\n", "43\n"]},
        {"output_type": "execute_result", "data": {"text/html": "<b>44</b>", "text/plain": "44"}},
        {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo="}},
        {"output_type": "error", "ename": "KeyError", "evalue": "'x'", "traceback": ["\x1b[0;31mKeyError"]},
        {"output_type": "stream", "text": "\x1b[1mlong\x1b[0m " * 2_000},
    ]
    source = load(
        write_notebook(
            tmp_path / "a.ipynb",
            {"cell_type": "markdown", "source": ["# Rivers\n", "Of the *north*."]},
            {"cell_type": "code", "source": "print('```')", "outputs": results},
            {"cell_type": "code", "source": "", "outputs": []},
            {"cell_type": "raw", "source": "the end"},
        )
    )
    assert source.text.startswith(
        "# Rivers\nOf the *north*.\n\n````\nprint('```')\n````\n\n42\n43\n\n44\n\nKeyError: 'x'\n\nlong long "
    )
    assert source.text.endswith("long\n[The rest is left out.]\n\nthe end") and len(source.text) < 5_000
    assert [place.label for place in source.places] == ["cell 1", *["cell 2"] * 5, "cell 4"]


def test_a_notebook_of_an_old_format(tmp_path: Path) -> None:
    cells = [{"cell_type": "code", "input": "1 + 1", "outputs": [{"output_type": "pyout", "text": ["2"]}]}]
    source = load(write_file(tmp_path / "a.ipynb", json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]})))
    assert source.text == "```\n1 + 1\n```\n\n2"


@pytest.mark.parametrize(
    "notebook,reason",
    [
        ("no JSON", "not a valid notebook"),
        ("[" * 100_000, "not a valid notebook"),
        ("[]", "has no cells"),
        ('{"cells": 1}', "has no cells"),
        ('{"worksheets": [[]]}', "holds no text"),
        ('{"cells": [1, {"source": 2}, {"source": " "}]}', "holds no text"),
    ],
)
def test_a_damaged_notebook(tmp_path: Path, notebook: str, reason: str) -> None:
    assert_file_refused(write_file(tmp_path / "a.ipynb", notebook), reason)

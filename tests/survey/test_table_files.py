"""Any table becomes a file that reads back as it was, and that no spreadsheet calculates."""

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readgraph.features.survey.table_files import (
    Sheet,
    csv_bytes,
    excel_bytes,
    is_our_table,
    json_bytes,
    markdown,
    sheet_of,
    table_bytes,
)
from readgraph.library.collections import Member
from readgraph.state.reading import Citation
from readgraph.state.tables import Table, disarm_formulas

odd = st.one_of(
    st.text(), st.sampled_from(["=1+1", "+1", "-a", "@x", "\tx", "a|b", '"', "\r\n", "\0", "\ud800", "＝1"])
)
numbers = st.one_of(st.just(""), st.decimals(allow_nan=False, allow_infinity=False).map(lambda each: f"{each:f}"))
dates = st.one_of(st.just(""), st.dates().map(str), st.sampled_from(["1912", "1912-03", "0000-05-05"]))
rows = st.lists(st.tuples(odd, numbers, dates).map(list), max_size=4)


def sheet(given_rows: list[list[str]]) -> Sheet:
    return Sheet(["who", "paid", "day"], ["text", "number", "date"], given_rows)


@given(rows)
def test_values_come_back_as_they_were(given_rows: list[list[str]]) -> None:
    made = sheet(given_rows)
    text = csv_bytes(made).decode("utf-8-sig")
    back = [*csv.reader(io.StringIO(text, newline=""))][1:]
    assert [row[1:] for row in back] == [row[1:] for row in given_rows], "numbers and dates are not changed"
    assert [row[0] for row in back] == [
        disarm_formulas(row[0]).encode("utf-8", "replace").decode() for row in given_rows
    ]
    assert len(json.loads(json_bytes(made))) == len(given_rows)
    assert markdown(made).count("\n") == 2 + len(given_rows)


@given(rows)
@settings(max_examples=20)
def test_any_table_becomes_a_sheet(given_rows: list[list[str]]) -> None:
    pytest.importorskip("xlsxwriter")
    assert excel_bytes(sheet(given_rows)).startswith(b"PK")


@pytest.mark.parametrize(
    "value",
    ["=1+1", " =1", "+a", "-a", "@SUM(A1)", "\t=1", "-2+3", "＝1", "\ufeff=1", "\u200b@x", "\xa0=1", "\x00=1", "﹦1"],
)
def test_a_formula_gets_an_apostrophe(value: str) -> None:
    assert disarm_formulas(value) == f"'{value}"


@pytest.mark.parametrize(
    ("value", "defused"),
    [
        ("paid;=1+1", "paid;'=1+1"),
        ("gezahlt; \u200b＝1;@x", "gezahlt;' \u200b＝1;'@x"),
        ('a;"=1+1"', 'a;\'"=1+1"'),
        ("a\n=1\t+b", "a\n'=1\t'+b"),
    ],
)
def test_a_formula_where_another_separator_begins_a_cell_gets_one_too(value: str, defused: str) -> None:
    assert disarm_formulas(value) == defused


def test_no_cell_continues_the_one_before_where_the_comma_is_a_decimal_mark() -> None:
    line = csv_bytes(Sheet(["paid", "by"], ["number", "text"], [["-3", "5+A1"]])).decode("utf-8-sig").splitlines()[1]
    assert next(csv.reader([line], delimiter=";")) == ['-3,"5+A1"']


@pytest.mark.parametrize(
    "value", ["-3", "+4.5", "-1,200", "12%", "a=b", "", "1912-03-04", "’tis", "am 3. Mai; -5 %; gut", ";", "\u200b"]
)
def test_a_number_and_plain_text_stay(value: str) -> None:
    assert disarm_formulas(value) == value


def test_columns_of_citations_have_names_of_their_own(tmp_path: Path) -> None:
    cited: Citation = {"page": 2, "quote": "Ben\npaid", "start": 9, "end": 17, "place": "b, line 3"}
    table: Table = {
        "columns": ["Quote", "paid"],
        "kinds": ["text", "number"],
        "rows": [{"values": ["so", "3"], "citations": [cited]}],
        "found": 1,
    }
    made = sheet_of(table, [Member("a", "a", 0), Member("b", "b (2)", 8)])
    assert made.columns == ["Quote", "paid", "cited quote", "place", "document"]
    assert made.rows == [["so", "3", "Ben paid", "line 3", "b (2)"]]
    for ending in (".csv", ".json", ".md"):
        file = tmp_path / f"made{ending}"
        for each in (made, made._replace(rows=[])):
            file.write_bytes(table_bytes(each, ending))
            assert is_our_table(file)

"""Sources: sheets as they are shown: names of columns, merged cells, number formats, remarks, what is hidden."""

import time
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.styles import Font
from openpyxl.worksheet.table import Table
from openpyxl.worksheet.worksheet import Worksheet

from readgraph.sources import load
from readgraph.sources.converting import SourceText
from readgraph.sources.formats import workbook
from tests.support.source_files import ODF, labelled, notices, unzip, write_file, write_zip

pytestmark = pytest.mark.quick


def load_sheet(
    folder: Path, rows: Sequence[Sequence[Any]], change: Callable[[Worksheet], object] | None = None
) -> SourceText:
    """A workbook with a sheet of these rows, changed in one way."""
    book = Workbook()
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    sheet.title = "S"
    for row in rows:
        sheet.append(list(row))
    if change:
        change(sheet)
    book.save(folder / "a.xlsx")
    return load(folder / "a.xlsx")


TABLES = {
    "a title, and years": ("Harvest,,\n\ncrop,2023,2024\nrye,5,7\n", "Harvest\n\ncrop: rye | 2023: 5 | 2024: 7"),
    "values like years": ("crop,2023,2024\nrye,1950,2010\n", "crop: rye | 2023: 1950 | 2024: 2010"),
    "units below the names": ("river,long,flow\n,km,m³/s\nLunde,42,5\n", "river: Lunde | long, km: 42 | flow, m³/s: 5"),
    "a row without numbers": ("at,flow\nHolm,n/a\nLunde,5\n", "at: Holm | flow: n/a\n\nat: Lunde | flow: 5"),
    "a remark beside": ('crop,tons,"kept, 1991"\nrye,5,\n', "kept, 1991\n\ncrop: rye | tons: 5"),
    "one row": ("a remark,on one row\n", "a remark | on one row"),
    "several tables": ("crop,tons\nrye,5\n\nStaff\nname,age\nAnna,7\n\nSource: own\n",
                       "crop: rye | tons: 5\n\nStaff\n\nname: Anna | age: 7\n\nSource: own"),
    "a preamble": ("Report:,Harvest\nDate:,2024-05-01\n\ncrop,region,tons\nrye,North,5\n",
                   "Report: | Harvest\n\nDate: | 2024-05-01\n\ncrop: rye | region: North | tons: 5"),
    "repeated names": ("crop,tons\nrye,5\ncrop,tons\noats,6\n", "crop: rye | tons: 5\n\ncrop: oats | tons: 6"),
    "an unnamed column": ("crop,,tons\nrye,organic,5\n", "crop: rye | organic | tons: 5"),
    "an unnamed index": (",a,b\nr1,x,y\n", "r1 | a: x | b: y"),
    "sentences": ("First we sow rye.\nThen it rains.\n", "First we sow rye.\n\nThen it rains."),
    "running numbers as names": ("id,1,2,3\nx,5,6,7\n", "id: x | 1: 5 | 2: 6 | 3: 7"),
    "years every ten": ("Towns,,\n,1990,2000,2010\nOxholm,1200,1900,2004\n",
                        "Towns\n\nOxholm | 1990: 1200 | 2000: 1900 | 2010: 2004"),
    "groups above years": (",North,,South,\ncrop,2023,2024,2023,2024\nrye,1,2,3,4\n",
                           "crop: rye | North, 2023: 1 | North, 2024: 2 | South, 2023: 3 | South, 2024: 4"),
    "a title without a gap": ("Sales\nregion,Q1,Q2\nNorth,10,20\n", "Sales\n\nregion: North | Q1: 10 | Q2: 20"),
    "a table beside": ("crop,tons,,,\nrye,5,,name,age\noats,6,,Anna,7\n",
                       "crop: rye | tons: 5\n\ncrop: oats | tons: 6 | name: Anna | age: 7"),
    "names with colons": ("Name:,Age:\nAnna,5\n", "Name: Anna | Age: 5"),
    "only years": ("2023,2024\n5,7\n", "2023: 5 | 2024: 7"),
    "two rows of names": ("crop,2023,,2024,,remark\n,rye,oat,rye,oat,\nNorth,1,2,3,4,late\n",
                          "crop: North | 2023, rye: 1 | 2023, oat: 2 | 2024, rye: 3 | 2024, oat: 4 | remark: late"),
    "a row without a value": ("item,value\nmass,3\ncolour,red\ndepth,\nowner,town\nyear,1961\n",
                              "item: mass | value: 3\n\nitem: colour | value: red\n\nitem: depth\n\n"
                              "item: owner | value: town\n\nitem: year | value: 1961"),
    "a pair without a value": ("Name,Otto Maier\nBorn,1961\nAt,Ulm\nPhone,\nMarried,yes\nTongue,German\n",
                               "Name: Otto Maier\n\nBorn: 1961\n\nAt: Ulm\n\nPhone\n\nMarried: yes\n\nTongue: German"),
    "no names": ("1991,two\n1992,more\n", "column 1: 1991 | column 2: two\n\ncolumn 1: 1992 | column 2: more"),
    "a mark of the order of bytes": ("\ufeffcrop;tons\nrye;5,5\n", "crop: rye | tons: 5,5"),
    "decimal commas": ("rye;5,5\noats;6,5\n", "column 1: rye | column 2: 5,5\n\ncolumn 1: oats | column 2: 6,5"),
    "a declared sign": ("sep=;\ncrop;tons\nrye;1.234,5\n", "crop: rye | tons: 1.234,5"),
    "spaces before quotes": ('"crop", "tons"\n"rye, old", "5"\n', "crop: rye, old | tons: 5"),
    "a sentence above": ("Made by hand, once\n\ncrop;tons\nrye;5\noats;6;late\n",
                         "Made by hand, once\n\ncrop: rye | tons: 5\n\ncrop: oats | tons: 6 | late"),
    "tabs": ("crop\ttons\r\nrye\t5\r\n", "crop: rye | tons: 5"),
}  # fmt: skip


@pytest.mark.parametrize("table,text", TABLES.values(), ids=TABLES.keys())
def test_the_names_of_columns_are_found(tmp_path: Path, table: str, text: str) -> None:
    assert load(write_file(tmp_path / "a.csv", table)).text == text


DAY = date(2024, 3, 12)


@pytest.mark.parametrize(
    "value,form,text",
    [
        *((0.075, "0.0\\ %", "7.5 %"), (44, '#,##0\\ "€"', "44 €"), (44.5, "#,##0.00\\ [$€-407]", "44.50 €")),
        *((1234567.5, "#,##0.00", "1,234,567.50"), (-5, "#,##0;[Red]#,##0", "-5"), (-5, "#,##0_);(#,##0)", "(5)")),
        *((5.5, "# ?/?", "5 1/2"), (2.375, "# ?/8", "2 3/8"), (12345, "0.00E+00", "1.23E+04")),
        *((0, '0;-0;"none"', "none"), (2.5e6, '0.0,,"M"', "2.5M"), (True, "General", "TRUE"), (7, "000", "007")),
        *((1 / 3, "General", "0.333333333"), (0.1 + 0.2, "General", "0.3"), (5551234, "000-0000", "555-1234")),
        *((150, '[>100]"high";"low"', "high"), ("x", '"<"@">"', "<x>"), (1.5, "[h]:mm", "36:00")),
        *((DAY, "dd.mm.yyyy", "12.03.2024"), (DAY, "mmm-yy", "Mar-24"), (DAY, "mm-dd-yy", "2024-03-12")),
        (DAY, "dddd, d. mmmm yyyy", "Tuesday, 12. March 2024"),
        *((timedelta(hours=26.5), "[h]:mm", "26:30"), (datetime(2024, 3, 12, 14, 5), "h:mm AM/PM", "2:05 PM")),
    ],
)
def test_values_as_the_sheet_shows_them(tmp_path: Path, value: object, form: str, text: str) -> None:
    def set_form(sheet: Worksheet) -> None:
        sheet["B2"].number_format = form

    assert load_sheet(tmp_path, [["name", "value"], ["rye", value]], set_form).text == f"name: rye | value: {text}"


def test_merged_cells_give_their_value_to_all_that_they_cover(tmp_path: Path) -> None:
    names: list[list[Any]] = [["Harvest"], ["region", 2023, None, 2024, None], [None, "rye", "oats", "rye", "oats"]]

    def merge(sheet: Worksheet) -> None:
        for area in ("A1:E1", "A2:A3", "B2:C2", "D2:E2", "A4:A5"):
            sheet.merge_cells(area)

    assert load_sheet(tmp_path, [*names, ["North", 1, 2, 3, 4], [None, 5, 6, 7, 8]], merge).text.split("\n\n") == [
        "Harvest",
        "region: North | 2023, rye: 1 | 2023, oats: 2 | 2024, rye: 3 | 2024, oats: 4",
        "region: North | 2023, rye: 5 | 2023, oats: 6 | 2024, rye: 7 | 2024, oats: 8",
    ]


def test_what_is_struck_or_hidden_in_a_sheet_is_said(tmp_path: Path) -> None:
    def change(sheet: Worksheet) -> None:
        sheet["B2"].font = Font(strike=True)
        sheet["B3"].number_format = ";;;"
        sheet.row_dimensions[3].hidden = True
        sheet.column_dimensions["C"].hidden = True
        assert sheet.parent is not None
        sheet.parent.create_sheet("Old").sheet_state = "hidden"

    source = load_sheet(tmp_path, [["crop", "tons", "note"], ["rye", 5, "a"], ["oats", 6, "b"]], change)
    assert source.text == "tons\n\ncrop: rye | note: a\n\ncrop: oats | note: b"
    assert notices(source) == [
        "left out: 1 passage that is deleted or struck out (sheet S, B2).",
        "left out: 1 value that is hidden by its format (sheet S, B3).",
        "hidden, and read all the same: 1 row of sheet S, 1 column of sheet S, sheet Old.",
    ]


def test_comments_charts_and_tables_of_a_sheet(tmp_path: Path) -> None:
    def change(sheet: Worksheet) -> None:
        sheet["B4"].comment = Comment("Too low?", "Anna")
        sheet.add_table(Table(displayName="T", ref="A3:B5"))
        chart = BarChart()
        chart.title = "Yield"
        chart.add_data(Reference(sheet, min_col=2, min_row=3, max_row=5), titles_from_data=True)
        sheet.add_chart(chart, "D1")

    rows = [["x", "y"], ["p", "q"], ["crop", "place"], ["rye", "North"], ["oats", "South"]]
    source = load_sheet(tmp_path, rows, change)
    assert source.text.split("\n\n") == [
        *("x | y", "p | q", "crop: rye | place: North", "Comment on B4 by Anna: Too low?"),
        *("crop: oats | place: South", "Yield"),
    ]
    assert labelled(source)[-1] == ("sheet S", "Yield")


def load_raw_sheet(folder: Path, rows: str) -> SourceText:
    """A workbook with this XML as the rows of its sheet."""
    load_sheet(folder, [["x"]])
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    sheet = f'<worksheet xmlns="{space}"><sheetData>{rows}</sheetData></worksheet>'
    members = unzip(folder / "a.xlsx") | {"xl/worksheets/sheet1.xml": sheet}
    return load(write_zip(folder / "a.xlsx", members))


def test_parts_of_a_cell_that_are_raised_or_struck(tmp_path: Path) -> None:
    raised = '<r><t>25 m</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>2</t></r>'
    parts = f"<is>{raised}<r><rPr><strike/></rPr><t>30</t></r></is>"
    source = load_raw_sheet(tmp_path, f'<row><c t="inlineStr">{parts}</c><c t="e"><v>#N/A</v></c></row>')
    assert source.text == "25 m^2 | #N/A" and len(source.problems) == 1


def test_a_strict_workbook(tmp_path: Path) -> None:
    load_sheet(tmp_path, [["crop", "sown"], ["rye", DAY]])
    usual, strict = b"http://schemas.openxmlformats.org/", b"http://purl.oclc.org/ooxml/"
    members = unzip(tmp_path / "a.xlsx")
    for name, data in members.items():
        assert isinstance(data, bytes)
        for part in (b"spreadsheetml", b"officeDocument"):
            data = data.replace(usual + part + b"/2006/", strict + part + b"/")
        members[name] = data
    assert strict in bytes(members["xl/workbook.xml"])  # type: ignore[arg-type]
    assert load(write_zip(tmp_path / "a.xlsx", members)).text == "crop: rye | sown: 2024-03-12"


def test_far_away_cells_take_no_time(tmp_path: Path) -> None:
    rows = "".join(f'<row r="{at * 1000}"><c r="XFD{at * 1000}"><v>{at}</v></c></row>' for at in range(1, 1000))
    began = time.perf_counter()
    assert "column" not in load_raw_sheet(tmp_path, rows).text
    assert time.perf_counter() - began < 2


def test_a_sheet_of_too_many_rows_is_cut_and_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "MOST_ROWS", 50)
    source = load_raw_sheet(tmp_path, "<row><c><v>1</v></c></row>" * 100)
    assert len(source.places) == 50
    said = "too large to be read whole: what follows row 50 of sheet S is left out. Save it as CSV."
    assert notices(source) == [said]


@pytest.mark.parametrize(
    "table,text",
    [
        ("Name,Anna Ohm\nBorn,1961\nTown,Lunde\nFee,44 €", "Name: Anna Ohm\nBorn: 1961\nTown: Lunde\nFee: 44 €"),
        ("Name;Anna Ohm\nStreet;Mill Road\nTown;Lunde", "Name: Anna Ohm\nStreet: Mill Road\nTown: Lunde"),
        ("Invoice no.,2024-17\nDate,2024-03-12\nTotal,119.00", "Invoice no.: 2024-17\nDate: 2024-03-12\nTotal: 119.00"),
        ("Active,TRUE\nVersion,3\nOwner,Anna", "Active: TRUE\nVersion: 3\nOwner: Anna"),
        ("姓名,王伟\n年龄,34\n城市,北京", "姓名: 王伟\n年龄: 34\n城市: 北京"),
        ("Country,Capital\nPeru,Lima\nItaly,Rome", "Country: Peru | Capital: Lima\nCountry: Italy | Capital: Rome"),
        ("item,price\nlamp,5.00\noil,free", "item: lamp | price: 5.00\nitem: oil | price: free"),
        ("a,b\nx,R$ 5\ny,12.00 kr\nz,1'234.50", "a: x | b: R$ 5\na: y | b: 12.00 kr\na: z | b: 1'234.50"),
        ("depth,speed\nm,m/s\n5,1.2\n6,1.4", "depth, m: 5 | speed, m/s: 1.2\ndepth, m: 6 | speed, m/s: 1.4"),
        ("# Export\n# by the Board, a, b\ncrop,tons\nrye,7", "Export\nby the Board, a, b\ncrop: rye | tons: 7"),
        ("# Rye\n# date,level\n2024-03-12,1.2", "Rye\ndate: 2024-03-12 | level: 1.2"),
        ('"sep=;"\ncrop;tons\nrye;7,5', "crop: rye | tons: 7,5"),
        ("crop,tons\nrye,7\n\nkeeper,born,town\nAnna,61,Lunde",
         "crop: rye | tons: 7\nkeeper: Anna | born: 61 | town: Lunde"),
        ("Crops\ncrop,tons\nrye,7\nKeepers\nkeeper,born\nAnna,61",
         "Crops\ncrop: rye | tons: 7\nKeepers\nkeeper: Anna | born: 61"),
        ("Client,Anna Ohm\nDate,2024-03-12\n\nitem,count,price\nlamp,2,5",
         "Client: Anna Ohm\nDate: 2024-03-12\nitem: lamp | count: 2 | price: 5"),
    ],
)  # fmt: skip
def test_pairs_and_tables_above_each_other(tmp_path: Path, table: str, text: str) -> None:
    assert load(write_file(tmp_path / "a.csv", table)).text.replace("\n\n", "\n") == text


def test_sheets_of_opendocument(tmp_path: Path) -> None:
    def cell(text: str, *attributes: str, inside: str = "") -> str:
        shown = f"<t:p>{text}</t:p>" if text else ""
        return f"<tb:table-cell {' '.join(f'o:{each}' for each in attributes)}>{inside}{shown}</tb:table-cell>"

    def row(*cells: str, attributes: str = "") -> str:
        return f"<tb:table-row {attributes}>{''.join(cells)}</tb:table-row>"

    remark = "<o:annotation><d:creator>Anna</d:creator><t:p>twice</t:p></o:annotation>"
    day = cell("12/03/24", "value-type='date'", "date-value='2024-03-12'")
    share = cell("", "value-type='percentage'", "value='0.075'")
    twice = cell("7", "number-columns-repeated='2'")
    rows = (
        row(cell("crop"), cell("tons"), cell("day"), cell("share"))
        + row(cell("rye", "number-rows-spanned='2'"), cell("5", inside=remark), day, share)
        + row("<tb:covered-table-cell/>", twice, attributes="tb:visibility='collapse'")
        + row(cell("oats"), cell("", "formula='of:=[.B2]'"), attributes="tb:number-rows-repeated='2'")
        + row(cell("", "number-columns-repeated='16384'"), attributes="tb:number-rows-repeated='1048000'")
    )
    hidden = '<o:style o:name="H" o:family="table"><o:properties o:display="false"/></o:style>'
    said = (("Name", "Anna Ohm"), ("Born", "1961"), ("At", "Lunde"))
    pairs = "".join(row(cell(""), cell(key), cell(value)) for key, value in said)
    tables = f"<tb:table tb:name='S'>{rows}</tb:table><tb:table tb:name='P' o:style-name='H'>{pairs}</tb:table>"
    content = f"<o:d {ODF}>{hidden}<o:body>{tables}</o:body></o:d>"
    source = load(write_zip(tmp_path / "a.ods", {"content.xml": content}))
    assert source.text.split("\n\n") == [
        *("crop: rye | tons: 5 | day: 2024-03-12 | share: 7.5%", "Comment on B2 by Anna: twice"),
        *("crop: rye | tons: 7 | day: 7", "crop: oats", "crop: oats", "Name: Anna Ohm", "Born: 1961", "At: Lunde"),
    ]
    labels = [label for label, _ in labelled(source)][-4:]
    assert labels == ["sheet S, row 5", *(f"sheet P, row {at}" for at in (1, 2, 3))]
    assert notices(source) == [
        "1 formula without a value: open and save it in a spreadsheet program.",
        "hidden, and read all the same: 1 row of sheet S, sheet P.",
    ]

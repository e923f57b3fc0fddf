"""Headings and tables are found in a page's text in the forms in which conversion keeps them."""

from pathlib import Path

import pytest

from readgraph.doors.report.structure import MOST_COLUMNS, heading_lines, structure_of
from readgraph.sources import load

pytestmark = pytest.mark.quick

Rows = list[list[str | None]]


def titles(text: str, *places: tuple[int, str]) -> list[tuple[int, str]]:
    """The level and the words of each heading of a text with these places."""
    blocks = structure_of(text, 0, heading_lines(places))
    return [(block["level"], text[slice(*block["words"])]) for block in blocks if block["kind"] == "heading"]


def tables(text: str) -> list[tuple[bool, Rows]]:
    """The tables of a text, each cell with its column's name as "name=value"; None for an empty one."""

    def shown(cell: tuple[int, int, int] | None) -> str | None:
        return cell and "=".join(filter(None, [text[cell[0] : cell[1]].rstrip(": "), text[cell[1] : cell[2]]]))

    found = [block for block in structure_of(text, 0, {}) if block["kind"] == "table"]
    return [(table["head"], [[shown(cell) for cell in row] for row in table["rows"]]) for table in found]


def test_headings_are_where_the_source_has_them() -> None:
    text = "# A *b* #\n\nText.\n\nSub\n---\nMore.\n\n# no heading of the source"
    assert titles(text, (0, "§ A *b*"), (18, "§ A *b* > Sub")) == [(1, "A *b*"), (2, "Sub")]
    assert titles("3.2 Discharge\nIt rose.", (0, "§ Discharge, PDF page 58 (50)")) == [(1, "3.2 Discharge")]
    assert titles("Home\n\nIt rose.", (0, "chapter 'Home'")) == [(1, "Home")]
    for text in ("Discharge fell, and all that was said of it.", "It rose, they say, after the highest Discharge"):
        assert titles(text, (0, "§ Discharge, PDF page 58")) == []
    assert structure_of("x", 7, {7: "x"})[0]["end"] == 1


@pytest.mark.parametrize(
    ("text", "head", "rows"),
    [
        ("| a | b |\n|---|:-:|\n| 1 | x\\|y |\n| 2 |", True, [["a", "b"], ["1", "x\\|y"], ["2"]]),
        ("a | b\nc | \n | d\nno row", False, [["a", "b"], ["c", ""], ["", "d"]]),
        (
            "Station | Max\nStation: Lund; Max: 5; or 6\nMax: 7\n\nIt fell.",
            True,
            [["Station", "Max"], ["Station=Lund", "Max=5; or 6"], [None, "Max=7"]],
        ),
        ("Station: A; Max: 5\nStation: B; Max: 6", False, [["Station=A", "Max=5"], ["Station=B", "Max=6"]]),
        (
            "s: L | y: 1\n\ns: M\n\ny: 3 | z: 5\n\nEnd.",
            False,
            [["s=L", "y=1", None], ["s=M", None, None], [None, "y=3", "z=5"]],
        ),
        ("a: 1; b: 2\na: 3; b: 4\nb: 5; a: 6", False, [["a=1", "b=2"], ["a=3", "b=4"]]),
    ],
)
def test_rows_become_tables(text: str, head: bool, rows: Rows) -> None:
    assert tables(f"Before.\n\n{text}") == [(head, rows)]


@pytest.mark.parametrize(
    "text", ["a | b", "He said | nothing.\n\nShe: | more.", "Note: so; she said.\nNote: no", "|\n|"]
)
def test_other_lines_are_no_tables(text: str) -> None:
    assert tables(text) == []


def test_a_text_that_is_hardly_a_table_costs_little() -> None:
    assert tables("|" * 4000 + "\n-|-\n" + "|a\n" * 499 + "\n") != []
    rows = "\n".join(f"id: 1; k{number}_0: v; k{number}_1: v" for number in range(200))
    named = [table for table in structure_of(rows, 0, {}) if table["kind"] == "table"]
    assert max((len(row) for table in named for row in table["rows"]), default=0) <= MOST_COLUMNS
    assert tables(f"a | b\n{' ' * 100_000}a|b") == []
    assert len(titles(f"# a{' ' * 50_000}b", (0, "§ a"))) == 1


def test_a_web_page_keeps_its_shape(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<h1>A</h1><p>x<h2>B</h2><table><tr><td>1<td>2<tr><td>3<td>4</table><p>y")
    source = load(tmp_path / "a.html")
    blocks = structure_of(source.text, 0, heading_lines([(place.start, place.label) for place in source.places]))
    assert [block["level"] if block["kind"] == "heading" else len(block["rows"]) for block in blocks] == [1, 2, 2]
    assert blocks[0]["start"] == 0 and blocks[1]["end"] == blocks[2]["start"] and blocks[2]["end"] < len(source.text)

"""Sources: long printed PDFs, with all that a press puts around a text."""

import re
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter
from pypdf.generic import NullObject

from readgraph.language.passages import passages_of
from readgraph.nodes.extractive.quoting import quoted_answer
from readgraph.sources import load
from readgraph.sources.converting import SourceText, show_conversion
from readgraph.sources.pdf.layout import gutter_of, split_columns
from readgraph.sources.pdf.lines import PrintedPage, join_pages
from readgraph.sources.pdf.margins import part_margins, roman_value
from readgraph.sources.pdf.printed import PrintedLine
from readgraph.sources.places import place_at
from tests.support.source_files import drawing, write_pdf_lines
from tests.support.typeset_report import FIRST_NAMES, HEAD, Typeset, typeset

Printed = tuple[Typeset, SourceText]


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Printed:
    """A report of 121 pages in two columns, and what it is converted to."""
    made = typeset(tmp_path_factory.mktemp("report") / "report.pdf", 121)
    return made, load(made.path)


def place(printed: Printed, text: str) -> str:
    return place_at(printed[1].places, printed[1].text.index(text)) or ""


def page_name(printed: Printed, page: int) -> str:
    label = printed[0].labels[page - 1]
    return f"PDF page {page}" + (f" ({label})" if label != str(page) else "")


def check_sentences(printed: Printed) -> None:
    """Every sentence is whole, and has the place of the page on which it begins."""
    made, source = printed
    assert len(made.crossing) > 50
    assert [text for text, _ in made.crossing if text not in source.text] == []
    at, wrong = 0, list[str]()
    for text, page in made.sentences:
        found = source.text.find(text, at)
        if not (place_at(source.places, found) or "").endswith(page_name(printed, page)):
            wrong.append(text)
        at = max(at, found)
    assert wrong == []


def check_nothing_else(printed: Printed) -> None:
    """No running head, foot or page number is left, and each footnote stands apart."""
    made, source = printed
    assert source.text.count(HEAD) == 1  # one copy stays, apart from the text
    assert not re.findall(r"(?m)^(?:\d+|[ivxlc]+)$", source.text)
    paragraphs = set(source.text.split("\n\n"))
    for number, (note, page) in enumerate(made.notes, 1):
        assert f"{number} {note}" in paragraphs
        assert place(printed, note).endswith(page_name(printed, page))


@pytest.mark.slow
def test_sentences_of_a_report(report: Printed) -> None:
    check_sentences(report)
    assert report[1].title == "Vell Basin Survey" and not report[1].problems


def test_heads_feet_numbers_and_footnotes_of_a_report(report: Printed) -> None:
    check_nothing_else(report)
    assert not re.search(r"shows ?\[?\d|shows\. ?\[?\d", report[1].text)  # nor a footnote's mark


def row_line(row: Sequence[str]) -> str:
    return "; ".join(f"{name}: {cell}" for name, cell in zip(FIRST_NAMES, row, strict=True))


def test_rows_of_tables_have_the_names_of_their_columns(report: Printed) -> None:
    made, source = report
    lines = set(source.text.split("\n"))
    for row, page in made.rows:
        assert row_line(row) in lines
        if row[0] == "Lundeford":
            assert page_name(report, page) in places_of(source, row_line(row))


def test_a_row_of_a_table_is_quoted_by_itself(report: Printed) -> None:
    made, source = report
    rows = {row[:2]: row_line(row) for row, _ in reversed(made.rows[:20])}
    for station, year in (("Lundeford", "1988"), ("Hexley", "1986")):
        at = source.text.index(rows[station, year])
        state: Any = {"question_text": f"What was the maximum discharge at {station} in {year}?", "choices": {}}
        said = quoted_answer(passages_of({0: source.text[max(at - 3000, 0) : at + 3000]}), state)
        assert [quote["quote"] for quote in said.quotes] == [rows[station, year]]


def places_of(source: SourceText, line: str) -> str:
    """All places where a line stands: rows may be alike."""
    found = (match.start() for match in re.finditer(re.escape(line), source.text))
    return "; ".join(place_at(source.places, at) or "" for at in found)


def test_an_outline_gives_places(report: Printed) -> None:
    made, _ = report
    above = ""
    for number, (title, page) in enumerate(made.headings[:100]):
        is_chapter = number == 0 or title.split()[0].endswith(".1")
        above = title if is_chapter else above
        path = title if is_chapter else f"{above} > {title}"
        assert place(report, f"{title}\n\n") == f"§ {path}, {page_name(report, page)}"


@pytest.mark.slow
def test_a_printed_book(tmp_path: Path) -> None:
    made = typeset(tmp_path / "book.pdf", 719, columns=1)
    printed = made, load(made.path)
    check_sentences(printed)
    check_nothing_else(printed)


@pytest.mark.parametrize(
    "title,kept",
    [
        *[("The Vell Basin", "The Vell Basin"), ("Microsoft Word - report final.doc", "a"), ("report_v3.docx", "a")],
        *[("untitled", "a"), ("(anonymous)", "a"), ("  ", "a")],
    ],
)
@pytest.mark.slow
def test_titles(tmp_path: Path, title: str, kept: str) -> None:
    with drawing(tmp_path / "a.pdf") as canvas:
        canvas.setTitle(title)
        canvas.drawString(50, 700, "Some words.")
    assert load(tmp_path / "a.pdf").title == kept


def test_a_large_heading_beside_a_line_of_the_left_column() -> None:
    def column(name: str, x: float, right: float) -> list[PrintedLine]:
        return [PrintedLine(f"{name} {at} fills its line", x, 500.0 - 12 * at, 10.0, right) for at in range(8)]

    left, right = column("left", 40.0, 198.0), column("right", 208.0, 366.0)
    right[3] = PrintedLine("1.2 Climate", 208.0, right[3].y, 14.4, 300.0)
    page = [*left, *right]
    assert split_columns(page, gutter_of(page)) == [left, right]
    assert split_columns([], 208.0) == [], "a blank page among such pages"


def test_a_page_that_cannot_be_read_is_left_out_and_named(tmp_path: Path) -> None:
    path = write_pdf_lines(tmp_path / "a.pdf", [["One."], ["Two."], ["Three."]])
    writer = PdfWriter(clone_from=PdfReader(path))
    writer.root_object["/Pages"]["/Kids"][1] = NullObject()  # type: ignore[index]
    writer.write(path)
    source = load(path)
    assert source.text == "One.\n\nThree."
    assert [place.label for place in source.places] == ["PDF page 1", "PDF page 3"]
    assert source.problems == (f"page 2 of {path} can't be read (1 of 3).",)


def test_a_conversion_shows_its_pages(tmp_path: Path) -> None:
    path = write_pdf_lines(tmp_path / "a.pdf", [["One."], ["Two."]])
    shown = list[tuple[str, int, int]]()
    with show_conversion(lambda *page: shown.append(page)):
        load(path)
    load(path)
    assert shown == [(str(path), 1, 2), (str(path), 2, 2)]


WORDS = st.text("abcdefghijklmnop", min_size=1, max_size=9)


@given(st.lists(st.lists(WORDS, min_size=8, max_size=20), min_size=4, max_size=12), st.integers(1, 900))
@example([["a"] * 8, ["a", "i", *["a"] * 6], ["a"] * 8, ["a"] * 8], 1)
def test_heads_and_numbers_go_and_nothing_else(bodies: list[list[str]], first: int) -> None:
    pages = []
    for number, words in enumerate(bodies):
        body = [PrintedLine(f"{word} {number} {at}.", 50, 700 - 12 * at, 10, 120) for at, word in enumerate(words)]
        head = PrintedLine("The Running Head", 50, 760, 9, 140)
        foot = PrintedLine(str(first + number), 300, 40, 9, 310)
        pages.append(([head, *body, foot], body))
    left, _ = part_margins([page for page, _ in pages])
    assert [[piece.text for piece in page] for page in left] == [[piece.text for piece in body] for _, body in pages]


@given(st.lists(WORDS, min_size=2, max_size=120), st.integers(12, 60), st.integers(1, 30))
def test_what_is_set_in_lines_is_joined_again(words: list[str], width: int, lines_of_page: int) -> None:
    text = " ".join(words) + "."
    set_ = [
        PrintedLine(line, 50.0, 700.0 - 12 * (at % lines_of_page), 10.0, 50.0 + 5 * len(line), 50.0 + 5 * width,
             first=5.0 * len(line.split()[0]))
        for at, line in enumerate(wrap(text, width, break_on_hyphens=False))
    ]  # fmt: skip
    pages = [PrintedPage(set_[at : at + lines_of_page]) for at in range(0, len(set_), lines_of_page)]
    assert " ".join(join_pages(pages).split()) == text
    assert all(text[line.start :].startswith(line.text) for line in set_) or "\n" in join_pages(pages)


@given(st.integers(1, 3999))
def test_roman_numbers(number: int) -> None:
    signs = zip((1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
                "M CM D CD C XC L XL X IX V IV I".split(), strict=True)  # fmt: skip
    written, rest = "", number
    for value, sign in signs:
        written += sign * (rest // value)
        rest %= value
    assert roman_value(written) == roman_value(written.lower()) == number
    assert roman_value("iiii") == roman_value("vx") == roman_value("") == roman_value("ı") == 0

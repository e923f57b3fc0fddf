"""Sources: PDF."""

import time
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

from readgraph.sources import load
from readgraph.sources.pdf.lines import PrintedPage, join_pages
from readgraph.sources.pdf.printed import PrintedLine
from readgraph.sources.places import pages_among, place_at
from readgraph.state.errors import BadInput
from tests.support.source_files import (
    INDENTED,
    SPACED,
    drawing,
    encrypt_pdf,
    label_pdf,
    write_file,
    write_pdf,
    write_pdf_lines,
)
from tests.support.sources import assert_file_refused

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("pdfium_here")]


@pytest.fixture(scope="module")
def paragraphs(story: str) -> list[str]:
    """The story's paragraphs, in letters that every PDF font has."""
    return [" ".join(part.split()) for part in story.split("\n\n")][2:60]


@pytest.mark.parametrize("style,share", [(SPACED, 0.9), (INDENTED, 0.6)])
def test_paragraphs_and_pages(tmp_path: Path, paragraphs: list[str], style: ParagraphStyle, share: float) -> None:
    pages = [["# The Auction", *paragraphs[:20]], ["# The Gander", *paragraphs[20:40]], paragraphs[40:]]
    path = write_pdf(tmp_path / "story.pdf", pages, style)
    source, printed = load(path), PdfReader(path).pages
    assert (source.title, source.source) == ("story", str(path))
    assert " ".join(source.text.split()) == " ".join(text.lstrip("# ") for page in pages for text in page)
    found = source.text.split("\n\n")
    assert "The Auction" in found and "The Gander" in found
    assert sum(text in found for text in paragraphs) >= len(paragraphs) * share
    numbers = [page.number for page in pages_among(place.label for place in source.places)]
    assert numbers == [*range(1, len(printed) + 1)]
    for number, page in enumerate(printed, 1):
        line = " ".join(page.extract_text().splitlines()[2].split())
        assert (place_at(source.places, source.text.index(line)) or "").endswith(f", PDF page {number}")


def test_pages_have_their_printed_labels(tmp_path: Path) -> None:
    path = label_pdf(write_pdf_lines(tmp_path / "a.pdf", [[f"This is {word}."] for word in "one two three".split()]), 2)
    source = load(path)
    assert [place.label for place in source.places] == ["PDF page 1 (i)", "PDF page 2 (ii)", "PDF page 3 (1)"]
    assert place_at(source.places, source.text.index("three")) == "PDF page 3 (1)"


def join(*pages: list[PrintedLine]) -> str:
    return join_pages([PrintedPage(page) for page in pages])


def lines_of(*pages: str) -> list[list[PrintedLine]]:
    """Pages of lines 12 points apart; an empty line is more room, each leading space indents by a font size."""

    def printed(line: str, number: int) -> PrintedLine:
        return PrintedLine(line, 40.0 + 10 * (len(line) - len(line.lstrip())), 700.0 - 12 * number, 10.0)

    return [[printed(line, number) for number, line in enumerate(page.split("\n")) if line] for page in pages]


FULL = "This line is as long as lines in this book will ever get"


LIST = f"{FULL}:\n• one\n• two, which goes on here and on until the line is full\n  of it\n• three"
CONTENTS = f"{FULL}\n\n1 First . . . . . . . . . . . . . . . . . . . . . . . . . . 1\n2 Second . . . . . . . . . 7"
CHINESE = "人人生而自由在尊严和权利上一\n律平等。\n他们赋有理性和良心并应以兄弟"


@pytest.mark.parametrize(
    "page,text",
    [
        (f"{FULL}\n{FULL}\nand ends.", f"{FULL} {FULL} and ends."),
        (f"{FULL}.\n\n{FULL}\nHere.", f"{FULL}.\n\n{FULL} Here."),
        (f" {FULL}\n{FULL}\nends.\n {FULL}\ntoo.", f"{FULL} {FULL} ends.\n\n{FULL} too."),
        (f" {FULL}\n{FULL} ends.\n {FULL}\ntoo.", f"{FULL} {FULL} ends.\n\n{FULL} too."),
        (f"{FULL}\nends here.\n{FULL}\ntoo.", f"{FULL} ends here.\n\n{FULL} too."),
        (LIST, LIST.replace("full\n  of", "full of")),
        (CONTENTS, CONTENTS),
        (CHINESE, "人人生而自由在尊严和权利上一律平等。\n\n他们赋有理性和良心并应以兄弟"),
        (f"{FULL}\n\nRoses are red\nViolets are blue", f"{FULL}\n\nRoses are red\nViolets are blue"),
    ],
)
def test_lines_become_paragraphs(page: str, text: str) -> None:
    assert join(*lines_of(page)) == text


@pytest.mark.parametrize(
    "left,right,more,joined",
    [
        ("they had to con-", "sider the matter", "", "to consider the"),
        ("it was well-", "known to them all", "a well-known man", "was well-known to"),
        ("it was well-", "known to them all", "It is known. He is well. As is known", "was well-known to"),
        ("it was over-", "come by all of them", "over and over they come and come, overcome", "was overcome by"),
        ("the Anglo-", "Saxon kings of old", "", "the Anglo-Saxon kings"),
        ("from COVID-", "19 they had died", "", "from COVID-19 they"),
        ("they had to con\u00ad", "sider the matter", "", "to consider the"),
        ("他们赋有理性和良心", "并应以兄弟关系的精神相对待", "", "良心并应"),
        ("the sea \u2014", "and the land", "", "sea \u2014 and"),
        ("the sea\u2014", "and the land", "", "sea\u2014and"),
        ("they said -", "and so it was then", "", "said - and so"),
        ("the \ufb01ne of\ufb01", "ce was shut for good", "", "the fine offi ce"),
    ],
)
def test_words_parted_at_line_ends(left: str, right: str, more: str, joined: str) -> None:
    (lines,) = lines_of(f"{more}\n\n{FULL}\n{left.rjust(len(FULL), 'x')}\n{right}")
    for line in lines:
        line.x = 40.0
    assert joined in join(lines)


def test_a_sentence_goes_on_over_the_page() -> None:
    first, second, empty, last = lines_of(f"{FULL}\n{FULL}", f"and goes on here.\n\n{FULL}", "", "Figure 3 and ends.")
    text = join(first, second, empty, last)
    assert text == f"{FULL} {FULL} and goes on here.\n\n{FULL} Figure 3 and ends."
    assert [page[0].start for page in (first, second, last)] == [0, text.index("and goes"), text.index("Figure")]
    first, second = lines_of(f"{FULL}\nand they con-", f"sider it.\n\n{FULL}")
    text = join(first, second)
    assert "consider" not in text and second[0].start == text.index("sider")  # a short line: it might be a heading
    first, second = lines_of(f"{FULL}\n{FULL[:-4]}con-", f"sider it.\n\n{FULL}")
    text = join(first, second)
    assert "consider it" in text and second[0].start == text.index("sider it")


def test_a_sentence_goes_on_in_the_next_column() -> None:
    (left,), (right,) = lines_of(f"{FULL}\n{FULL}"), lines_of(f"and goes on here.\n{FULL}")
    for line in right:
        line.x = 340.0
    assert join([*left, *right]) == f"{FULL} {FULL} and goes on here.\n\n{FULL}"


def test_rows_of_tables_and_turned_text(tmp_path: Path) -> None:
    rows = [["Day", "Fee", "Note"], ["Monday", "1 pound", "none at all"], ["Tuesday", "2 pounds", "ditto"]]
    before, after = (Paragraph(f"{word} the table.", SPACED) for word in ("Before", "After"))
    SimpleDocTemplate(str(tmp_path / "a.pdf")).build([before, Table(rows), after])
    text = "Day | Fee | Note\nDay: Monday; Fee: 1 pound; Note: none at all\nDay: Tuesday; Fee: 2 pounds; Note: ditto"
    assert load(tmp_path / "a.pdf").text == f"Before the table.\n\n{text}\n\nAfter the table."
    with drawing(tmp_path / "b.pdf", size=12) as canvas:
        canvas.rotate(90)
        for number, line in enumerate([FULL, FULL, "and ends.", FULL]):
            canvas.drawString(100, -100 - 14 * number, line)
    assert load(tmp_path / "b.pdf").text == f"{FULL} {FULL} and ends.\n\n{FULL}"


def test_a_page_without_text_has_no_place(tmp_path: Path) -> None:
    source = load(write_pdf_lines(tmp_path / "a.pdf", [["One."], [], ["Three."]]))
    assert source.text == "One.\n\nThree."
    assert [(place.start, place.label) for place in source.places] == [(0, "PDF page 1"), (6, "PDF page 3")]


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-128", "AES-256"])
def test_passwords(tmp_path: Path, algorithm: str) -> None:
    path = write_pdf_lines(tmp_path / "a.pdf", [["Some words."]])
    assert load(encrypt_pdf(path, "", algorithm)).text == "Some words."
    path = encrypt_pdf(write_pdf_lines(path, [["Some words."]]), "secret", algorithm)
    assert_file_refused(path, "is locked by a password: ")


def test_a_lock_of_another_make(tmp_path: Path) -> None:
    path = encrypt_pdf(write_pdf_lines(tmp_path / "a.pdf", [["Some words."]]), "", "RC4-128")
    path.write_bytes(path.read_bytes().replace(b"/Filter /Standard", b"/Filter /Stxndxrd"))
    assert_file_refused(path, "is encrypted in a way that can't be opened: ")


def test_broken_files(tmp_path: Path, paragraphs: list[str]) -> None:
    path = tmp_path / "a.pdf"
    whole = write_pdf(path, [paragraphs[:20]]).read_bytes()
    for data in (b"%PDF-1.7", b"no PDF", whole[:300], whole[len(whole) // 2 :], b"%PDF-1.4\n%%EOF", b"\n" * 99):
        refused = r" (is no PDF, or a broken one|is broken: page \d+ can't be read)\.$"
        assert_file_refused(write_file(path, data), refused)


def test_damage_anywhere_is_a_text_or_one_clear_line(tmp_path: Path, paragraphs: list[str]) -> None:
    whole = write_pdf(path := tmp_path / "a.pdf", [paragraphs[:4]]).read_bytes()
    for at in range(0, len(whole), len(whole) // 60):
        for damaged in (whole[:at], whole[:at] + b"\xff<<" + whole[at + 3 :], whole[:at] + whole[at + 40 :]):
            try:
                assert load(write_file(path, damaged)).text
            except BadInput as refused:
                assert len(str(refused).splitlines()) == 1 and "a.pdf" in str(refused)


def test_empty_pages_have_no_text(tmp_path: Path) -> None:
    assert_file_refused(write_pdf_lines(tmp_path / "empty.pdf", [[]]), r"holds no text: there is nothing to read\.$")


@pytest.mark.slow
def test_three_hundred_pages_load_soon(tmp_path: Path, paragraphs: list[str]) -> None:
    (page,) = PdfReader(write_pdf(tmp_path / "a.pdf", [[" ".join(paragraphs)[:1800]]])).pages
    writer = PdfWriter()
    for _ in range(300):
        writer.add_page(page)
    writer.write(tmp_path / "long.pdf")
    began = time.process_time()
    source = load(tmp_path / "long.pdf")
    assert time.process_time() - began < 20
    assert len(source.places) == 300 and source.places[-1].label == "PDF page 300"

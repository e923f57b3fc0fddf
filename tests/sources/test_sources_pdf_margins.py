"""Sources: what repeats at the edges of a PDF's pages leaves the text, but is not lost."""

from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from readgraph.sources import load
from readgraph.sources.places import place_at

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("pdfium_here")]
BODY = "The {word} page tells of the river and of its weir, line {line} of all that was seen there."
PAGES = "first second third fourth".split()


def write_pages(path: Path, pages: list[tuple[str, list[str], str]]) -> Path:
    """Pages with a head, lines, and a foot."""
    canvas = Canvas(str(path))
    for head, lines, foot in pages:
        canvas.setFont("Times-Roman", 10)
        canvas.drawString(50, 790, head)
        for number, line in enumerate(lines):
            canvas.drawString(50, 720 - 12 * number, line)
        canvas.drawString(50, 40, foot)
        canvas.showPage()
    canvas.save()
    return path


def body(word: str, lines: int = 30) -> list[str]:
    return [BODY.format(word=word, line=line) for line in range(lines)]


def test_one_copy_of_a_head_stays_apart_from_the_text(tmp_path: Path) -> None:
    source = load(
        write_pages(
            tmp_path / "a.pdf",
            [
                ("Acme Mills Ltd, Lundeford", body(word), f"Signed by Bo Lind, page {at}")
                for at, word in enumerate(PAGES, 1)
            ],
        )
    )
    paragraphs = source.text.split("\n\n")
    for text in ("Acme Mills Ltd, Lundeford", "Signed by Bo Lind, page 1"):
        assert [part for part in paragraphs if part.startswith(text[:12])] == [text]
        assert place_at(source.places, source.text.index(text)) == "PDF page 1"


def test_a_head_that_the_text_says_too_is_not_repeated(tmp_path: Path) -> None:
    pages = [
        ("Of the river", ["Of the river", *body(word)] if at == 0 else body(word), "") for at, word in enumerate(PAGES)
    ]
    assert load(write_pages(tmp_path / "a.pdf", pages)).text.count("Of the river") == 1


def test_heads_that_change_are_kept_where_each_begins(tmp_path: Path) -> None:
    heads = ["Acme Mills", "Acme Mills", "Acme Mills", "Brook Farm", "Brook Farm", "Brook Farm"]
    source = load(write_pages(tmp_path / "a.pdf", [(head, body(f"{at}th"), "") for at, head in enumerate(heads)]))
    assert (source.text.count("Acme Mills"), source.text.count("Brook Farm")) == (1, 1)
    assert place_at(source.places, source.text.index("Brook Farm")) == "PDF page 4"


def test_pages_of_one_line_keep_it(tmp_path: Path) -> None:
    source = load(write_pages(tmp_path / "a.pdf", [("Here begins the file of the weir", [], "")] * 4))
    assert source.text.split("\n\n") == ["Here begins the file of the weir"] * 4
    assert [place.label for place in source.places] == [f"PDF page {number}" for number in range(1, 5)]


def test_a_page_with_little_else_keeps_its_rows(tmp_path: Path) -> None:
    pages = [
        ("Certificate of the Lundeford Mill", [f"No. {at} to {word}"], "Acme Mills Ltd")
        for at, word in enumerate(PAGES)
    ]
    text = load(write_pages(tmp_path / "a.pdf", pages)).text
    assert text.count("Certificate of the Lundeford Mill") == text.count("Acme Mills Ltd") == 4


def test_pages_of_nothing_but_numbers(tmp_path: Path) -> None:
    source = load(write_pages(tmp_path / "a.pdf", [(str(number), [], "") for number in range(1, 5)]))
    assert source.text.split() == ["1", "2", "3", "4"]


def test_numbers_of_pages_go(tmp_path: Path) -> None:
    pages = [("", body(word), f"Page {at} of 4") for at, word in enumerate(PAGES, 1)]
    assert "of 4" not in load(write_pages(tmp_path / "a.pdf", pages)).text

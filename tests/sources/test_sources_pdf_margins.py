"""Sources: what repeats at the edges of a PDF's pages leaves the text, but is not lost."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from readgraph.sources import load
from readgraph.sources.converting import SourceText
from tests.support.source_files import drawing, where

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("pdfium_here")]
BODY = "The {word} page tells of the river and of its weir, line {line} of all that was seen there."
PAGES = "first second third fourth".split()


def load_pages(path: Path, pages: Iterable[tuple[str, list[str], str]]) -> SourceText:
    """The text of pages with a head, lines, and a foot."""
    with drawing(path / "a.pdf") as canvas:
        for head, lines, foot in pages:
            canvas.setFont("Times-Roman", 10)
            canvas.drawString(50, 790, head)
            for number, line in enumerate(lines):
                canvas.drawString(50, 720 - 12 * number, line)
            canvas.drawString(50, 40, foot)
            canvas.showPage()
    return load(path / "a.pdf")


def body(word: str, lines: int = 30) -> list[str]:
    return [BODY.format(word=word, line=line) for line in range(lines)]


def test_one_copy_of_a_head_stays_apart_from_the_text(tmp_path: Path) -> None:
    head, foot = "Acme Mills Ltd, Lundeford", "Signed by Bo Lind, page "
    source = load_pages(tmp_path, [(head, body(word), f"{foot}{at}") for at, word in enumerate(PAGES, 1)])
    for text in (head, f"{foot}1"):
        assert [part for part in source.text.split("\n\n") if part.startswith(text[:12])] == [text]
        assert where(source, text) == "PDF page 1"


def test_a_head_that_the_text_says_too_is_not_repeated(tmp_path: Path) -> None:
    pages = [("Of the river", [*["Of the river"][at:], *body(word)], "") for at, word in enumerate(PAGES)]
    assert load_pages(tmp_path, pages).text.count("Of the river") == 1


def test_heads_that_change_are_kept_where_each_begins(tmp_path: Path) -> None:
    heads = ["Acme Mills"] * 3 + ["Brook Farm"] * 3
    source = load_pages(tmp_path, [(head, body(f"{at}th"), "") for at, head in enumerate(heads)])
    assert (where(source, "Acme Mills"), where(source, "Brook Farm")) == ("PDF page 1", "PDF page 4")


def test_pages_of_one_line_keep_it(tmp_path: Path) -> None:
    source = load_pages(tmp_path, [("Here begins the file of the weir", [], "")] * 4)
    assert source.text.split("\n\n") == ["Here begins the file of the weir"] * 4
    assert [place.label for place in source.places] == [f"PDF page {number}" for number in range(1, 5)]


def test_a_page_with_little_else_keeps_its_rows(tmp_path: Path) -> None:
    head, foot = "Certificate of the Lundeford Mill", "Acme Mills Ltd"
    text = load_pages(tmp_path, [(head, [f"No. {at} to {word}"], foot) for at, word in enumerate(PAGES)]).text
    assert text.count(head) == text.count(foot) == 4


def test_numbers_of_pages_go_where_the_page_has_more(tmp_path: Path) -> None:
    numbers = load_pages(tmp_path, [(str(number), [], "") for number in range(1, 5)])
    assert numbers.text.split() == ["1", "2", "3", "4"]
    more = load_pages(tmp_path, [("", body(word), f"Page {at} of 4") for at, word in enumerate(PAGES, 1)])
    assert "of 4" not in more.text

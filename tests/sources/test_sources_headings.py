"""Headings of PDFs that have no bookmarks."""

import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate
from reportlab.platypus.flowables import Flowable

from readgraph.nodes.building.outline import headings_in
from readgraph.sources import load
from readgraph.sources.pdf.headings import MOST_HEADINGS, find_headings, fold_heading
from readgraph.sources.pdf.printed import PrintedLine
from readgraph.sources.places import place_at
from tests.support.source_files import SPACED

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("pdfium_here")]

TEXT = "The keeper of the lower lock wrote the height of the water into the ledger each morning, as the council wished."
STYLES = {
    "chapter": ParagraphStyle("chapter", SPACED, fontName="Helvetica-Bold", fontSize=18, leading=21, spaceAfter=14),
    "section": ParagraphStyle("section", SPACED, fontName="Helvetica-Bold", fontSize=13, leading=16, spaceBefore=10),
    "bold": ParagraphStyle("bold", SPACED, fontName="Times-Bold", spaceBefore=10),
    "apart": ParagraphStyle("apart", SPACED, fontName="Times-Bold", spaceBefore=16, spaceAfter=9),
    "text": SPACED,
    "code": ParagraphStyle("code", SPACED, fontName="Courier-Bold", fontSize=8),
}


def print_pdf(path: Path, flow: Sequence[tuple[str, str]]) -> Path:
    """A PDF of paragraphs, each with the name of its style; "page" ends a page."""
    printed: list[Flowable] = [
        PageBreak() if style == "page" else Paragraph(text, STYLES[style]) for style, text in flow
    ]
    SimpleDocTemplate(str(path), pagesize=A5).build(printed)
    return path


def headings_of(path: Path) -> list[list[str]]:
    """The headings of a PDF, each with those above it."""
    source = load(path)
    return [found for _, found in headings_in(source.text, ((place.start, place.label) for place in source.places))]


@pytest.mark.parametrize(
    "chapters",
    [
        {"Chapter 1. The River": ("1.1 Discharge", "1.2 Ice"), "Chapter 2. The Harbour": ("2.1 Piers", "2.2 Cranes")},
        {"The River": ("Discharge", "Ice"), "The Harbour": ("Piers", "Cranes")},
        {"Kapitel 1: Der Fluss": ("Abfluss", "Eis"), "Kapitel 2: Der Hafen": ("Molen", "Kräne")},
    ],
)
def test_levels_are_told_by_numbers_or_by_size(tmp_path: Path, chapters: dict[str, tuple[str, ...]]) -> None:
    flow, expected = list[tuple[str, str]](), list[list[str]]()
    for chapter, sections in chapters.items():
        flow += [("chapter", chapter), ("text", TEXT)]
        for section in sections:
            flow += [("section", section), *[("text", TEXT)] * 2, ("code", "open(gate)"), ("text", TEXT)]
        flow.append(("page", ""))
        expected += [[chapter], *([chapter, section] for section in sections)]
    path = print_pdf(tmp_path / "a.pdf", flow)
    assert headings_of(path) == expected
    source, last = load(path), expected[-1]
    at = source.text.index(TEXT, source.text.index(f"{last[-1]}\n\n"))
    assert place_at(source.places, at) == f"§ {' > '.join(last)}, PDF page 2"


def test_a_table_of_contents_confirms(tmp_path: Path) -> None:
    """What it names is a heading even in the print of other bold lines, and these are none."""
    names = "Barges,Tolls,Sluices,Floods,Ferries,Mills".split(",")
    flow = [("chapter", "Rivers"), ("text", TEXT), ("chapter", "Contents")]
    flow += [("section", f"{name} . . . . . . . . . . . . {number}") for number, name in enumerate(names, 2)]
    for name in names:
        flow += [("page", ""), ("section", name), *[("text", TEXT)] * 3, ("bold", "Note"), *[("text", TEXT)] * 3]
    assert headings_of(print_pdf(tmp_path / "a.pdf", flow)) == [[name] for name in names]


def test_chapters_are_known_by_their_word_in_print_of_the_text_s_size(tmp_path: Path) -> None:
    chapters = {"Kapitel 1 Der Fluss": ("1.1 Abfluss", "1.2 Eis"), "Kapitel 2 Der Hafen": ("2.1 Molen", "2.2 Kräne")}
    flow, expected = list[tuple[str, str]](), list[list[str]]()
    for chapter, sections in chapters.items():
        flow += [("apart", chapter), *[("text", TEXT)] * 4]
        for section in sections:
            flow += [("apart", section), *[("text", TEXT)] * 4, ("apart", "Tabelle 1"), *[("text", TEXT)] * 4]
        expected += [[chapter], *([chapter, section] for section in sections)]
    assert headings_of(print_pdf(tmp_path / "a.pdf", flow)) == expected


def test_a_heading_of_two_lines_and_captions(tmp_path: Path) -> None:
    long = "3.1 On the many and various ways in which the discharge was measured below the old bridge"
    flow = [("chapter", "3 Discharge"), ("text", TEXT), ("section", long), *[("text", TEXT)] * 6]
    flow += [("bold", "Figure 3.1: The bridge"), *[("text", TEXT)] * 6, ("section", "3.2 Results"), ("text", TEXT)]
    found = headings_of(print_pdf(tmp_path / "a.pdf", flow))
    assert [path[-1].removesuffix("…") for path in found] == ["3 Discharge", long[:79].rstrip(), "3.2 Results"]


@pytest.mark.parametrize("style", ["text", "chapter"])
def test_print_of_one_kind_has_no_headings(tmp_path: Path, style: str) -> None:
    flow = [(style, text) for text in ("The River", TEXT, "1. Open the gate", "2. Close it", TEXT, "The Harbour", TEXT)]
    assert headings_of(print_pdf(tmp_path / "a.pdf", flow)) == []


def test_headings_are_bounded() -> None:
    """A file that is made to have too many, or endless ones, is read soon."""
    began = time.process_time()
    texts = [f"Part {at} " * 50 if at % 7 else "The End" for at in range(9_000)]
    lines = [PrintedLine(text, 50.0, 800.0 - at, 30.0, bold=True) for at, text in enumerate(texts)]
    lines += [PrintedLine(". " * 90_000 + "9", 50.0, -9000.0, 10.0), PrintedLine("9." * 90_000, 50.0, -9012.0, 10.0)]
    assert len([*find_headings([lines] * 3)]) <= MOST_HEADINGS
    assert time.process_time() - began < 5.0


@pytest.mark.parametrize(
    "heading", ["3.2 Results", "RESULTS", "Chapter 4: Results", "A.1 Results", "IV. Résults", "第3章 Results"]
)
def test_headings_are_compared_without_numbers(heading: str) -> None:
    assert fold_heading(heading) == "results"

"""Sources: lines that PDFs draw through text and between it: struck out words, and the bars of fractions."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.annotations import Highlight
from pypdf.generic import ArrayObject, FloatObject, NameObject
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate

from readgraph.sources import load
from readgraph.sources.converting import SourceText
from tests.support.source_files import SPACED, drawing, notices, write_pdf_lines

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("pdfium_here")]
FONT = "Helvetica"


def width(text: str, size: float = 10.0) -> float:
    return pdfmetrics.stringWidth(text, FONT, size)


def write(canvas: Canvas, x: float, y: float, text: str, size: float = 10.0) -> float:
    """Draw a text; where it ends."""
    canvas.setFont(FONT, size)
    canvas.drawString(x, y, text)
    return x + width(text, size)


def load_drawn(path: Path, draw: Callable[[Canvas], object]) -> SourceText:
    with drawing(path) as canvas:
        canvas.setLineWidth(0.5)
        draw(canvas)
    return load(path)


def as_line(canvas: Canvas, x: float, y: float, length: float) -> None:
    canvas.line(x, y, x + length, y)


def strike_out(canvas: Canvas, how: str, x: float, y: float, length: float) -> None:
    if how == "a box":
        canvas.rect(x, y - 0.3, length, 0.6, stroke=0, fill=1)
    elif how == "parts":
        for part in range(3):
            as_line(canvas, x + part * length / 3, y, length / 3)
    elif how == "two lines":  # in one path
        path = canvas.beginPath()
        for height in (y - 0.8, y + 0.8):
            path.rect(x, height, length, 0.4)
        canvas.drawPath(path, stroke=0, fill=1)
    elif how == "a form":
        canvas.beginForm("drawing")
        as_line(canvas, 0, 0, length)
        canvas.endForm()
        canvas.translate(x, y)
        canvas.doForm("drawing")
    else:
        canvas.setDash([2, 1] if how == "dashes" else [])
        as_line(canvas, x, y, length)


@pytest.mark.parametrize("how", ["a line", "a box", "dashes", "parts", "two lines", "a form"])
@pytest.mark.parametrize("struck", ["100", "5", "a few or more of them"])
def test_of_struck_out_text_the_final_text_is_read(tmp_path: Path, how: str, struck: str) -> None:
    def draw(canvas: Canvas) -> None:
        x = write(canvas, 50, 700, "It costs ")
        end = write(canvas, x, 700, struck)
        write(canvas, end, 700, "200 EUR today.")
        strike_out(canvas, how, x, 703.3, end - x)

    source = load_drawn(tmp_path / "a.pdf", draw)
    assert source.text == "It costs 200 EUR today."
    assert notices(source) == ["left out: 1 passage that is struck out (PDF page 1)."]


def test_a_long_passage_is_one(tmp_path: Path) -> None:
    long = "A sentence so long that it goes on over the end of its line is struck out here, on both lines."
    text = f"The fee is <strike>100</strike>200 EUR. <strike>{long}</strike> The <u>rest</u> stays."
    SimpleDocTemplate(str(tmp_path / "a.pdf")).build([Paragraph(text, SPACED)])
    source = load(tmp_path / "a.pdf")
    assert " ".join(source.text.split()) == "The fee is 200 EUR. The rest stays."
    assert notices(source) == ["left out: 2 passages that are struck out (PDF page 1)."]


def test_turned_and_raised_text_is_struck_out(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        x = write(canvas, 50, 700, "It has ")
        end = write(canvas, write(canvas, x, 700, "25 m"), 703.5, "2", 6.5)
        as_line(canvas, x, 703.2, end - x)
        write(canvas, end, 700, " 30 ha.")
        canvas.translate(400, 300)
        canvas.rotate(90)
        end = write(canvas, 0, 0, "500")
        as_line(canvas, 0, 3.3, end)
        write(canvas, end, 0, " 600 stones.")

    assert load_drawn(tmp_path / "a.pdf", draw).text == "It has 30 ha. 600 stones."


WORD = width("word 12")


@pytest.mark.parametrize(
    "lines,colour",
    [
        pytest.param([(50, 698.5, WORD)], "black", id="underlined"),
        pytest.param([(50, 705.6, WORD)], "black", id="overlined"),
        pytest.param([(30, 703.3, 300)], "black", id="a grid"),
        pytest.param([(50, 703.3, WORD)], "white", id="white"),
        pytest.param([(50, 703.3, width("w"))], "black", id="a barred letter"),
        pytest.param([(52, 703.3, 3.2), (60, 703.3, 3.2), (76, 703.3, 3.2)], "black", id="ticks"),
        pytest.param([(50, 701.2, WORD)], "black", id="typed on a line"),
    ],
)
def test_other_lines_strike_nothing_out(tmp_path: Path, lines: list[tuple[float, float, float]], colour: str) -> None:
    def draw(canvas: Canvas) -> None:
        write(canvas, 50, 700, "word 12")
        canvas.setStrokeColor(colour)
        for line in lines:
            as_line(canvas, *line)

    source = load_drawn(tmp_path / "a.pdf", draw)
    assert (source.text, source.problems) == ("word 12", ())


def test_what_a_remark_strikes_out(tmp_path: Path) -> None:
    path = write_pdf_lines(tmp_path / "a.pdf", [["This contract ends in 2024.", "It is signed by both."]])
    writer = PdfWriter(clone_from=PdfReader(path))
    points = ArrayObject([FloatObject(at) for at in (152, 572, 177, 572, 152, 556, 177, 556)])
    remark = Highlight(rect=(152, 556, 177, 572), quad_points=points)
    remark[NameObject("/Subtype")] = NameObject("/StrikeOut")
    writer.add_annotation(0, remark)
    writer.write(path)
    source = load(path)
    assert source.text.startswith("This contract ends in")
    assert "2024" not in source.text.split("\n\n")[0] and source.text.endswith("\n\nStruck out: 2024")
    assert notices(source) == ["left out: 1 passage that is struck out (PDF page 1)."]


def draw_fraction(canvas: Canvas, x: float, above: str, below: str, size: float) -> float:
    """A fraction in a line at the height 700; where it ends."""
    end = x + max(width(above, size), width(below, size))
    write(canvas, (x + end - width(above, size)) / 2, 703.6, above, size)
    write(canvas, (x + end - width(below, size)) / 2, 701.8 - 0.78 * size, below, size)
    as_line(canvas, x, 702.6, end - x)
    return end


@pytest.mark.parametrize("size", [6.5, 10.0])
@pytest.mark.parametrize(
    "before,above,below,after,text",
    [
        ("It took 5", "3", "4", " hours.", "It took 5 3/4 hours."),
        ("It is ", "12", "100", " of all.", "It is 12/100 of all."),
        ("With y = ", "n+1", "2", "x given.", "With y = (n+1)/2 x given."),
    ],
)
def test_fractions_with_a_bar(
    tmp_path: Path, before: str, above: str, below: str, after: str, text: str, size: float
) -> None:
    def draw(canvas: Canvas) -> None:
        x = draw_fraction(canvas, write(canvas, 50, 700, before) + 0.5, above, below, size)
        write(canvas, x + 1, 700, after)

    assert load_drawn(tmp_path / "a.pdf", draw).text == text


def test_a_sum_under_a_rule_is_no_fraction(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        for row, (name, number) in enumerate((("stones", "12"), ("sand", "30"), ("in all", "42"))):
            write(canvas, 50, 700 - 12 * row, name)
            write(canvas, 150, 700 - 12 * row, number)
        as_line(canvas, 148, 685, 16)

    text = load_drawn(tmp_path / "a.pdf", draw).text
    assert "/" not in text and "30" in text and "42" in text

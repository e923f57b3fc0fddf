"""Sources: raised and lowered text of PDFs. A number is never made of two."""

import re
from pathlib import Path

import pytest
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfgen.canvas import Canvas

from readgraph.sources import load
from tests.support.source_files import drawing

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("pdfium_here")]


def write_marked(path: Path, lines: list[str], notes: tuple[str, ...] = (), *, apart: bool = False) -> Path:
    """Lines in which `^{}` is raised, `_{}` lowered; each run is drawn by itself, `apart` those off the line last."""
    on_line, off_line = list[tuple[float, float, float, str]](), list[tuple[float, float, float, str]]()
    for number, line in enumerate(lines):
        x, y = 50.0, 700.0 - 14 * number
        for plain, raised, lowered in re.findall(r"([^\^_{}]+)|\^\{([^}]*)\}|_\{([^}]*)\}", line):
            text, size = plain or raised or lowered, 10.0 if plain else 6.5
            place = (x, y + (3.5 if raised else -2.0 if lowered else 0.0), size, text)
            (off_line if apart and not plain else on_line).append(place)
            x += width(text, size)
    with drawing(path) as canvas:
        for place in [*on_line, *off_line, *((50, 80 - 9 * number, 7, note) for number, note in enumerate(notes))]:
            draw(canvas, *place)
    return path


def width(text: str, size: float = 10) -> float:
    return pdfmetrics.stringWidth(text, "Times-Roman", size)


def draw(canvas: Canvas, x: float, y: float, size: float, text: str) -> None:
    canvas.setFont("Times-Roman", size)
    canvas.drawString(x, y, text)


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize(
    "printed,text",
    [
        ("an area of 25 m^{2} is left", "an area of 25 m^2 is left"),
        ("at 1.299,^{99} € each", "at 1.299,99 € each"),
        ("about 10^{6} of them", "about 10^6 of them"),
        ("a mass of 10^{-3} kg", "a mass of 10^-3 kg"),
        ("of H_{2}O and CO_{2} here", "of H_2O and CO_2 here"),
        ("with x_{1} and (a+b)^{2} here", "with x_1 and (a+b)^2 here"),
        ("the term x^{n+1} is next", "the term x^{n+1} is next"),
        ("on the 1^{st} and 22^{nd} of May", "on the 1st and 22nd of May"),
        ("it took 5^{1}/_{2} hours", "it took 5 1/2 hours"),
        ("Linux^{®} and Pumpo^{TM} are names", "Linux® and PumpoTM are names"),
        ("at 25^{o}C in the sun", "at 25°C in the sun"),
        ("the norm |x|^{2} here", "the norm |x|^2 here"),
        ("the ion Ca^{2+} is small", "the ion Ca^2+ is small"),
        ("the 3^{o} of M^{lle} Anna, the XIX^{e} age", "the 3o of Mlle Anna, the XIXe age"),
        ("as was said.^{12} It was so", "as was said. [^12] It was so"),
    ],
)
def test_raised_and_lowered_text(tmp_path: Path, printed: str, text: str, apart: bool) -> None:
    found = load(write_marked(tmp_path / "a.pdf", [printed, "and this line is as long."], apart=apart)).text
    assert found.startswith(f"{text} and this line")


@pytest.mark.parametrize(
    "printed,text",
    [
        *[("with A^{T}A", "with A^{T}A"), ("and a^{b}c too", "and a^{b}c too")],
        *[("of x_{i}y_{i}, V_{max}t", "of x_{i}y_i, V_{max}t"), ("in T_{E}X and L^{A}T_{E}X", "in TEX and LATEX")],
    ],
)
def test_what_is_raised_within_a_word_keeps_its_sign(tmp_path: Path, printed: str, text: str) -> None:
    assert load(write_marked(tmp_path / "a.pdf", [printed, "and this line is as long."])).text.startswith(text)


def test_numbers_side_by_side_are_two(tmp_path: Path) -> None:
    with drawing(tmp_path / "a.pdf") as canvas:
        for number, (left, right) in enumerate((("100", "200"), ("300", "400"), ("5000", "60"), ("12", "1"))):
            draw(canvas, 50, 700 - 14 * number, 10, "stones")
            canvas.drawRightString(140, 700 - 14 * number, left)
            canvas.drawString(141, 700 - 14 * number, right)
    found = re.findall(r"\d+", load(tmp_path / "a.pdf").text)
    assert found == ["100", "200", "300", "400", "5000", "60", "12", "1"]


def test_digits_above_each_other_keep_signs(tmp_path: Path) -> None:
    x = 51 + width("It is ")
    with drawing(tmp_path / "a.pdf") as canvas:
        draw(canvas, 50, 700, 10, "It is ")
        draw(canvas, x, 704, 7, "3")
        draw(canvas, x, 696, 7, "4")
        draw(canvas, x + 6, 700, 10, "of it and of others.")
    assert re.fullmatch(r"It is \W?3\W?[_ ]\W?4 of it and of others\.", load(tmp_path / "a.pdf").text)


@pytest.mark.parametrize(
    "printed,text",
    [
        ("The yard has 25 m^{2} of stone^{2} here", "The yard has 25 m^2 of stone [^2] here"),
        ("The stone^{2} fills 25 m^{2} of it", "The stone [^2] fills 25 m^2 of it"),
        ("With 10^{2} men and x^{2} as given", "With 10^2 men and x^2 as given"),
        ("The stones^{2} and their side^{2} as given", "The stones [^2] and their side^2 as given"),
        ("It ended.^{2} Then it began", "It ended. [^2] Then it began"),
        ("It fell in 1998^{2} by 1024^{2} feet", "It fell in 1998 [^2] by 1024^2 feet"),
        ("It rose by 5 %^{2} and then", "It rose by 5 % [^2] and then"),
        ("^{1}In the beginning ^{2}and then", "1 In the beginning 2 and then"),
    ],
)
def test_a_mark_is_proven_by_its_place_and_its_note(tmp_path: Path, printed: str, text: str) -> None:
    notes = ("2 It was cut in the north.",)
    found = load(write_marked(tmp_path / "a.pdf", [printed, "and this line is as long."], notes)).text
    assert found == f"{text} and this line is as long.\n\n2 It was cut in the north."


def test_marks_of_several_notes(tmp_path: Path) -> None:
    lines = ["As both have said^{1,2} and", "as others said^{1,3} long ago"]
    text = load(write_marked(tmp_path / "a.pdf", lines, ("1 In a letter.", "2 In another."))).text
    assert text.startswith("As both have said [^1] [^2] and as others said^{1,3} long ago")


def test_the_mark_of_a_note_may_stand_far_before_it(tmp_path: Path) -> None:
    lines = ["and this line is as long.", "It is of the text, as is", "the last line, which is", "as long as others"]
    with drawing(tmp_path / "a.pdf") as canvas:
        draw(canvas, 50, 700, 10, "The stone")
        draw(canvas, 50 + width("The stone"), 703.5, 6.5, "1")
        for number, line in enumerate(lines):
            draw(canvas, 50, 686 - 14 * number, 10, line)
        for number, note in enumerate(("It was cut in the north.", "It was never seen again.", "It was lost.")):
            draw(canvas, 50, 90 - 12 * number, 8, str(number + 1))
            draw(canvas, 80, 90 - 12 * number, 8, note)
    text = load(tmp_path / "a.pdf").text
    assert " ".join(text.split()).startswith("The stone [^1] and this line is as long.")
    assert text.split("\n\n")[-3:] == ["1 It was cut in the north.", "2 It was never seen again.", "3 It was lost."]

"""Which pages of a PDF show what their text lacks."""

from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from readgraph.sources.pdf.figures import pages_with_figures
from readgraph.state.errors import BadInput
from tests.look.reports import draw_chart, letter

pytestmark = pytest.mark.quick

WIDTH, HEIGHT = A4


def bars(canvas: Canvas) -> None:
    draw_chart(canvas, (40, 90, 60))


def curve(canvas: Canvas) -> None:
    canvas.bezier(100, 100, 200, 300, 300, 50, 400, 300)


def pie(canvas: Canvas) -> None:
    canvas.wedge(100, 100, 300, 300, 0, 120, fill=1)


def drawing_apart(canvas: Canvas) -> None:
    canvas.beginForm("figure")
    curve(canvas)
    canvas.endForm()
    canvas.doForm("figure")


def picture(canvas: Canvas) -> None:
    canvas.drawImage(ImageReader(letter()), 100, 100, 200, 150)


def scan(canvas: Canvas) -> None:
    canvas.drawImage(ImageReader(letter()), 0, 0, WIDTH, HEIGHT)


def ruled_table(canvas: Canvas) -> None:
    canvas.grid([100, 200, 300], [100, 120, 140, 160])


def lines_of_a_table(canvas: Canvas) -> None:
    for at in range(3):
        canvas.line(100, 100 + 20 * at, 300, 100 + 20 * at)
        canvas.line(100 + 100 * at, 100, 100 + 100 * at, 140)


def framed_lines(canvas: Canvas) -> None:
    for row in range(6):
        canvas.line(100, 100 + 12 * row, 100, 112 + 12 * row)
        canvas.line(400, 100 + 12 * row, 400, 112 + 12 * row)
    for height in (100, 100, 172, 172):
        canvas.line(100, height, 400, height)


def nothing(canvas: Canvas) -> None:
    pass


def logo(canvas: Canvas) -> None:
    canvas.drawImage(ImageReader(letter()), 500, 800, 40, 30)


def frame_and_rules(canvas: Canvas) -> None:
    canvas.setFillGray(0.9)
    canvas.rect(20, 20, WIDTH - 40, HEIGHT - 40, fill=1)
    canvas.rect(100, 100, 300, 60)
    canvas.line(50, 780, 540, 780)
    canvas.line(50, 50, 540, 50)


def striped_rows(canvas: Canvas) -> None:
    for row in range(6):
        canvas.rect(100, 100 + 40 * row, 300, 20, fill=1)


SHOWN = [bars, curve, pie, drawing_apart, picture, scan, ruled_table, lines_of_a_table]
NOT_SHOWN = [nothing, logo, frame_and_rules, framed_lines, striped_rows]


@pytest.mark.parametrize(("draw", "shows"), [*((draw, True) for draw in SHOWN), *((draw, False) for draw in NOT_SHOWN)])
def test_pages(draw: Callable[[Canvas], None], shows: bool, tmp_path: Path) -> None:
    canvas = Canvas(str(path := tmp_path / "drawn.pdf"), pagesize=A4)
    for number in (1, 2):
        if number == 2:
            draw(canvas)
        canvas.setFillGray(0)
        for line in range(8):
            canvas.drawString(60, 760 - 14 * line, "The keeper of the lamp writes of what he saw, and of no more.")
        canvas.showPage()
    canvas.save()
    assert pages_with_figures(path, range(1, 9)) == ([2] if shows else [])


def test_a_page_with_hardly_any_text_shows_something_else(tmp_path: Path) -> None:
    canvas = Canvas(str(path := tmp_path / "drawn.pdf"), pagesize=A4)
    canvas.rect(100, 100, 20, 20)
    canvas.showPage()
    canvas.showPage()
    canvas.save()
    assert pages_with_figures(path, range(1, 9)) == [1]


def test_what_is_no_pdf_is_refused(tmp_path: Path) -> None:
    (path := tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 no more")
    with pytest.raises(BadInput, match=r"broken.pdf can't be opened any more"):
        pages_with_figures(path, range(1, 2))

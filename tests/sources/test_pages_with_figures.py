"""Which pages of a PDF show what their text lacks."""

from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfgen.canvas import Canvas

from readgraph.sources.pdf.figures import pages_with_figures_here
from readgraph.sources.pdf.in_child import pages_with_figures
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
    if not canvas.hasForm("figure"):
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


def rules_as_pictures(canvas: Canvas) -> None:
    line = ImageReader(letter())
    for at in range(3):
        canvas.drawImage(line, 100, 100 + 20 * at, 200, 1)
        canvas.drawImage(line, 100 + 100 * at, 100, 1, 40)


def scan_in_stripes(canvas: Canvas) -> None:
    for stripe in range(60):
        canvas.drawImage(ImageReader(letter()), 0, HEIGHT / 60 * stripe, WIDTH, HEIGHT / 60)


def boxes_of_a_diagram(canvas: Canvas) -> None:
    for at in range(3):
        canvas.rect(100 + 120 * at, 200, 80, 30 + 10 * at)
    canvas.line(180, 215, 220, 215)


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


def marked_words(canvas: Canvas) -> None:
    canvas.setFillGray(0.9)
    for line in range(8):
        for word in range(3):
            canvas.rect(60 + 90 * word + 7 * line, 757 - 14 * line, 50, 13, stroke=0, fill=1)


def beginnings_marked(canvas: Canvas) -> None:
    canvas.setFillGray(0.9)
    for line in range(8):
        canvas.roundRect(58, 757 - 14 * line, 40 + 20 * line, 13, 4, stroke=0, fill=1)


def framed_words(canvas: Canvas) -> None:
    for across in (100, 250):
        for down in (100, 200):
            for at in (0, 60):
                canvas.line(across, down + at, across + 120, down + at)
                canvas.line(across + 2 * at, down, across + 2 * at, down + 60)


def rounded_frames(canvas: Canvas) -> None:
    for at in range(3):
        canvas.roundRect(50, 100 + 90 * at, 480, 60 + 10 * at, 8)


def frames_with_heads(canvas: Canvas) -> None:
    for at in range(3):
        canvas.rect(50, 100 + 90 * at, 480, 60)
        canvas.rect(50.5, 140 + 90 * at, 479, 19.5)


def signs_before_entries(canvas: Canvas) -> None:
    for at in range(9):
        canvas.circle(40, 100 + 40 * at, 12)
        canvas.circle(560, 100 + 55 * at, 5)


def boxes_below_each_other(canvas: Canvas) -> None:
    for at in range(2):
        canvas.rect(100, 100 + 60 * at, 80, 15)
    canvas.line(140, 115, 140, 160)


def boxes_of_a_table(canvas: Canvas) -> None:
    for row in range(3):
        for column in range(3):
            canvas.rect(100 + 60 * column, 100 + 12 * row, 60, 12)


def bars_at_their_times(canvas: Canvas) -> None:
    for at in range(4):
        canvas.rect(100 + 30 * at, 100 + 14 * at, 40 + 10 * at, 10, fill=1)


def small_curve(canvas: Canvas) -> None:
    canvas.bezier(100, 100, 130, 180, 160, 20, 200, 160)


def dots(canvas: Canvas) -> None:
    for at in range(12):
        canvas.circle(100 + 37 * at % 150, 100 + 53 * at % 130, 2)


SHOWN = [
    boxes_below_each_other,
    boxes_of_a_table,
    bars_at_their_times,
    small_curve,
    dots,
    bars,
    curve,
    pie,
    drawing_apart,
    picture,
    scan,
    scan_in_stripes,
    ruled_table,
    lines_of_a_table,
    rules_as_pictures,
    boxes_of_a_diagram,
]
NOT_SHOWN = [
    nothing,
    logo,
    frame_and_rules,
    framed_lines,
    striped_rows,
    marked_words,
    beginnings_marked,
    framed_words,
    rounded_frames,
    frames_with_heads,
    signs_before_entries,
]


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


def test_a_heading_alone_is_no_figure(tmp_path: Path) -> None:
    canvas = Canvas(str(path := tmp_path / "drawn.pdf"), pagesize=A4)
    canvas.drawString(100, 400, "Part II")
    canvas.save()
    assert pages_with_figures_here(path, range(1, 9)) == []


def test_letters_that_cannot_be_read_are_shown(tmp_path: Path) -> None:
    registerFont(UnicodeCIDFont("STSong-Light"))
    canvas = Canvas(str(path := tmp_path / "drawn.pdf"), pagesize=A4)
    canvas.setFont("STSong-Light", 12)
    canvas.drawString(100, 760, "\ue001\ue002\ue003" * 10 + "the keeper of the lamp")
    canvas.save()
    assert pages_with_figures_here(path, [1]) == [1]


def write_letters(path: Path, head: Callable[[Canvas], None], pages: int) -> Path:
    """Pages with the same head or ground, of which the third has a picture, too."""
    canvas = Canvas(str(path), pagesize=A4)
    for number in range(1, pages + 1):
        head(canvas)
        if number == 3:
            picture(canvas)
        canvas.drawString(60, 60, "The keeper of the lamp writes of what he saw, and of no more.")
        canvas.showPage()
    canvas.save()
    return path


@pytest.mark.parametrize("head", [scan, curve, drawing_apart])
def test_what_is_on_most_pages_is_no_figure(head: Callable[[Canvas], None], tmp_path: Path) -> None:
    assert pages_with_figures_here(write_letters(tmp_path / "letters.pdf", head, 5), range(1, 9)) == [3]


def test_the_rules_of_a_table_on_each_page_are_shown(tmp_path: Path) -> None:
    assert pages_with_figures_here(write_letters(tmp_path / "letters.pdf", lines_of_a_table, 4), range(1, 9)) == [
        1,
        2,
        3,
        4,
    ]


def test_charts_of_one_form_on_each_page_are_shown(tmp_path: Path) -> None:
    canvas = Canvas(str(path := tmp_path / "drawn.pdf"), pagesize=A4)
    for page in range(4):
        canvas.beginForm(f"chart{page}")
        canvas.lines([(100, 100, 200, 150 + 10 * page), (200, 150 + 10 * page, 300, 300)])
        canvas.endForm()
        canvas.doForm(f"chart{page}")
        canvas.drawString(60, 60, "The keeper of the lamp writes of what he saw, and of no more.")
        canvas.showPage()
    canvas.save()
    assert pages_with_figures_here(path, range(1, 9)) == [1, 2, 3, 4]


def test_what_is_no_pdf_is_refused(tmp_path: Path) -> None:
    (path := tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 no more")
    with pytest.raises(BadInput, match=r"broken.pdf can't be opened any more"):
        pages_with_figures(path, range(1, 2))

"""A PDF of four pages: text, a chart of paths, a picture, text again."""

from io import BytesIO
from pathlib import Path

from PIL import Image, ImageDraw
from reportlab.lib.pagesizes import A5
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

ABOUT = ("river", "chart", "scan", "lamp")
"""What the text of each page speaks of."""

PAGES = range(1, len(ABOUT) + 1)


def write_report(path: Path, bars: tuple[int, ...] = (40, 90, 60), about: tuple[str, ...] = ABOUT) -> Path:
    """The PDF, with these bars in its chart, and a picture on the page that speaks of a scan; "" is a page of lines."""
    canvas = Canvas(str(path), pagesize=A5)
    for number, each in enumerate(about, 1):
        for line in range(10) if each else ():
            canvas.drawString(40, 560 - 14 * line, f"On page {number}, line {line}, the keeper writes of the {each}.")
        if each in ("chart", ""):
            draw_chart(canvas, bars)
        if each == "scan":
            canvas.drawImage(ImageReader(letter()), 40, 60, 300, 250)
        canvas.showPage()
    canvas.save()
    return path


def draw_chart(canvas: Canvas, bars: tuple[int, ...]) -> None:
    """Axes and bars, as paths."""
    canvas.line(60, 100, 60, 300)
    canvas.line(60, 100, 340, 100)
    for at, height in enumerate(bars):
        canvas.rect(80 + 60 * at, 100, 30, height, fill=1)


def letter() -> BytesIO:
    """A picture of a letter."""
    drawn = Image.new("L", (300, 250), "white")
    ImageDraw.Draw(drawn).text((20, 20), "Received with thanks", fill="black")
    drawn.save(written := BytesIO(), "PNG")
    written.seek(0)
    return written

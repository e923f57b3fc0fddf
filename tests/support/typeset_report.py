"""A long printed report, or book, as a PDF: heads and feet, columns, tables, footnotes, labels, an outline.

What it holds is known, sentence by sentence, so that what a converter makes of it can be counted.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from random import Random

from reportlab.lib.pagesizes import A4
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

HEAD = "Vell Basin Survey, Final Report"
STATIONS = "Lundeford Oxholm Tarnweir Marrowby Quillstead Farrow Hexley Brantlock".split()
SUBJECTS = "keeper,council,gauge,weir,upper river,harbour,winter flood,miller".split(",")
VERBS = "measured,recorded,carried,compared,reported,described".split(",")
THINGS = "the discharge,several measure-ments,two obser-vations,the written ledger,more sediment than before".split(",")
PLACES = "below the old bridge,at the lower lock,near the northern hamlet,beside the court house".split(",")
TITLES = "Discharge,Rainfall,Sediment,Ice and Thaw,Gauges,Land Use".split(",")
FONT, SIZE, STEP = "Times-Roman", 10.0, 16.0
NOTE_SIZE, MARK_SIZE = 7.5, 6.0
TOP, BOTTOM, LEFT = A4[1] - 72, 96.0, 56.0
FIRST_NAMES = ("Station", "Year", "Maximum discharge")


@dataclass
class Typeset:
    """What was printed: each sentence with the page (from 1) on which it begins, those that cross a page's end, notes,
    rows of tables with their page, headings with theirs, and the printed page numbers."""

    path: Path
    sentences: list[tuple[str, int]] = field(default_factory=list)
    crossing: list[tuple[str, int]] = field(default_factory=list)
    notes: list[tuple[str, int]] = field(default_factory=list)
    rows: list[tuple[tuple[str, ...], int]] = field(default_factory=list)
    headings: list[tuple[str, int]] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)


def typeset(path: Path, pages: int, *, columns: int = 2, front: int = 8, seed: int = 16) -> Typeset:
    """Print this many pages; the first ones (`front`) have roman numbers, the others arabic ones from 1 on."""
    return _Press(path, pages, columns, front, seed).run()


class _Press:
    def __init__(self, path: Path, pages: int, columns: int, front: int, seed: int) -> None:
        self.canvas = Canvas(str(path), pagesize=A4, pageCompression=1)
        self.canvas.setTitle("Vell Basin Survey")
        self.pages, self.columns, self.front = pages, columns, front
        self.random, self.stations = Random(seed), cycle(STATIONS)
        self.made = Typeset(path)
        self.page, self.column, self.y = 0, 0, 0.0
        self.width = (A4[0] - 2 * LEFT - 20 * (columns - 1)) / columns
        self.title, self.note_text, self.mark, self.count = "Summary", "", 0, 0

    def run(self) -> Typeset:
        """Set the text until the pages are full."""
        self._begin_page()
        number = 0
        while self.page <= self.pages:
            number += 1
            self._heading(f"{number // 6 + 1}.{number % 6 + 1} {TITLES[number % 6]}", number)
            for paragraph in range(5):
                self._paragraph()
                if paragraph == 2:
                    self._table()
        self.canvas.save()
        for sentences in (self.made.sentences, self.made.crossing):  # those of the last page may not be whole
            sentences[:] = [(text, page) for text, page in sentences if page < self.pages]
        return self.made

    @property
    def x(self) -> float:
        return LEFT + self.column * (self.width + 20)

    def _begin_page(self) -> None:
        self.page, self.column, self.y = self.page + 1, 0, TOP
        if self.page > self.pages:
            return
        label = "i ii iii iv v vi vii viii".split()[self.page - 1] if self.page <= self.front else self._arabic()
        self.made.labels.append(label)
        canvas = self.canvas
        canvas.setFont("Times-Italic", 9)
        if self.page % 2:
            canvas.drawString(LEFT, A4[1] - 40, HEAD)
            canvas.drawRightString(A4[0] - LEFT, A4[1] - 40, self.title)
        else:
            canvas.drawString(LEFT, A4[1] - 40, f"{HEAD} | {self.title}")
        canvas.drawCentredString(A4[0] / 2, 36, label)
        roman = self.page <= self.front
        canvas.addPageLabel(
            self.page - 1, "ROMAN_LOWER" if roman else "ARABIC", self.page if roman else self.page - self.front
        ) if self.page in (1, self.front + 1) else None
        if self.page % 3 == 0:
            self.mark += 1
            self.note_text = f"See the ledger of {next(self.stations)}, volume {self.mark}, which is kept in the hall."
            canvas.setFont(FONT, NOTE_SIZE)
            canvas.drawString(LEFT + 2 + 3 * len(str(self.mark)), BOTTOM - 26, self.note_text)
            canvas.setFont(FONT, MARK_SIZE)
            canvas.drawString(LEFT, BOTTOM - 23.5, str(self.mark))
            canvas.line(LEFT, BOTTOM - 14, LEFT + 100, BOTTOM - 14)
            self.made.notes.append((self.note_text, self.page))
        canvas.setFont(FONT, SIZE)

    def _arabic(self) -> str:
        return str(self.page - self.front)

    def _room(self, height: float) -> None:
        """Go on in the next column, or on the next page, where there is less room than this."""
        if self.y - height >= BOTTOM:
            return
        if self.column + 1 < self.columns:
            self.column, self.y = self.column + 1, TOP
        else:
            if self.page <= self.pages:
                self.canvas.showPage()
            self._begin_page()

    def _heading(self, title: str, number: int) -> None:
        self._room(5 * STEP)
        if self.page > self.pages:
            return
        self.y -= STEP
        self.title = title.partition(" ")[2]
        self.canvas.setFont("Helvetica-Bold", 12)
        self.canvas.drawString(self.x, self.y, title)
        self.canvas.setFont(FONT, SIZE)
        key = f"section{number}"
        self.canvas.bookmarkHorizontalAbsolute(key, self.y + 14)
        self.canvas.addOutlineEntry(title, key, 0 if title.split()[0].endswith(".1") or number == 1 else 1)
        self.made.headings.append((title, self.page))
        self.y -= 1.6 * STEP

    def _sentence(self) -> str:
        self.count += 1
        pick = self.random.choice
        return (
            f"In the year {1700 + self.count % 299} the {pick(SUBJECTS)} of {next(self.stations)} {pick(VERBS)} "
            f"{pick(THINGS)} {pick(PLACES)}, as sheet {self.count} of the survey shows."
        )

    def _paragraph(self) -> None:
        sentences = [self._sentence() for _ in range(self.random.randint(3, 6))]
        words = [(word, number) for number, text in enumerate(sentences) for word in text.split()]
        begun: dict[int, int] = {}
        ended: dict[int, int] = {}
        for line, is_last in self._lines(words):
            self._room(STEP)
            if self.page > self.pages:
                return
            self.y -= STEP
            self._draw([word for word, _ in line], stretched=not is_last)
            for _, number in line:
                begun.setdefault(number, self.page)
                ended[number] = self.page
        self.y -= 5
        for number, text in enumerate(sentences):
            printed = text.replace("-", "")
            self.made.sentences.append((printed, begun[number]))
            if ended[number] > begun[number]:
                self.made.crossing.append((printed, begun[number]))

    def _lines(self, words: list[tuple[str, int]]) -> Iterator[tuple[list[tuple[str, int]], bool]]:
        line: list[tuple[str, int]] = []
        taken, space = 0.0, stringWidth(" ", FONT, SIZE)
        for word, number in words:
            left, _, right = word.partition("-")
            whole = left + right
            wide = stringWidth(whole, FONT, SIZE)
            if taken + wide <= self.width or not line:
                line.append((whole, number))
                taken += wide + space
                continue
            hyphened = stringWidth(f"{left}-", FONT, SIZE)
            if right and taken + hyphened <= self.width:
                yield [*line, (f"{left}-", number)], False
                line, taken = [(right, number)], stringWidth(right, FONT, SIZE) + space
            else:
                yield line, False
                line, taken = [(whole, number)], wide + space
        yield line, True

    def _draw(self, words: list[str], *, stretched: bool) -> None:
        text = " ".join(words)
        room = self.width - stringWidth(text, FONT, SIZE)
        canvas = self.canvas
        line = canvas.beginText(self.x, self.y)
        line.setWordSpace(room / (len(words) - 1) if stretched and len(words) > 1 else 0.0)
        mark = self.page % 3 == 0 and self.note_text and text[-1] == "." and not stretched
        line.textOut(text)
        if mark:
            line.setFont(FONT, MARK_SIZE)
            line.setRise(3.5)
            line.textOut(str(self.mark))
            line.setRise(0)
            line.setFont(FONT, SIZE)
            self.note_text = ""
        canvas.drawText(line)

    def _table(self) -> None:
        rows = [(next(self.stations), str(1985 + at), f"{self.random.randint(40, 900)} m") for at in range(5)]
        self._room(8 * STEP)
        if self.page > self.pages:
            return
        for at, row in enumerate([FIRST_NAMES, *rows]):
            self.y -= STEP
            self.canvas.setFont("Times-Bold" if at == 0 else FONT, SIZE)
            for cell, offset in zip(row, (0, 80, 140), strict=True):
                self.canvas.drawString(self.x + offset, self.y, cell)
        self.made.rows += [(row, self.page) for row in rows]
        self.canvas.setFont(FONT, SIZE)
        self.y -= 8

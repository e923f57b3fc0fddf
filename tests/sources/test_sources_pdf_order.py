"""Sources: the order in which the text of PDFs is read."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from string import ascii_letters

import pytest
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from readgraph.sources import load
from tests.support.source_files import drawing, give_codes, notices

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("pdfium_here")]
WORDS = (
    "river stone the of and lantern old keeper walked slowly toward harbour with never seen before many years ago in "
    "winter when snow had fallen over low hills behind town where people gathered to hear news from abroad"
).split()
FONT, SIZE, STEP = "Times-Roman", 10.0, 12.0


def paragraph(random: Random, words: int = 28) -> str:
    return " ".join([random.choice(WORDS).capitalize(), *random.choices(WORDS, k=words - 1)]) + "."


def wrap(text: str, width: float) -> list[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if stringWidth(longer, FONT, SIZE) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def draw_lines(canvas: Canvas, x: float, y: float, lines: Sequence[str], step: float = STEP) -> float:
    """Draw lines below each other; where the next one would stand."""
    for line in lines:
        canvas.drawString(x, y, line)
        y -= step
    return y


def draw_column(
    canvas: Canvas, x: float, width: float, texts: Sequence[str], y: float = 740, first: float = 0, hang: float = 0
) -> None:
    canvas.setFont(FONT, SIZE)
    for text in texts:
        begin, *more = wrap(text, width - max(first, hang))
        y = draw_lines(canvas, x + hang, draw_lines(canvas, x + first, y, [begin]), more)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.pdf"


def flat(path: Path) -> str:
    return " ".join(load(path).text.split())


def check_order(path: Path, texts: Sequence[str]) -> None:
    found = flat(path)
    assert [text for text in texts if text not in found] == []
    assert all(found.index(first) < found.index(second) for first, second in pairwise(texts))


@pytest.mark.parametrize("left,right", [(0, 14), (14, 0), (14, 14), (30, 30)])
def test_two_columns_with_hanging_lines(path: Path, left: float, right: float) -> None:
    random, texts = Random(left + right), list[str]()
    with drawing(path) as canvas:
        for _ in range(3):
            for x, hang in ((50, left), (310, right)):
                own = [paragraph(random) for _ in range(7)]
                draw_column(canvas, x, 235, own, hang=hang)
                texts += own
            canvas.showPage()
    check_order(path, texts)


@pytest.mark.parametrize("width", [85, 110, 155])
@pytest.mark.parametrize("lower", [0.0, 3.3])
def test_three_columns(path: Path, width: float, lower: float) -> None:
    random = Random(7)
    columns = [[paragraph(random, 20) for _ in range(4)] for _ in range(3)]
    with drawing(path) as canvas:
        for at, own in enumerate(columns):
            draw_column(canvas, 45 + (width + 20) * at, width, own, 740 - lower * at, first=10)
    check_order(path, [text for own in columns for text in own])


@pytest.mark.parametrize("columns", [2, 3, 4])
def test_an_index_in_columns(path: Path, columns: int) -> None:
    random = Random(2)
    names = sorted({"".join(random.choice("bdglmnrst") + random.choice("aeiou") for _ in range(3)) for _ in range(90)})
    entries = [f"{name}, {random.randint(1, 300)}" for name in names[: 20 * columns]]
    with drawing(path) as canvas:
        for column in range(columns):
            draw_lines(canvas, 50 + 125 * column, 740, entries[20 * column : 20 * column + 20])
    check_order(path, entries)


def test_a_page_of_one_column_among_pages_of_two(path: Path) -> None:
    random, texts = Random(5), list[str]()
    with drawing(path) as canvas:
        for number in range(6):
            for x, width in ((50, 500),) if number == 3 else ((50, 235), (310, 235)):
                own = [paragraph(random) for _ in range(6)]
                draw_column(canvas, x, width, own)
                texts += own
            if number == 3:  # a small table, whose last column stands elsewhere than the second column of other pages
                draw_lines(canvas, 60, 400, ("Place", "Mill", "Weir"))
                draw_lines(canvas, 200, 400, ("Depth", "12 m", "9 m"))
                draw_lines(canvas, 330, 400, ("Width", "40 m", "31 m"))
            canvas.showPage()
    check_order(path, texts)
    assert "Place: Mill; Depth: 12 m; Width: 40 m" in flat(path)


@pytest.mark.parametrize("step", [1, 5, 10])
@pytest.mark.parametrize("at_right", [False, True])
def test_numbers_of_lines_in_the_margin(path: Path, step: int, at_right: bool) -> None:
    random, texts, number = Random(1), list[str](), 0
    with drawing(path) as canvas:
        for _ in range(3):
            texts.append(paragraph(random, 400))
            draw_column(canvas, 100, 380, texts[-1:])
            canvas.setFont(FONT, 8)
            for at in range(len(wrap(texts[-1], 380))):
                number += 1
                if number % step == 0:
                    canvas.drawRightString(530 if at_right else 75, 740 - STEP * at, str(number))
            canvas.showPage()
    check_order(path, texts)
    assert not any(sign.isdecimal() or sign == "|" for sign in flat(path))


def test_the_number_of_a_heading_among_numbers_of_lines(path: Path) -> None:
    random = Random(1)
    with drawing(path) as canvas:
        for heading in ("4", "9"):
            y = 760.0
            for at, line in enumerate(wrap(paragraph(random, 300), 380), 1):
                if at == 10:
                    canvas.setFont(FONT, 16)
                    canvas.drawRightString(75, y - 2 * STEP, heading)
                    canvas.drawString(100, y - 2 * STEP, "Weirs")
                    y -= 4 * STEP
                canvas.setFont(FONT, 8)
                canvas.drawRightString(75, y, str(at))
                canvas.setFont(FONT, SIZE)
                y = draw_lines(canvas, 100, y, [line])
            canvas.showPage()
    assert [word for word in flat(path).split() if word.isdecimal()] == ["4", "9"]


def test_numbers_of_rows_and_items_are_kept(path: Path) -> None:
    rows, years = [str(number) for number in range(1, 9)], [str(year) for year in range(2005, 2045, 5)]
    with drawing(path) as canvas:
        draw_lines(canvas, 60, 728, rows)
        draw_lines(canvas, 90, 728, [f"Station {letter}" for letter in "ABCDEFGH"])
        draw_lines(canvas, 240, 728, [f"{number * 37} m" for number in range(1, 9)])
        draw_lines(canvas, 60, 528, years)
        draw_lines(canvas, 120, 528, ["The keeper went to the mill and to the weir."] * 8)
    assert {*rows, *years} <= {*load(path).text.split()}


@pytest.mark.parametrize("at_left", [False, True])
def test_a_box_beside_the_text(path: Path, at_left: bool) -> None:
    text = paragraph(Random(3), 400)
    above = wrap(text, 480)[:8]
    beside = wrap(text.removeprefix(" ".join(above)), 300)[:8]
    below = wrap(text.removeprefix(" ".join([*above, *beside])), 480)
    box = "Facts about the weir: it was built of grey stone in the north and is still in use today by many boats."
    with drawing(path) as canvas:
        y = draw_lines(canvas, 230 if at_left else 50, draw_lines(canvas, 50, 740, above, 13), beside, 13)
        draw_lines(canvas, 50, y, below, 13)
        lines = wrap(box, 150)
        canvas.setFont(FONT, 9)
        draw_lines(canvas, 50 if at_left else 375, 740 - 13 * 9, lines, 11)
    assert load(path).text.split("\n\n") == [text, box]


HEBREW = "ביום 24 במרץ 2024 נסעה גברת כהן לירושלים עם Windows 10 ועם 3.5 ליטר מים (בערך 12%) לפגוש את אחיה"


def visual(text: str) -> list[str]:
    """The words of a line from right to left, as they are printed from the left."""
    words, run = list[str](), list[str]()
    for word in text.split():
        is_latin = word[0].isascii() and word[0].isalpha()
        if is_latin or (run and word.isdecimal()):
            run.append(word)
            continue
        words, run = [*words, *reversed(run), _mirror(word)], []
    return [*words, *reversed(run)][::-1]


def _mirror(word: str) -> str:
    if word.strip("().,%").replace(".", "").isdecimal():
        return word.translate(str.maketrans("()", ")(")) if word[0].isdecimal() and word[-1] != ")" else f"({word[:-1]}"
    return word[::-1].translate(str.maketrans("()", ")("))


@pytest.mark.parametrize("justified", [False, True])
def test_text_from_right_to_left(path: Path, justified: bool, hebrew_font: str) -> None:
    words, space = HEBREW.split(), stringWidth(" ", hebrew_font, SIZE)
    with drawing(path, hebrew_font) as canvas:
        for begin in range(0, len(words), 7):
            gap = 9.5 if justified and begin + 7 <= len(words) else space
            x = 540.0
            for word in reversed(visual(" ".join(words[begin : begin + 7]))):
                x -= stringWidth(word, hebrew_font, SIZE)
                canvas.drawString(x, 700 - 2 * begin, word)
                x -= gap
    assert flat(path) == HEBREW


def test_cells_from_right_to_left(path: Path, hebrew_font: str) -> None:
    rows = [("שם", "גיל", "עיר"), ("דוד", "34", "תל אביב"), ("שרה", "41", "חיפה"), ("יוסף", "29", "באר שבע")]
    with drawing(path, hebrew_font) as canvas:
        for number, row in enumerate(rows):
            for right, cell in zip((540, 400, 260), row, strict=True):
                canvas.drawRightString(right, 700 - 20 * number, cell if cell.isdecimal() else cell[::-1])
    assert "שם: דוד; גיל: 34; עיר: תל אביב" in load(path).text.splitlines()


def test_words_from_right_to_left_in_other_text(path: Path, hebrew_font: str) -> None:
    with drawing(path, hebrew_font) as canvas:
        canvas.drawString(50, 700, f"The word {'תל אביב'[::-1]} names a town, and 2024 was its year.")
    assert flat(path) == "The word תל אביב names a town, and 2024 was its year."


@pytest.fixture(scope="module")
def hebrew_font() -> str:
    """The name of a font with Hebrew letters, which matplotlib brings."""
    fonts = Path(pytest.importorskip("matplotlib").get_data_path()) / "fonts" / "ttf"
    pdfmetrics.registerFont(TTFont("DejaVu", str(fonts / "DejaVuSans.ttf")))
    return "DejaVu"


@pytest.mark.parametrize("font,caption", [("Times-Roman", ""), ("Courier", "猫である名前は")])
def test_text_from_above(path: Path, font: str, caption: str) -> None:
    """Columns of Japanese from the right to the left, whose signs are drawn one by one, and a caption across."""
    text = "吾輩は猫である。名前はまだ無い。どこで生れたか見当がつかぬ"
    codes = dict(zip(ascii_letters, dict.fromkeys(text), strict=False))
    signs = {character: sign for sign, character in codes.items()}
    with drawing(path, font, 12) as canvas:
        for at, character in enumerate(text):
            canvas.drawString(300 - 20 * (at // 10), 700 - 12 * (at % 10), signs[character])
        canvas.drawString(250, 650, "".join(signs[character] for character in caption))
    give_codes(path, codes)
    assert load(path).text == "\n\n".join(filter(None, (text, caption)))


@pytest.mark.parametrize("angle", [20, 30, 45, 57])
def test_text_aslant_is_set_apart_and_named(path: Path, angle: float) -> None:
    lines = wrap(paragraph(Random(1), 80), 400)
    with drawing(path, "Helvetica", 12) as canvas:
        draw_lines(canvas, 50, 700, lines)
        canvas.setFont("Helvetica", 40)
        canvas.translate(100, 640)
        canvas.rotate(angle)
        canvas.drawString(0, 0, "DRAFT 9")
    source = load(path)
    assert " ".join(source.text.split()) == f"{' '.join(lines)} DRAFT 9" and source.text.endswith("\n\nDRAFT 9")
    assert notices(source) == ["1 line that is drawn aslant and set apart (PDF page 1)."]

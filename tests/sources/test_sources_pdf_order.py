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
from tests.support.source_files import give_codes

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


def draw_column(
    canvas: Canvas, x: float, y: float, width: float, texts: Sequence[str], first: float = 0.0, hang: float = 0.0
) -> None:
    canvas.setFont(FONT, SIZE)
    for text in texts:
        for number, line in enumerate(wrap(text, width - max(first, hang))):
            canvas.drawString(x + (hang if number else first), y, line)
            y -= STEP


def flat(path: Path) -> str:
    return " ".join(load(path).text.split())


def check_order(path: Path, texts: Sequence[str]) -> None:
    found = flat(path)
    assert [text for text in texts if text not in found] == []
    assert all(found.index(first) < found.index(second) for first, second in pairwise(texts))


@pytest.mark.parametrize("left,right", [(0, 14), (14, 0), (14, 14), (30, 30)])
def test_two_columns_with_hanging_lines(tmp_path: Path, left: float, right: float) -> None:
    random, canvas, texts = Random(left + right), Canvas(str(tmp_path / "a.pdf")), list[str]()
    for _ in range(3):
        for x, hang in ((50, left), (310, right)):
            own = [paragraph(random) for _ in range(7)]
            draw_column(canvas, x, 740, 235, own, hang=hang)
            texts += own
        canvas.showPage()
    canvas.save()
    check_order(tmp_path / "a.pdf", texts)


@pytest.mark.parametrize("width", [85, 110, 155])
@pytest.mark.parametrize("lower", [0.0, 3.3])
def test_three_columns(tmp_path: Path, width: float, lower: float) -> None:
    random, canvas, texts = Random(7), Canvas(str(tmp_path / "a.pdf")), list[str]()
    for column in range(3):
        own = [paragraph(random, 20) for _ in range(4)]
        draw_column(canvas, 45 + (width + 20) * column, 740 - lower * column, width, own, first=10)
        texts += own
    canvas.save()
    check_order(tmp_path / "a.pdf", texts)


@pytest.mark.parametrize("columns", [2, 3, 4])
def test_an_index_in_columns(tmp_path: Path, columns: int) -> None:
    random, canvas = Random(2), Canvas(str(tmp_path / "a.pdf"))
    names = sorted({"".join(random.choice("bdglmnrst") + random.choice("aeiou") for _ in range(3)) for _ in range(90)})
    entries = [f"{name}, {random.randint(1, 300)}" for name in names[: 20 * columns]]
    canvas.setFont(FONT, SIZE)
    for number, entry in enumerate(entries):
        canvas.drawString(50 + 125 * (number // 20), 740 - STEP * (number % 20), entry)
    canvas.save()
    check_order(tmp_path / "a.pdf", entries)


def test_a_page_of_one_column_among_pages_of_two(tmp_path: Path) -> None:
    random, canvas, texts = Random(5), Canvas(str(tmp_path / "a.pdf")), list[str]()
    for number in range(6):
        for x, width in ((50, 500),) if number == 3 else ((50, 235), (310, 235)):
            own = [paragraph(random) for _ in range(6)]
            draw_column(canvas, x, 740, width, own)
            texts += own
        if number == 3:  # a small table, whose last column stands elsewhere than the second column of other pages
            canvas.setFont(FONT, SIZE)
            for row, cells in enumerate(
                (("Place", "Depth", "Width"), ("Mill", "12 m", "40 m"), ("Weir", "9 m", "31 m"))
            ):
                for x, cell in zip((60, 200, 330), cells, strict=True):
                    canvas.drawString(x, 400 - STEP * row, cell)
        canvas.showPage()
    canvas.save()
    check_order(tmp_path / "a.pdf", texts)
    assert "Place: Mill; Depth: 12 m; Width: 40 m" in flat(tmp_path / "a.pdf")


@pytest.mark.parametrize("step", [1, 5, 10])
@pytest.mark.parametrize("at_right", [False, True])
def test_numbers_of_lines_in_the_margin(tmp_path: Path, step: int, at_right: bool) -> None:
    random, canvas, texts, number = Random(1), Canvas(str(tmp_path / "a.pdf")), list[str](), 0
    for _ in range(3):
        texts.append(paragraph(random, 400))
        for at, line in enumerate(wrap(texts[-1], 380)):
            number += 1
            canvas.setFont(FONT, SIZE)
            canvas.drawString(100, 740 - STEP * at, line)
            if number % step == 0:
                canvas.setFont(FONT, 8)
                canvas.drawRightString(530 if at_right else 75, 740 - STEP * at, str(number))
        canvas.showPage()
    canvas.save()
    check_order(tmp_path / "a.pdf", texts)
    assert not any(sign.isdecimal() or sign == "|" for sign in flat(tmp_path / "a.pdf"))


def test_the_number_of_a_heading_among_numbers_of_lines(tmp_path: Path) -> None:
    random, canvas = Random(1), Canvas(str(tmp_path / "a.pdf"))
    for heading in ("4", "9"):
        lines, y = wrap(paragraph(random, 300), 380), 760.0
        for at, line in enumerate(lines, 1):
            if at == 10:
                canvas.setFont(FONT, 16)
                canvas.drawRightString(75, y - 2 * STEP, heading)
                canvas.drawString(100, y - 2 * STEP, "Weirs")
                y -= 4 * STEP
            canvas.setFont(FONT, SIZE)
            canvas.drawString(100, y, line)
            canvas.setFont(FONT, 8)
            canvas.drawRightString(75, y, str(at))
            y -= STEP
        canvas.showPage()
    canvas.save()
    assert [word for word in flat(tmp_path / "a.pdf").split() if word.isdecimal()] == ["4", "9"]


def test_numbers_of_rows_and_items_are_kept(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "a.pdf"))
    canvas.setFont(FONT, SIZE)
    for number in range(1, 9):
        canvas.drawString(60, 740 - STEP * number, str(number))
        canvas.drawString(90, 740 - STEP * number, f"Station {'ABCDEFGH'[number - 1]}")
        canvas.drawString(240, 740 - STEP * number, f"{number * 37} m")
        canvas.drawString(60, 540 - STEP * number, str(2000 + 5 * number))
        canvas.drawString(120, 540 - STEP * number, "The keeper went to the mill and to the weir.")
    canvas.save()
    text = load(tmp_path / "a.pdf").text
    assert all(str(number) in text.split() for number in [*range(1, 9), *range(2005, 2045, 5)])


@pytest.mark.parametrize("at_left", [False, True])
def test_a_box_beside_the_text(tmp_path: Path, at_left: bool) -> None:
    random, canvas = Random(3), Canvas(str(tmp_path / "a.pdf"))
    lines, line = list[str](), ""
    for word in (text := paragraph(random, 400)).split():
        if line and stringWidth(f"{line} {word}", FONT, SIZE) > (300 if 8 <= len(lines) < 16 else 480):
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()
    canvas.setFont(FONT, SIZE)
    for number, printed in enumerate([*lines, line]):
        canvas.drawString(230 if at_left and 8 <= number < 16 else 50, 740 - 13 * number, printed)
    box = "Facts about the weir: it was built of grey stone in the north and is still in use today by many boats."
    canvas.setFont(FONT, 9)
    for number, line in enumerate(wrap(box, 150)):
        canvas.drawString(50 if at_left else 375, 740 - 13 * 9 - 11 * number, line)
    canvas.save()
    assert load(tmp_path / "a.pdf").text.split("\n\n") == [text, box]


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
def test_text_from_right_to_left(tmp_path: Path, justified: bool, hebrew_font: str) -> None:
    canvas = Canvas(str(tmp_path / "a.pdf"))
    canvas.setFont(hebrew_font, SIZE)
    gap = 9.5 if justified else stringWidth(" ", hebrew_font, SIZE)
    words, y = HEBREW.split(), 700.0
    for begin in range(0, len(words), 7):
        if begin + 7 > len(words):
            gap = stringWidth(" ", hebrew_font, SIZE)
        x = 540.0
        for word in reversed(visual(" ".join(words[begin : begin + 7]))):
            x -= stringWidth(word, hebrew_font, SIZE)
            canvas.drawString(x, y, word)
            x -= gap
        y -= 14
    canvas.save()
    assert flat(tmp_path / "a.pdf") == HEBREW


def test_cells_from_right_to_left(tmp_path: Path, hebrew_font: str) -> None:
    canvas = Canvas(str(tmp_path / "a.pdf"))
    canvas.setFont(hebrew_font, SIZE)
    rows = [("שם", "גיל", "עיר"), ("דוד", "34", "תל אביב"), ("שרה", "41", "חיפה"), ("יוסף", "29", "באר שבע")]
    for number, row in enumerate(rows):
        for right, cell in zip((540, 400, 260), row, strict=True):
            canvas.drawRightString(right, 700 - 20 * number, cell if cell.isdecimal() else cell[::-1])
    canvas.save()
    assert "שם: דוד; גיל: 34; עיר: תל אביב" in load(tmp_path / "a.pdf").text.splitlines()


def test_words_from_right_to_left_in_other_text(tmp_path: Path, hebrew_font: str) -> None:
    canvas = Canvas(str(tmp_path / "a.pdf"))
    canvas.setFont(hebrew_font, SIZE)
    canvas.drawString(50, 700, f"The word {'תל אביב'[::-1]} names a town, and 2024 was its year.")
    canvas.save()
    assert flat(tmp_path / "a.pdf") == "The word תל אביב names a town, and 2024 was its year."


@pytest.fixture(scope="module")
def hebrew_font() -> str:
    """The name of a font with Hebrew letters, which matplotlib brings."""
    matplotlib = pytest.importorskip("matplotlib")
    pdfmetrics.registerFont(
        TTFont("DejaVu", str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"))
    )
    return "DejaVu"


def test_text_from_above(tmp_path: Path) -> None:
    """Columns of Japanese from the right to the left of the page, whose signs are drawn one by one."""
    text = "吾輩は猫である。名前はまだ無い。どこで生れたか見当がつかぬ"
    codes = dict(zip(ascii_letters, dict.fromkeys(text), strict=False))
    signs = {character: sign for sign, character in codes.items()}
    canvas = Canvas(str(tmp_path / "a.pdf"))
    canvas.setFont("Times-Roman", 12)
    for at, character in enumerate(text):
        canvas.drawString(300 - 20 * (at // 10), 700 - 12 * (at % 10), signs[character])
    canvas.save()
    give_codes(tmp_path / "a.pdf", codes)
    assert load(tmp_path / "a.pdf").text == text


def test_a_caption_across_beside_text_from_above(tmp_path: Path) -> None:
    text, caption = "吾輩は猫である。名前はまだ無い。どこで生れたか見当がつかぬ", "猫である名前は"
    codes = dict(zip(ascii_letters, dict.fromkeys(text), strict=False))
    signs = {character: sign for sign, character in codes.items()}
    canvas = Canvas(str(tmp_path / "a.pdf"))
    canvas.setFont("Courier", 12)
    for at, character in enumerate(text):
        canvas.drawString(300 - 20 * (at // 10), 700 - 12 * (at % 10), signs[character])
    canvas.drawString(250, 650, "".join(signs[character] for character in caption))
    canvas.save()
    give_codes(tmp_path / "a.pdf", codes)
    assert load(tmp_path / "a.pdf").text == f"{text}\n\n{caption}"


@pytest.mark.parametrize("angle", [20, 30, 45, 57])
def test_text_aslant_is_set_apart_and_named(tmp_path: Path, angle: float) -> None:
    canvas = Canvas(str(tmp_path / "a.pdf"))
    lines = wrap(paragraph(Random(1), 80), 400)
    for number, line in enumerate(lines):
        canvas.drawString(50, 700 - 12 * number, line)
    canvas.setFont("Helvetica", 40)
    canvas.translate(100, 640)
    canvas.rotate(angle)
    canvas.drawString(0, 0, "DRAFT 9")
    canvas.save()
    source = load(tmp_path / "a.pdf")
    assert " ".join(source.text.split()) == f"{' '.join(lines)} DRAFT 9" and source.text.endswith("\n\nDRAFT 9")
    assert [problem.partition("a.pdf: ")[2] for problem in source.problems] == [
        "1 line that is drawn aslant and set apart (PDF page 1)."
    ]

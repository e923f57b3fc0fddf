"""Sources: what is laid over the pages of PDFs, and text that is hard to have, or can't be had."""

from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.annotations import FreeText, Text
from pypdf.generic import (
    ArrayObject,
    BooleanObject,
    DecodedStreamObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    NumberObject,
    TextStringObject,
)
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont

from readgraph.sources import load
from readgraph.sources.pdf.scans import recognizer_version
from tests.support.source_files import drawing, give_codes, where, write_pdf_lines
from tests.support.sources import assert_file_refused

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("pdfium_here")]
HELVETICA = {"Type": "Font", "Subtype": "Type1", "BaseFont": "Helvetica"}
LINES = [["This contract ends in 2024.", "It is signed below by both."], ["This is the second page."]]


def dictionary(**entries: object) -> DictionaryObject:
    """A dictionary of PDF; a string is a name."""
    named = {key: NameObject(f"/{value}") if type(value) is str else value for key, value in entries.items()}
    return DictionaryObject({NameObject(f"/{key}"): value for key, value in named.items()})


def rectangle(*edges: float) -> ArrayObject:
    return ArrayObject([FloatObject(edge) for edge in edges])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.pdf"


def annotated(path: Path, *annotations: DictionaryObject) -> Path:
    """A PDF of two pages, with these annotations on the first."""
    writer = PdfWriter(clone_from=PdfReader(write_pdf_lines(path, LINES)))
    for annotation in annotations:
        if look := annotation.get("/AP"):
            look[NameObject("/N")] = writer._add_object(look["/N"])
        writer.add_annotation(0, annotation)
    writer.write(path)
    return path


def stamp(text: str, **more: object) -> DictionaryObject:
    """A stamp whose look is drawn."""
    look = DecodedStreamObject()
    look.set_data(f"BT /F1 18 Tf 5 10 Td ({text}) Tj ET".encode())
    fonts = dictionary(Font=dictionary(F1=dictionary(**HELVETICA)))
    look.update(dictionary(Type="XObject", Subtype="Form", BBox=rectangle(0, 0, 200, 40), Resources=fonts))
    place = rectangle(100, 300, 300, 340)
    return dictionary(Type="Annot", Subtype="Stamp", Rect=place, AP=dictionary(N=look), **more)


def write_form(path: Path) -> Path:
    with drawing(path, "Helvetica", 12) as canvas:
        form = canvas.acroForm
        for y, label in ((700, "Name:"), (670, "I agree"), (640, "I refuse"), (610, "Colour:"), (580, "Lodging:")):
            canvas.drawString(50, y, label)
        form.textfield(name="name", x=100, y=692, width=200, height=20, value="Anna Grey")
        form.checkbox(name="yes", x=100, y=664, size=16, checked=True)
        form.checkbox(name="no", x=100, y=634, size=16, checked=False)
        form.choice(name="colour", x=100, y=602, width=100, height=20, options=["red", "green"], value="green")
        for x, value, text in ((100, "inn", "at the inn"), (200, "tent", "in a tent")):
            form.radio(name="lodging", value=value, selected=value == "inn", x=x, y=574, size=16)
            canvas.drawString(x + 20, 580, text)
    return path


def form_to_change(path: Path) -> PdfWriter:
    return PdfWriter(clone_from=PdfReader(write_form(path)))


def test_what_is_typed_ticked_and_chosen(path: Path) -> None:
    text = load(write_form(path)).text
    for line in ("Name: Anna Grey", "I agree [x]", "I refuse [ ]", "Colour: green"):
        assert line in text.splitlines()
    assert "[x] at the inn" in text and "[ ] in a tent" in text


def test_a_value_whose_look_is_not_drawn(path: Path) -> None:
    """Programs may write the value and leave its look to the viewer."""
    writer = form_to_change(path)
    for annotation in writer.pages[0]["/Annots"]:  # type: ignore[attr-defined]
        field = annotation.get_object()
        if field.get("/T") == "name":
            field[NameObject("/V")] = TextStringObject("Zoë 𠮷野\nin the north")
            del field["/AP"]
    writer.root_object["/AcroForm"][NameObject("/NeedAppearances")] = BooleanObject(True)  # type: ignore[index]
    writer.write(path)
    text = load(path).text
    assert "Zoë 𠮷野" in text and "in the north" in text and "Anna" not in text


def test_a_form_filled_by_another_program(path: Path) -> None:
    writer = form_to_change(path)
    writer.update_page_form_field_values(writer.pages[0], {"name": "Bo Lind", "colour": "red"}, auto_regenerate=False)
    writer.write(path)
    assert {"Name: Bo Lind", "Colour: red"} <= {*load(path).text.splitlines()}


def test_fields_of_no_form(path: Path) -> None:
    writer = form_to_change(path)
    del writer.root_object["/AcroForm"]
    writer.write(path)
    assert {"Name: Anna Grey", "I agree [x]", "I refuse [ ]"} <= {*load(path).text.splitlines()}


def test_typed_values_on_a_scanned_page_are_kept(path: Path) -> None:
    """The page shows a picture and no text, but its form holds some."""
    with drawing(path) as canvas:
        canvas.rect(0, 0, 600, 800, fill=1)
        canvas.acroForm.textfield(name="name", x=100, y=692, width=200, height=20, value="Anna Grey")
    assert load(path).text == "Anna Grey"


def test_notes_on_a_page_stamps_and_comments(path: Path) -> None:
    struck = {"Type": "Annot", "Subtype": "StrikeOut", "Rect": rectangle(150, 556, 182, 571)}
    source = load(
        annotated(
            path,
            FreeText(text="Paid on 3 May", rect=(200, 400, 350, 420)),
            stamp("APPROVED 17"),
            Text(text="Is this right?", rect=(300, 550, 320, 570)),
            dictionary(**struck, T=TextStringObject("Bo"), Contents=TextStringObject("it is 2025")),
        )
    )
    for text in ("Paid on 3 May", "APPROVED 17", "Comment: Is this right?", "Comment by Bo: it is 2025"):
        assert text in source.text.split("\n\n")
        assert where(source, text) == "PDF page 1"
    assert "Struck out: 2024." in source.text.split("\n\n")
    assert source.text.endswith("This is the second page.")


def test_what_is_hidden_is_not_read(path: Path) -> None:
    assert "DRAFT" not in load(annotated(path, stamp("DRAFT 9", F=NumberObject(2)))).text


def test_characters_above_16_bits(path: Path) -> None:
    with drawing(path, "Helvetica", 12) as canvas:
        canvas.drawString(50, 700, "Let x be a wide sign.")
    give_codes(path, {"x": "𝑥", "L": "😀", "w": "𠮷"})
    assert load(path).text == "😀et 𝑥 be a 𠮷ide sign."


@pytest.fixture
def unreadable() -> str:
    """The name of a font whose text can't be had."""
    if recognizer_version():
        pytest.skip("with text recognition, such pages are recognised")
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiKakuGo-W5"))
    return "HeiseiKakuGo-W5"


def test_text_that_cannot_be_had_is_named_and_counted(path: Path, unreadable: str) -> None:
    with drawing(path, "Helvetica") as canvas:
        canvas.drawString(50, 780, "One line is read.")
        for _ in range(2):
            canvas.setFont(unreadable, 12)
            for at in range(40):
                canvas.drawString(500 - 20 * (at // 20), 740 - 13 * (at % 20), "猫")
            canvas.showPage()
    source = load(path)
    assert source.text == "One line is read."
    (problem,) = source.problems
    assert "pages 1, 2" in problem and "lack 80 of 94 characters" in problem


def test_a_file_of_nothing_but_such_text_is_refused(path: Path, unreadable: str) -> None:
    with drawing(path, unreadable, 12) as canvas:
        canvas.drawString(50, 700, "猫")
    assert_file_refused(path, "has no text that can be read: ")

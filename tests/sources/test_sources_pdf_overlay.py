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
from reportlab.pdfgen.canvas import Canvas

from readgraph.sources import load
from readgraph.sources.pdf.scans import recognizer_version
from readgraph.sources.places import place_at
from readgraph.state.errors import BadInput
from tests.support.source_files import give_codes, write_pdf_lines

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("pdfium_here")]
HELVETICA = {"/Type": NameObject("/Font"), "/Subtype": NameObject("/Type1"), "/BaseFont": NameObject("/Helvetica")}
LINES = [["This contract ends in 2024.", "It is signed below by both."], ["This is the second page."]]


def dictionary(**entries: object) -> DictionaryObject:
    return DictionaryObject({NameObject(f"/{key}"): value for key, value in entries.items()})


def rectangle(*edges: float) -> ArrayObject:
    return ArrayObject([FloatObject(edge) for edge in edges])


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
    font = DictionaryObject({NameObject(key): value for key, value in HELVETICA.items()})
    look.update(
        dictionary(
            Type=NameObject("/XObject"),
            Subtype=NameObject("/Form"),
            BBox=rectangle(0, 0, 200, 40),
            Resources=dictionary(Font=dictionary(F1=font)),
        )
    )
    return dictionary(
        Type=NameObject("/Annot"),
        Subtype=NameObject("/Stamp"),
        Rect=rectangle(100, 300, 300, 340),
        AP=dictionary(N=look),
        **more,
    )


def write_form(path: Path) -> Path:
    canvas = Canvas(str(path))
    form = canvas.acroForm
    canvas.drawString(50, 700, "Name:")
    form.textfield(name="name", x=100, y=692, width=200, height=20, value="Anna Grey")
    canvas.drawString(50, 670, "I agree")
    form.checkbox(name="yes", x=100, y=664, size=16, checked=True)
    canvas.drawString(50, 640, "I refuse")
    form.checkbox(name="no", x=100, y=634, size=16, checked=False)
    canvas.drawString(50, 610, "Colour:")
    form.choice(name="colour", x=100, y=602, width=100, height=20, options=["red", "green"], value="green")
    canvas.drawString(50, 580, "Lodging:")
    form.radio(name="lodging", value="inn", selected=True, x=100, y=574, size=16)
    canvas.drawString(120, 580, "at the inn")
    form.radio(name="lodging", value="tent", selected=False, x=200, y=574, size=16)
    canvas.drawString(220, 580, "in a tent")
    canvas.save()
    return path


def test_what_is_typed_ticked_and_chosen(tmp_path: Path) -> None:
    text = load(write_form(tmp_path / "a.pdf")).text
    for line in ("Name: Anna Grey", "I agree [x]", "I refuse [ ]", "Colour: green"):
        assert line in text.splitlines()
    assert "[x] at the inn" in text and "[ ] in a tent" in text


def test_a_value_whose_look_is_not_drawn(tmp_path: Path) -> None:
    """Programs may write the value and leave its look to the viewer."""
    writer = PdfWriter(clone_from=PdfReader(write_form(tmp_path / "a.pdf")))
    for annotation in writer.pages[0]["/Annots"]:  # type: ignore[attr-defined]
        field = annotation.get_object()
        if field.get("/T") == "name":
            field[NameObject("/V")] = TextStringObject("Zoë 𠮷野\nin the north")
            del field["/AP"]
    writer.root_object["/AcroForm"][NameObject("/NeedAppearances")] = BooleanObject(True)  # type: ignore[index]
    writer.write(tmp_path / "a.pdf")
    text = load(tmp_path / "a.pdf").text
    assert "Zoë 𠮷野" in text and "in the north" in text and "Anna" not in text


def test_a_form_filled_by_another_program(tmp_path: Path) -> None:
    writer = PdfWriter(clone_from=PdfReader(write_form(tmp_path / "a.pdf")))
    writer.update_page_form_field_values(writer.pages[0], {"name": "Bo Lind", "colour": "red"}, auto_regenerate=False)
    writer.write(tmp_path / "a.pdf")
    lines = load(tmp_path / "a.pdf").text.splitlines()
    assert "Name: Bo Lind" in lines and "Colour: red" in lines


def test_fields_of_no_form(tmp_path: Path) -> None:
    writer = PdfWriter(clone_from=PdfReader(write_form(tmp_path / "a.pdf")))
    del writer.root_object["/AcroForm"]
    writer.write(tmp_path / "a.pdf")
    lines = load(tmp_path / "a.pdf").text.splitlines()
    assert [line for line in ("Name: Anna Grey", "I agree [x]", "I refuse [ ]") if line not in lines] == []


def test_typed_values_on_a_scanned_page_are_kept(tmp_path: Path) -> None:
    """The page shows a picture and no text, but its form holds some."""
    canvas = Canvas(str(tmp_path / "a.pdf"))
    canvas.rect(0, 0, 600, 800, fill=1)
    canvas.acroForm.textfield(name="name", x=100, y=692, width=200, height=20, value="Anna Grey")
    canvas.save()
    assert load(tmp_path / "a.pdf").text == "Anna Grey"


def test_notes_on_a_page_stamps_and_comments(tmp_path: Path) -> None:
    source = load(
        annotated(
            tmp_path / "a.pdf",
            FreeText(text="Paid on 3 May", rect=(200, 400, 350, 420)),
            stamp("APPROVED 17"),
            Text(text="Is this right?", rect=(300, 550, 320, 570)),
            dictionary(
                Type=NameObject("/Annot"),
                Subtype=NameObject("/StrikeOut"),
                Rect=rectangle(150, 556, 182, 571),
                T=TextStringObject("Bo"),
                Contents=TextStringObject("it is 2025"),
            ),
        )
    )
    for text in ("Paid on 3 May", "APPROVED 17", "Comment: Is this right?", "Comment by Bo: it is 2025"):
        assert text in source.text.split("\n\n")
        assert place_at(source.places, source.text.index(text)) == "PDF page 1"
    assert "Struck out: 2024." in source.text.split("\n\n")
    assert source.text.endswith("This is the second page.")


def test_what_is_hidden_is_not_read(tmp_path: Path) -> None:
    hidden = stamp("DRAFT 9", F=NumberObject(2))
    assert "DRAFT" not in load(annotated(tmp_path / "a.pdf", hidden)).text


def test_characters_above_16_bits(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "a.pdf"))
    canvas.drawString(50, 700, "Let x be a wide sign.")
    canvas.save()
    give_codes(tmp_path / "a.pdf", {"x": "𝑥", "L": "😀", "w": "𠮷"})
    assert load(tmp_path / "a.pdf").text == "😀et 𝑥 be a 𠮷ide sign."


@pytest.mark.skipif(bool(recognizer_version()), reason="with text recognition, such pages are recognised")
def test_text_that_cannot_be_had_is_named_and_counted(tmp_path: Path) -> None:
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiKakuGo-W5"))
    canvas = Canvas(str(tmp_path / "a.pdf"))
    for page in range(2):
        canvas.setFont("Helvetica", 10)
        if page == 0:
            canvas.drawString(50, 780, "One line is read.")
        canvas.setFont("HeiseiKakuGo-W5", 12)
        for at in range(40):
            canvas.drawString(500 - 20 * (at // 20), 740 - 13 * (at % 20), "猫")
        canvas.showPage()
    canvas.save()
    source = load(tmp_path / "a.pdf")
    assert source.text == "One line is read."
    (problem,) = source.problems
    assert "pages 1, 2" in problem and "lack 80 of 94 characters" in problem


@pytest.mark.skipif(bool(recognizer_version()), reason="with text recognition, such pages are recognised")
def test_a_file_of_nothing_but_such_text_is_refused(tmp_path: Path) -> None:
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiKakuGo-W5"))
    canvas = Canvas(str(tmp_path / "a.pdf"))
    canvas.setFont("HeiseiKakuGo-W5", 12)
    canvas.drawString(50, 700, "猫")
    canvas.save()
    with pytest.raises(BadInput, match=r"a\.pdf has no text that can be read: [^\n]+\.$"):
        load(tmp_path / "a.pdf")

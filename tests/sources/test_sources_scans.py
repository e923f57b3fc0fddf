"""Sources: PDFs whose pages are pictures."""

import socket
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image
from pypdf import PdfWriter
from pypdfium2 import PdfDocument

from readgraph.sources import load
from readgraph.sources.converting import show_conversion
from readgraph.sources.loading import read_file
from readgraph.sources.pdf import pdf_text, scans
from readgraph.sources.places import place_at
from readgraph.state.errors import BadInput
from tests.support.scanning import scanned
from tests.support.source_files import write_pdf_lines

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("pdfium_here")]

needs_scans = pytest.mark.skipif(not scans.recognizer_version(), reason="needs pip install 'readgraph[scans]'")
LINES = ["The keeper of the lock at Oxholm counted", "seventeen barges before noon, and wrote", "in his ledger."]
WORDS = " ".join(LINES)


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pdf_lines(tmp_path_factory.mktemp("typed") / "typed.pdf", [LINES, ["A page of words."], LINES])


@pytest.fixture(scope="module")
def mixed(typed: Path) -> Path:
    """Pages 1 and 3 are pictures, page 2 is text, page 4 is empty."""
    pictures = scanned(typed, typed.with_name("pictures.pdf"), dpi=150)
    writer = PdfWriter()
    for path, page in ((pictures, 0), (typed, 1), (pictures, 2)):
        writer.append(path, pages=(page, page + 1))
    writer.add_blank_page()
    writer.write(typed.with_name("mixed.pdf"))
    return typed.with_name("mixed.pdf")


@pytest.fixture
def without_recognizer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_text, "recognizer_version", lambda: "")


def recognizer_of(lines: list[str], slope: float) -> Callable[[np.ndarray], SimpleNamespace]:
    """A stand-in that finds these lines on each page, 10 dots for each character, 40 dots apart, on a slope."""

    def recognize(picture: np.ndarray) -> SimpleNamespace:
        middle = np.array([picture.shape[1] / 2, picture.shape[0] / 2])
        turn = np.array([[np.cos(slope), np.sin(slope)], [-np.sin(slope), np.cos(slope)]])
        boxes = []
        for at, line in enumerate(lines):
            left, top, right = 100, 600 + 40 * at, 100 + 10 * len(line)
            corners = np.array([[left, top], [right, top], [right, top + 30], [left, top + 30]])
            boxes.append((corners - middle) @ turn + middle)
        return SimpleNamespace(boxes=np.array(boxes), txts=tuple(lines))

    return recognize


@pytest.mark.slow
@pytest.mark.usefixtures("without_recognizer")
def test_without_the_extra_pictures_are_named(tmp_path: Path, typed: Path, mixed: Path) -> None:
    with pytest.raises(BadInput, match=r"scan\.pdf has no text, only pictures .* pip install 'readgraph\[scans\]'\.$"):
        load(scanned(typed, tmp_path / "scan.pdf", dpi=30))
    source = load(mixed)
    assert source.text == "A page of words."
    (problem,) = source.problems
    assert problem.startswith(f"pages 1, 3 of {mixed} are pictures, and left out (2 of 4): ")
    assert problem.endswith("pip install 'readgraph[scans]'.")


def test_recognised_lines_are_joined_as_printed_ones(monkeypatch: pytest.MonkeyPatch, mixed: Path) -> None:
    monkeypatch.setattr(pdf_text, "recognizer_version", lambda: "1")
    monkeypatch.setattr(scans, "recognizer", lambda: recognizer_of(LINES, 0.05))
    shown: list[int] = []
    with show_conversion(lambda name, number, of: shown.append(number)):
        source = load(mixed)
    assert source.text == f"{WORDS}\n\nA page of words.\n\n{WORDS}"
    assert [place.label for place in source.places] == ["PDF page 1", "PDF page 2", "PDF page 3"]
    assert not source.problems and shown == [1, 2, 3, 4]


def test_pictures_without_letters(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, typed: Path) -> None:
    monkeypatch.setattr(pdf_text, "recognizer_version", lambda: "1")
    monkeypatch.setattr(scans, "recognizer", lambda: lambda picture: SimpleNamespace(boxes=None, txts=None))
    with pytest.raises(BadInput, match=r"scan\.pdf has only pictures of its pages, and no text was recognised in them"):
        load(scanned(typed, tmp_path / "scan.pdf", dpi=30))


def test_a_file_is_converted_again_with_another_recognizer(monkeypatch: pytest.MonkeyPatch, typed: Path) -> None:
    digests = set()
    for version in ("", "1", "2"):
        monkeypatch.setattr("readgraph.sources.loading.recognizer_version", lambda version=version: version)
        digests.add(read_file(typed).digest)
    assert len(digests) == 3


@needs_scans
@pytest.mark.slow
def test_scans_are_recognised_without_a_network(monkeypatch: pytest.MonkeyPatch, mixed: Path) -> None:
    def refuse(*arguments: object) -> None:
        raise OSError("no network here")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    scans.recognizer.cache_clear()
    source = load(mixed)
    assert source.text == f"{WORDS}\n\nA page of words.\n\n{WORDS}" and not source.problems
    assert place_at(source.places, source.text.rindex("Oxholm")) == "PDF page 3"


def _picture(typed: Path, ending: str) -> Path:
    """The first page of a PDF as a picture, as a phone or a scanner makes one."""
    with PdfDocument(typed) as document:
        picture = document[0].render(scale=150 / 72).to_pil().convert("RGB")
    picture.save(file := typed.with_name(f"letter{ending}"))
    return file


@needs_scans
@pytest.mark.slow
@pytest.mark.parametrize("ending", [".png", ".jpg", ".tif"])
def test_a_picture_of_a_letter_is_read(typed: Path, ending: str) -> None:
    read = load(_picture(typed, ending))
    assert " ".join(read.text.split()) == WORDS and read.title == "letter"
    assert read.places[0].label == "line 1"


def test_what_stands_in_a_picture_is_cited_by_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_text, "recognizer_version", lambda: "1")
    recognized = ("The keeper left.\n\n \nThe goat stayed.", (), "", ()), None
    monkeypatch.setattr(pdf_text, "in_child", lambda *given, **more: recognized)
    places = pdf_text.convert_picture(b"", "letter.png").places
    assert [(place.start, place.label) for place in places] == [(0, "line 1"), (20, "line 4")]


def test_each_page_of_a_fax_is_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [Image.new("1", size, 1) for size in ((850, 1100), (850, 550))]
    pages[0].save(fax := tmp_path / "fax.tiff", save_all=True, append_images=pages[1:], compression="group4")
    with PdfDocument(pdf_text.pages_of_picture(fax.read_bytes(), "fax.tiff")) as document:
        assert [round(page.get_width() / page.get_height(), 2) for page in document] == [0.77, 1.55]
    monkeypatch.setattr(pdf_text, "MOST_FRAMES", 1)
    with pytest.raises(BadInput, match=r"fax\.tiff has more than 1 pages"):
        pdf_text.pages_of_picture(fax.read_bytes(), "fax.tiff")


def test_a_picture_that_can_not_be_read_says_why(typed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    letter = _picture(typed, ".png")
    with pytest.raises(BadInput, match=r"torn\.png is no picture, or a broken one"):
        pdf_text.pages_of_picture(letter.read_bytes()[:100], "torn.png")
    monkeypatch.setattr(pdf_text, "recognizer_version", lambda: "")
    with pytest.raises(BadInput, match=r"letter\.png is a picture: to recognise its text, pip install 'readgraph\[sc"):
        load(letter)

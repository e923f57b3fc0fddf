"""Sources: EPUB and Word."""

import re
import zipfile
from pathlib import Path

import pytest

from readgraph.sources import load
from readgraph.sources.parsing import Archive
from readgraph.state.errors import BadInput
from tests.support.source_files import (
    CONTAINER,
    RELATION,
    edit_zip,
    unzip,
    where,
    write_docx,
    write_epub,
    write_file,
    write_zip,
)
from tests.support.sources import assert_file_refused

pytestmark = pytest.mark.quick

CHAPTERS = {
    "cover.xhtml": "<p>By Nobody</p>",
    "text/one.xhtml": "<h1>I</h1><p>Marian bought it.</p>",
    "text/one b.xhtml": "<h3>A letter</h3><p>Still the same.</p>",
    "text/two.xhtml": "<h1>II</h1><p>She went over.</p><h2 id='night'>Night</h2><p>The lamp was lit.</p>",
    "text/notes.xhtml": "<h1>Notes</h1><p>A note.</p>",
}
NAV = (
    "<ol><li><a href='text/one.xhtml'>The&#160; Auction</a></li><li><span>Part Two</span><ol>"
    "<li><a href='text/two.xhtml'>Across <b>the</b> Sarn</a><ol><li><a href='text/two.xhtml#night'>Night</a></li></ol>"
    "</li></ol></li></ol>"
)
NCX = (
    "<navPoint><navLabel><text>The Auction</text></navLabel><content src='text/one.xhtml'/></navPoint>"
    "<navPoint><navLabel><text>Part Two</text></navLabel><content src='text/two.xhtml#no'/>"
    "<navPoint><navLabel><text>Night</text></navLabel><content src='text/two.xhtml#night'/></navPoint></navPoint>"
)


def test_a_book(tmp_path: Path) -> None:
    source = load(write_epub(tmp_path / "book.epub", CHAPTERS, "The Lamp", nav=NAV))
    assert source.title == "The Lamp" and source.source == str(tmp_path / "book.epub")
    assert source.text.split("\n\n") == [
        *("By Nobody", "I", "Marian bought it.", "A letter", "Still the same.", "II", "She went over.", "Night"),
        *("The lamp was lit.", "Notes", "A note."),
    ]
    assert where(source, "By Nobody") is None
    assert where(source, "Marian") == where(source, "Still the same") == "chapter 'The Auction'"
    assert where(source, "She went") == "chapter 'Part Two > Across the Sarn'"
    assert where(source, "lamp was lit") == "chapter 'Part Two > Across the Sarn > Night'"
    assert where(source, "A note") == "chapter 'Notes'"


def test_chapters_of_an_older_book(tmp_path: Path) -> None:
    source = load(write_epub(tmp_path / "book.epub", CHAPTERS, ncx=NCX))
    assert (source.title, where(source, "Marian")) == ("book", "chapter 'The Auction'")
    assert where(source, "She went") == "chapter 'Part Two'"
    assert where(source, "lamp was lit") == "chapter 'Part Two > Night'"


def test_chapters_without_table_of_contents(tmp_path: Path) -> None:
    for more in ({}, {"nav": "<ol></ol>"}):
        source = load(write_epub(tmp_path / "book.epub", CHAPTERS, **more))
        labels = [place.label for place in source.places]
        assert labels == ["chapter 'I'", "chapter 'A letter'", "chapter 'II'", "chapter 'Notes'"]


def test_documents_of_a_book_may_be_malformed_and_in_old_encodings(tmp_path: Path) -> None:
    documents = {
        "a.xhtml": "<p>one<br>two<p>three &nbsp;four</body>",
        "b.xhtml": "<?xml version='1.0'?><p>no <b>html</p>",
        "pic.jpg": "<?xml",
    }
    assert load(write_epub(tmp_path / "a.epub", documents)).text == "one\ntwo\n\nthree four\n\nno html"
    path = write_epub(tmp_path / "b.epub", {"a.xhtml": "<p>x</p>"})
    page = "<?xml version='1.0' encoding='ISO-8859-1'?><html><title/><p>Café</p></html>".encode("latin-1")
    assert load(write_zip(path, {**unzip(path), "OEBPS/a.xhtml": page})).text == "Café"


ENCRYPTED = (
    '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:e="http://www.w3.org/2001/04/xmlenc#">'
    '<e:EncryptedData><e:CipherData><e:CipherReference URI="{}"/></e:CipherData></e:EncryptedData></encryption>'
)


def test_locked_books(tmp_path: Path) -> None:
    path = write_epub(tmp_path / "a.epub", CHAPTERS, encryption=ENCRYPTED.format("OEBPS/text/one%20b.xhtml"))
    assert_file_refused(path, "locked by DRM")
    path = write_epub(tmp_path / "b.epub", CHAPTERS, encryption=ENCRYPTED.format("OEBPS/fonts/serif.otf"))
    assert "Marian" in load(path).text


BOOK = "META-INF/container.xml"
PACKAGE = (
    '<package><manifest><item id="a" href="../b%20.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>'
)


@pytest.mark.parametrize(
    "members,reason",
    [
        ({"mimetype": "application/epub+zip"}, "lacks 'META-INF/container.xml'"),
        ({BOOK: "<x/>"}, "names no book"),
        ({BOOK: b"\0\1"}, "can't be read"),
        ({BOOK: CONTAINER}, "lacks 'OEBPS/book.opf'"),
        ({BOOK: CONTAINER, "OEBPS/book.opf": PACKAGE}, "lacks 'b .xhtml'"),
    ],
)
def test_books_that_lack_a_part(tmp_path: Path, members: dict[str, str | bytes], reason: str) -> None:
    assert_file_refused(write_zip(tmp_path / "a.epub", members), reason)


def test_broken_and_empty_books(tmp_path: Path) -> None:
    path = tmp_path / "a.epub"
    whole = write_epub(path, CHAPTERS).read_bytes()
    for data in (b"no zip", b"PK\3\4", whole[:200], whole[len(whole) // 2 :]):
        assert_file_refused(write_file(path, data), "is not a valid EPUB file")
    assert_file_refused(write_epub(path, {}), "reading order is empty")
    assert_file_refused(write_epub(path, {"a.xhtml": "<img/>"}), "holds no text")


def test_damage_anywhere_is_a_text_or_one_clear_line(tmp_path: Path) -> None:
    for path in (write_epub(tmp_path / "a.epub", CHAPTERS, nav=NAV), write_docx(tmp_path / "a.docx", [("", "words")])):
        whole = path.read_bytes()
        for at in range(0, len(whole), max(1, len(whole) // 80)):
            for damaged in (whole[:at], whole[:at] + b"\xff\xfe" + whole[at + 2 :], whole[:at] + whole[at + 9 :]):
                path.write_bytes(damaged)
                try:
                    assert load(path).text
                except BadInput as refused:
                    assert len(str(refused).splitlines()) == 1 and path.name in str(refused)


def test_the_limit_holds_for_all_members_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READGRAPH_MAX_FILE_MB", "2")
    archive = Archive(write_zip(tmp_path / "a.zip", {"a": b"a" * 1_500_000}).read_bytes(), "a", "EPUB")
    assert len(archive.read("a")) == 1_500_000
    with pytest.raises(BadInput, match="2 MB"):
        archive.read("a")


def test_archives_packed_otherwise_or_under_a_password(tmp_path: Path) -> None:
    path = tmp_path / "a.epub"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("META-INF/container.xml", CONTAINER)
    assert_file_refused(path, "its compression method")
    data = bytearray(write_epub(path, CHAPTERS).read_bytes())
    for signature, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        for found in re.finditer(re.escape(signature), bytes(data)):
            data[found.start() + flags] |= 1
    assert_file_refused(write_file(path, bytes(data)), "locked by a password")


Blocks = list[tuple[str, str] | list[list[str]]]
REPORT: Blocks = [
    ("Title", "The Report"),
    ("", "Before  it\tall.\nA second line. of\ufb01ce soft\u00adhyphen"),
    *[("Heading 1", "Findings"), ("", ""), ("List Bullet", "One"), ("List Number", "Two"), ("Heading 2", "Fees")],
    [["Day", "Fee"], ["Monday", "1\npound"], ["", ""]],
    [["alone"], ["in a column"]],
    *[("Heading 1", "Rules"), ("Quote", "Be kind.")],
]


def test_a_word_document(tmp_path: Path) -> None:
    source = load(write_docx(tmp_path / "report.DOCX", REPORT))
    assert source.title == "report"
    assert source.text == (
        "The Report\n\nBefore it all.\nA second line. office softhyphen\n\nFindings\n\nOne\n1. Two\n\nFees\n\n"
        "Day | Fee\nMonday | 1 pound\n\nalone\n\nin a column\n\nRules\n\nBe kind."
    )
    assert where(source, "Before") == "§ The Report"
    assert where(source, "Two") == "§ The Report > Findings"
    assert where(source, "Monday") == "§ The Report > Findings > Fees"
    assert where(source, "Be kind") == "§ The Report > Rules"


def test_what_word_hides_in_a_paragraph(tmp_path: Path) -> None:
    def run(text: str) -> str:
        return f"<w:r><w:t>{text}</w:t></w:r>"

    def cell(text: str, inside: str = "") -> str:
        return f"<w:tc><w:p>{run(text)}</w:p>{inside}</w:tc>"

    inner = f"<w:tbl><w:tr>{cell('a')}{cell('b')}</w:tr></w:tbl>"
    body = (
        f"<w:p><w:ins>{run('in')}</w:ins><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
        f"<w:moveFrom>{run('moved')}</w:moveFrom><w:hyperlink>{run('link')}</w:hyperlink>"
        f"<w:sdt><w:sdtContent>{run('field')}</w:sdtContent></w:sdt><w:r><w:instrText>PAGE</w:instrText>"
        "<w:noBreakHyphen/><w:t>end</w:t><w:br/><w:t>next</w:t></w:r><w:r><w:pict><w:txbxContent>"
        f"<w:p>{run('boxed')}</w:p></w:txbxContent></w:pict></w:r></w:p><w:sdt><w:sdtContent><w:p>{run('control')}</w:p>"
        f"<w:tbl><w:tr>{cell('out', inner)}{cell('side')}</w:tr></w:tbl></w:sdtContent></w:sdt>"
    )
    path = write_docx(tmp_path / "a.docx", [("", "HERE")])
    path = edit_zip(path, {"word/document.xml": (f"<w:p>{run('HERE')}</w:p>", body)})
    assert load(path).text == "inlinkfield-end\nnext\n\nboxed\n\ncontrol\n\nout\n\na | b\n\nside"


KINDS = ("footnotes", "endnotes")


def with_notes(path: Path, change: tuple[str, str], **notes: str) -> Path:
    """A Word document with a change in its body, and with these notes."""
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    relations = "".join(f'<Relationship Id="n{kind}" Type="{RELATION}/{kind}" Target="{kind}.xml"/>' for kind in KINDS)
    types = "".join(f'<Override PartName="/word/{kind}.xml" ContentType="application/xml"/>' for kind in KINDS)
    parts = {f"word/{kind}.xml": ("", f"<w:{kind} {space}>{notes[kind]}</w:{kind}>") for kind in KINDS}
    parts["word/_rels/document.xml.rels"] = ("</Relationships>", relations + "</Relationships>")
    parts["[Content_Types].xml"] = ("</Types>", types + "</Types>")
    return edit_zip(path, {"word/document.xml": change, **parts})


def test_notes_of_a_word_document_stand_at_its_end(tmp_path: Path) -> None:
    note = '<w:{0} w:id="2"><w:p><w:r><w:t>{1}</w:t><w:footnoteReference w:id="2"/></w:r></w:p></w:{0}>'
    body = (
        '<w:r><w:t>said</w:t><w:footnoteReference w:id="2"/><w:t>, done</w:t><w:endnoteReference w:id="2"/>'
        '<w:footnoteReference w:id="9"/><w:t>, again</w:t><w:footnoteReference w:id="2"/></w:r>'
    )
    path, change = write_docx(tmp_path / "a.docx", [("", "HERE")]), ("<w:r><w:t>HERE</w:t></w:r>", body)
    footnotes, endnotes = note.format("footnote", "By  her"), note.format("endnote", "By him")
    source = load(with_notes(path, change, footnotes=footnotes, endnotes=endnotes))
    assert source.text == "said [^1], done [^e1] [^2], again [^1]\n\n[^1] By her [^1]\n[^e1] By him [^1]"
    assert (where(source, "By her"), where(source, "By him")) == ("footnote 1", "endnote 1")


def test_a_note_of_a_word_document_is_cited_at_its_mark(tmp_path: Path) -> None:
    def mark(text: str, kind: str, number: int) -> tuple[str, str]:
        end = f"{text}</w:t></w:r>"
        return end, f"{end}<w:r><w:{kind}Reference w:id='{number}'/></w:r>"

    blocks: Blocks = []
    for number in range(1, 9):
        blocks += [("Heading 1", f"Abschnitt {number}"), ("", f"Hier steht{number}")]
    path = write_docx(tmp_path / "a.docx", [*blocks, [["Ort", "Jahr"], ["Lund", "steht9"]]])
    for number in (2, 3, 9):
        path = edit_zip(path, {"word/document.xml": mark(f"steht{number}", "footnote", number)})
    note = '<w:{0} w:id="{1}"><w:p><w:r><w:{0}Ref/><w:t>Quelle {1}.</w:t></w:r></w:p></w:{0}>'
    footnotes = "".join(note.format("footnote", number) for number in (2, 3, 9))
    change = mark("Abschnitt 5", "endnote", 7)
    source = load(with_notes(path, change, footnotes=footnotes, endnotes=note.format("endnote", 7)))
    assert "steht2 [^1]\n" in source.text and "Abschnitt 5 [^e1]\n" in source.text
    assert "Lund | steht9 [^3]" in source.text
    assert [where(source, f"Quelle {number}") for number in (2, 3, 7, 9)] == [
        *("footnote 1, § Abschnitt 2", "footnote 2, § Abschnitt 3"),
        *("endnote 1, § Abschnitt 5", "footnote 3, § Abschnitt 8"),
    ]
    assert where(source, "Hier steht5") == "§ Abschnitt 5", "a heading's label has no mark"


@pytest.mark.parametrize(
    "mark",
    [
        *('<a epub:type="noteref" {}>1</a>', '<a role="doc-noteref" {}>1</a>', "<sup><a {}>1</a></sup>"),
        *("<a {}><sup>1</sup></a>", '<a id="r1" {}><span class="super">[1]</span></a>'),
    ],
)
def test_a_mark_in_a_book_belongs_to_no_word(tmp_path: Path, mark: str) -> None:
    marked = mark.format('href="n.xhtml#n1"')
    chapters = {
        "c.xhtml": f"<h1>Eins</h1><p>König Balthazar{marked} kam.</p>",
        "n.xhtml": "<h1>Noten</h1><p id='n1'>Ja.",
    }
    for contents in ({"nav": '<ol><li><a href="c.xhtml">Eins</a></li></ol>'}, {}):
        assert "König Balthazar [^1] kam." in load(write_epub(tmp_path / "a.epub", chapters, "", **contents)).text


def test_headings_of_own_styles(tmp_path: Path) -> None:
    path = write_docx(tmp_path / "a.docx", [("Heading 1", "One"), ("", "text")])
    own = '<w:style w:type="paragraph" w:styleId="Own"><w:name w:val="Chapter"/><w:basedOn w:val="Heading1"/></w:style>'
    changes = {"word/styles.xml": ("</w:styles>", own + "</w:styles>"), "word/document.xml": ('"Heading1"', '"Own"')}
    assert where(load(edit_zip(path, changes)), "text") == "§ One"


def test_broken_word_documents(tmp_path: Path) -> None:
    path, invalid = tmp_path / "a.docx", "is not a valid Word file"
    for data in (b"no zip", b"PK\3\4", b"{\\rtf1 text}"):
        assert_file_refused(write_file(path, data), invalid)
    old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    assert_file_refused(write_file(path, old), "locked by a password, or is an old .doc")
    assert_file_refused(write_zip(path, {"a.txt": "text"}), invalid)
    assert_file_refused(write_epub(path, CHAPTERS), invalid)
    assert_file_refused(write_docx(path, []), "holds no text")
    damaged = edit_zip(write_docx(path, [("", "text")]), {"word/document.xml": ("</w:body>", "")})
    assert_file_refused(damaged, invalid)

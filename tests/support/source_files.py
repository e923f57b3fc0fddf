"""Files of every kind, made for the tests of `readgraph.sources`."""

import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from docx import Document
from pypdf import PdfReader, PdfWriter
from pypdf.constants import PageLabelStyle
from pypdf.generic import DecodedStreamObject, NameObject
from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate
from reportlab.platypus.flowables import Flowable

from readgraph.sources.converting import SourceText
from readgraph.sources.places import place_at

TWO_CHATS = {
    "about": "",
    "chats": {
        "list": [
            {"name": name, "type": "private_group", "id": number, "messages": [
                {"id": 1, "type": "message", "date": "2024-03-12T19:40:00", "from": "Mara", "text": text},
            ]}
            for number, (name, text) in enumerate({"Boat": "Who took the oar?", "Shed": "Ilko has the key."}.items())
        ]
    },
}  # fmt: skip
"""An export of Telegram."""

CONTAINER = (
    '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
XHTML = (
    '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml" '
    'xmlns:epub="http://www.idpf.org/2007/ops"><head><title/></head><body>{}</body></html>'
)
NCX = '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{}</navMap></ncx>'
ODF = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in (("o", "office"), ("t", "text"), ("tb", "table"), ("d", "drawing"))
)
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
OOXML = (
    f'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="{RELATION}" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
)
TYPES = {"ncx": "application/x-dtbncx+xml", "jpg": "image/jpeg"}

HEAD = ParagraphStyle("head", fontName="Times-Bold", fontSize=14, leading=17, spaceBefore=10, spaceAfter=6)
SPACED = ParagraphStyle("spaced", fontName="Times-Roman", fontSize=10, leading=12, spaceAfter=6)
INDENTED = ParagraphStyle("indented", fontName="Times-Roman", fontSize=10, leading=12, firstLineIndent=14, alignment=4)


def write_file(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def labelled(source: SourceText) -> list[tuple[str, str]]:
    """The label of each place, and the first characters there."""
    return [(place.label, source.text[place.start : place.start + 12]) for place in source.places]


def notices(source: SourceText) -> list[str]:
    """What is said about the text, without the file's name."""
    return [problem.partition(": ")[2] for problem in source.problems]


def where(source: SourceText, phrase: str) -> str | None:
    """The label of the place where a phrase stands; it stands there once."""
    assert source.text.count(phrase) == 1
    return place_at(source.places, source.text.index(phrase))


@contextmanager
def drawing(path: Path, font: str = "Times-Roman", size: float = 10.0) -> Iterator[Canvas]:
    """A PDF of what is drawn on it."""
    canvas = Canvas(str(path))
    canvas.setFont(font, size)
    yield canvas
    canvas.save()


def write_pdf(path: Path, pages: Sequence[Sequence[str]], body: ParagraphStyle = SPACED) -> Path:
    """A typeset PDF: on each page these paragraphs; one that begins with # is a heading."""
    flow: list[Flowable] = []
    for page in pages:
        flow += [Paragraph(text.lstrip("# "), HEAD if text.startswith("#") else body) for text in page]
        flow.append(PageBreak())
    SimpleDocTemplate(str(path), pagesize=A5).build(flow)
    return path


def write_pdf_lines(path: Path, pages: Sequence[Sequence[str]]) -> Path:
    """A PDF with evenly spaced lines."""
    canvas = Canvas(str(path), pagesize=A5)
    for page in pages:
        for number, line in enumerate(page):
            canvas.drawString(40, 560 - 12 * number, line)
        canvas.showPage()
    canvas.save()
    return path


def encrypt_pdf(path: Path, password: str, algorithm: str) -> Path:
    """The PDF under a user password, which may be empty."""
    writer = PdfWriter(clone_from=PdfReader(BytesIO(path.read_bytes())))
    writer.encrypt(password, owner_password="owner", algorithm=algorithm)
    writer.write(path)
    return path


def label_pdf(path: Path, front_pages: int) -> Path:
    """The PDF with its first pages labelled i, ii, ... and the rest 1, 2, ..."""
    writer = PdfWriter(clone_from=PdfReader(BytesIO(path.read_bytes())))
    writer.set_page_label(0, front_pages - 1, style=PageLabelStyle.LOWERCASE_ROMAN)
    writer.set_page_label(front_pages, len(writer.pages) - 1, style=PageLabelStyle.DECIMAL)
    writer.write(path)
    return path


def give_codes(path: Path, codes: Mapping[str, str]) -> Path:
    """The PDF, in whose font these signs (of one byte) now stand for other characters; all others for themselves."""
    writer = PdfWriter(clone_from=PdfReader(BytesIO(path.read_bytes())))
    table = DecodedStreamObject()
    signs = {chr(code): chr(code) for code in range(32, 127)} | dict(codes)
    lines = [f"<{ord(sign):02X}> <{text.encode('utf-16-be').hex()}>" for sign, text in signs.items()]
    table.set_data(
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <FF> "
        f"endcodespacerange {len(lines)} beginbfchar\n{chr(10).join(lines)}\nendbfchar endcmap end end".encode()
    )
    fonts = writer.pages[0]["/Resources"]["/Font"]  # type: ignore[index]
    for font in fonts.values():
        font.get_object()[NameObject("/ToUnicode")] = writer._add_object(table)
    writer.write(path)
    return path


def write_zip(path: Path, members: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def unzip(path: Path) -> dict[str, str | bytes]:
    """The members of an archive by name."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_epub(path: Path, documents: Mapping[str, str], title: str = "", **more: str | bytes) -> Path:
    """An EPUB of these documents (name: body, or a whole page) in reading order.

    `nav` is the list of the table of contents in HTML, `ncx` its points; other keywords are members of META-INF.
    """
    pages = {name: text if text.startswith("<?xml") else XHTML.format(text) for name, text in documents.items()}
    listed = dict(pages)
    if nav := more.pop("nav", ""):
        listed["nav.xhtml"] = XHTML.format(f'<nav epub:type="landmarks"><ol/></nav><nav epub:type="toc">{nav!s}</nav>')
    if ncx := more.pop("ncx", ""):
        listed["toc.ncx"] = NCX.format(ncx)
    items = "".join(
        f'<item id="i{number}" href="{name.replace(" ", "%20")}" media-type="{_media_type(name)}" '
        f'properties="{"nav" if name == "nav.xhtml" else ""}"/>'
        for number, name in enumerate(listed)
    )
    spine = "".join(f'<itemref idref="i{number}"/>' for number in range(len(pages)))
    package = (
        f'<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>'
        f"{title}</dc:title></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    members = {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER, "OEBPS/book.opf": package}
    members |= {f"OEBPS/{name}": text for name, text in listed.items()}
    return write_zip(path, {**members, **{f"META-INF/{name}.xml": text for name, text in more.items()}})


def write_odt(path: Path, body: str, title: str = "", **more: str | bytes) -> Path:
    """An OpenDocument text with this XML as its body; other keywords are members of META-INF."""
    meta = f"<d:meta xmlns:d='d'><d:title>{title}</d:title></d:meta>"
    content = f"<o:document-content {ODF}><o:body><o:text>{body}</o:text></o:body></o:document-content>"
    members = {"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content, "meta.xml": meta}
    return write_zip(path, {**members, **{f"META-INF/{name}.xml": text for name, text in more.items()}})


def write_pptx(path: Path, slides: Sequence[str], notes: Mapping[int, str] | None = None) -> Path:
    """A PowerPoint file of these slides (XML of their shapes), stored in reverse order; notes by slide number."""
    listed, relations, members = "", "", dict[str, str | bytes]()
    for number, shapes in enumerate(slides, 1):
        member = f"slide{len(slides) - number + 1}.xml"
        listed += f"<p:sldId id='{number}' r:id='r{number}'/>"
        relations += f"<Relationship Id='r{number}' Type='{RELATION}/slide' Target='slides/{member}'/>"
        members[f"ppt/slides/{member}"] = f"<p:sld {OOXML}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
        if text := (notes or {}).get(number):
            link = f"<Relationship Id='n' Type='{RELATION}/notesSlide' Target='../notesSlides/n{number}.xml'/>"
            members[f"ppt/slides/_rels/{member}.rels"] = f"<Relationships>{link}</Relationships>"
            members[f"ppt/notesSlides/n{number}.xml"] = f"<p:notes {OOXML}>{text}</p:notes>"
    show = f"<p:presentation {OOXML}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>"
    members |= {"ppt/presentation.xml": show}
    members |= {"ppt/_rels/presentation.xml.rels": f"<Relationships>{relations}</Relationships>"}
    return write_zip(path, members)


def shape(*paragraphs: str, role: str = "body") -> str:
    """The XML of a slide's shape with these paragraphs."""
    texts = "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in paragraphs)
    placeholder = f"<p:nvSpPr><p:nvPr><p:ph type='{role}'/></p:nvPr></p:nvSpPr>"
    return f"<p:sp>{placeholder}<p:txBody>{texts}</p:txBody></p:sp>"


def _media_type(name: str) -> str:
    return TYPES.get(name.rpartition(".")[2], "application/xhtml+xml")


def write_docx(path: Path, blocks: Sequence[tuple[str, str] | list[list[str]]]) -> Path:
    """A Word document of (style, text) paragraphs and tables (rows of cells)."""
    document = Document()
    for block in blocks:
        if isinstance(block, tuple):
            document.add_paragraph(block[1], style=block[0] or None)
            continue
        table = document.add_table(len(block), len(block[0]))
        for row, texts in zip(table.rows, block, strict=True):
            for cell, text in zip(row.cells, texts, strict=True):
                cell.text = text
    document.save(str(path))
    return path


def edit_zip(path: Path, change: Mapping[str, tuple[str, str]]) -> Path:
    """Replace text in members of an archive: name: (old, new); an empty old makes the member."""
    members = unzip(path)
    for name, (old, new) in change.items():
        before = members.get(name, b"")
        text = before.decode() if isinstance(before, bytes) else before
        assert old in text
        members[name] = text.replace(old, new) if old else new
    return write_zip(path, members)

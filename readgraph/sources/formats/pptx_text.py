"""PowerPoint presentations as plain text: the words of each slide and its notes; places are the slides."""

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING

from readgraph.sources.converting import ITEM, PARAGRAPH, Blocks, Converted, on_a_line, require_text
from readgraph.sources.parsing import Archive, local_name, open_office_archive, parse_document
from readgraph.sources.places import Place, order_places, shorten_label

if TYPE_CHECKING:
    from lxml.etree import _Element

_PRESENTATION = "ppt/presentation.xml"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_TITLES = frozenset(("title", "ctrTitle"))
_FURNITURE = frozenset(("dt", "ftr", "sldNum", "hdr"))  # date, footer, slide number, header: the same on every slide


def convert(data: bytes, name: str) -> Converted:
    """The text of the slides in their order: title, text, rows of tables, and the speaker's notes after "Notes:".

    A place is a slide, with its title ("slide 3, Results"). Raises `BadInput` if the file can't be opened.
    """
    archive = open_office_archive(data, name, "PowerPoint", ".pptx")
    blocks = Blocks()
    places = []
    members = _targets(archive, _PRESENTATION)
    shown = [slide.get(f"{_R}id", "") for slide in archive.parse(_PRESENTATION, parse_document).iter(f"{_P}sldId")]
    slides = [members[identity][1] for identity in shown if identity in members]
    for number, member in enumerate((slide for slide in slides if slide in archive.members), 1):
        slide = archive.parse(member, parse_document)
        parts = [*_shapes(slide)]
        for kind, other in _targets(archive, member).values():
            if kind == "notesSlide" and other in archive.members:
                notes = [text for text, kind in _shapes(archive.parse(other, parse_document)) if kind != "title"]
                parts += [(text if at else f"Notes: {text}", PARAGRAPH) for at, text in enumerate(notes)]
        title = next((text for text, kind in parts if kind == "title"), "")
        label = f"slide {number}, {shorten_label(title)}" if title else f"slide {number}"
        starts = [blocks.add(text, PARAGRAPH if kind == "title" else kind) for text, kind in parts]
        places += [Place(start, label) for start in starts[:1]]
    text, title = require_text(blocks.text(), name), archive.title("docProps/core.xml")
    title = "" if title == "PowerPoint Presentation" else title  # what the program writes where nobody named it
    return Converted(text, order_places(places), title)


def _targets(archive: Archive, member: str) -> dict[str, tuple[str, str]]:
    """What a member is related to, by the relation's id: the kind ("slide", "notesSlide") and the other member."""
    folder, name = posixpath.split(member)
    relations = f"{folder}/_rels/{name}.rels"
    if relations not in archive.members:
        return {}
    return {
        relation.get("Id", ""): (
            relation.get("Type", "").rpartition("/")[2],
            posixpath.normpath(posixpath.join("/", folder, relation.get("Target", ""))).lstrip("/"),
        )
        for relation in archive.parse(relations, parse_document)
        if isinstance(relation.tag, str)
    }


def _shapes(slide: "_Element") -> Iterator[tuple[str, str]]:
    """The blocks of a slide's shapes and tables in their order, each with its kind ("title" for the slide's title)."""
    tables = 0
    for element in slide.iter(f"{_P}sp", f"{_A}tbl"):
        if any(local_name(above.tag) == "fallback" for above in element.iterancestors()):
            continue
        if element.tag == f"{_A}tbl":
            tables += 1
            for row in element.iter(f"{_A}tr"):
                cells = [" ".join(filter(None, map(_text, cell.iter(f"{_A}p")))) for cell in row.iter(f"{_A}tc")]
                if any(cells):
                    yield " | ".join(cells), f"rows of table {tables}"
            continue
        placeholder = element.find(f"{_P}nvSpPr/{_P}nvPr/{_P}ph")
        role = "" if placeholder is None else placeholder.get("type", "obj")
        if role in _FURNITURE:
            continue
        texts = [text for part in element.iter(f"{_A}p") if (text := _text(part))]
        if role in _TITLES and texts:
            yield " ".join(texts), "title"
        else:
            yield from ((text, ITEM if len(texts) > 1 else PARAGRAPH) for text in texts)


def _text(paragraph: "_Element") -> str:
    parts = paragraph.iter(f"{_A}t", f"{_A}br", f"{_A}tab")
    return on_a_line("".join(part.text or "" if part.tag == f"{_A}t" else " " for part in parts))

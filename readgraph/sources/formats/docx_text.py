"""Word documents as plain text: paragraphs, headings, list items, table rows, and the notes at the end."""

import re
from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any

from readgraph.sources.converting import ITEM, PARAGRAPH, Converted
from readgraph.sources.formats.office_reader import CitedNote, OfficeReader
from readgraph.sources.parsing import has_entities, local_name, open_office_archive, parse_xml

if TYPE_CHECKING:
    from docx.document import Document
    from lxml.etree import _Element

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING = re.compile(r"heading (\d)$", re.IGNORECASE)
_CONTENTS = re.compile(r"toc \d", re.I)
_WRAPPERS = frozenset("sdt sdtcontent ins moveto customxml smarttag alternatecontent choice".split())
_SKIPPED = frozenset("del movefrom fallback rt ppr rpr".split())
_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "nobreakhyphen": "-"}
_NOTES = {"footnotereference": "footnote", "endnotereference": "endnote"}


def convert(data: bytes, name: str) -> Converted:
    """The text of a document; places are the paths of its headings. Raises `BadInput` if it can't be opened."""
    from docx import Document

    archive = open_office_archive(data, name, "Word", ".docx")
    archive.check()
    try:
        reader = _DocxReader(Document(BytesIO(data)))
    except Exception:  # python-docx raises many types of errors for damaged files
        raise archive.invalid_error() from None
    reader.read()
    return reader.converted(name)


class _DocxReader(OfficeReader):
    def __init__(self, document: "Document") -> None:
        super().__init__()
        self._body: _Element = document.element.body
        if self._body is None:
            raise ValueError("no body")
        if has_entities(self._body):
            raise ValueError("entities of its own")
        self._levels, self._list_styles, self._contents_styles = _styles(document)
        self._note_bodies = _note_bodies(document)
        self._cited: dict[tuple[str, str], CitedNote] = {}

    def read(self) -> None:
        """Read everything in order; footnotes and endnotes go to the end."""
        self._container(self._body)
        self._add_notes(lambda note: [] if note.body is None else self._cell_texts(note.body))

    def _container(self, container: "_Element") -> None:
        for element in _unwrap_children(container):
            if local_name(element.tag) == "p":
                text, boxes = self._text(element)
                style, is_item = self._style(element)
                if style in self._contents_styles:
                    continue  # a table of contents repeats the headings, which make the outline
                self._add_paragraph(text, boxes, ITEM if is_item else PARAGRAPH, self._levels.get(style))
            elif local_name(element.tag) == "tbl":
                rows = [
                    [cell for cell in _unwrap_children(row) if local_name(cell.tag) == "tc"]
                    for row in _unwrap_children(element)
                ]
                self._add_table(rows, nested=element.find(f".//{_W}tbl") is not None)

    def _cell_texts(self, cell: "_Element") -> "Iterator[str]":
        return (self._text(paragraph)[0] for paragraph in cell.iter(f"{_W}p"))

    def _text(self, element: "_Element") -> "tuple[str, list[_Element]]":
        """The text of a paragraph, and the text boxes that are anchored in it."""
        parts: list[str] = []
        boxes: list[_Element] = []
        waiting = list(reversed(element))
        while waiting:
            child = waiting.pop()
            name = local_name(child.tag)
            if name == "t":
                parts.append(child.text or "")
            elif name == "txbxcontent":
                boxes.append(child)
            elif name in _NOTES:
                key = (_NOTES[name], child.get(f"{_W}id", ""))
                if key not in self._cited:
                    self._cited[key] = self._cite_note(key[0], self._note_bodies.get(key))
                parts.append(self._cited[key].mark)
            elif name not in _SKIPPED:
                parts.append(_SIGNS.get(name, ""))
                waiting.extend(reversed(child))
        return "".join(parts), boxes

    def _style(self, paragraph: "_Element") -> tuple[str, bool]:
        properties = paragraph.find(f"{_W}pPr")
        if properties is None:
            return "", False
        named, number = properties.find(f"{_W}pStyle"), properties.find(f"{_W}numPr/{_W}numId")
        style = "" if named is None else named.get(f"{_W}val", "")
        is_item = style in self._list_styles if number is None else number.get(f"{_W}val") != "0"
        return style, is_item


def _unwrap_children(container: "_Element") -> "Iterator[_Element]":
    """The children, with content controls, insertions and the like replaced by their contents."""
    for child in container:
        name = local_name(child.tag)
        if name in _WRAPPERS:
            yield from _unwrap_children(child)
        elif name not in _SKIPPED:
            yield child


def _styles(document: "Document") -> tuple[dict[str, int], set[str], set[str]]:
    """The heading levels of styles ("Title" is above 1), those of list items, and those of a table of contents."""
    levels: dict[str, int] = {}
    lists, contents = set[str](), set[str]()
    for style in document.styles:
        chain: list[Any] = [style]
        while (base := getattr(chain[-1], "base_style", None)) is not None and len(chain) < 20:
            chain.append(base)
        names = [link.name or "" for link in chain]
        heading = next((match for name in names if (match := _HEADING.match(name))), None)
        if heading or "Title" in names:
            levels[style.style_id] = int(heading[1]) if heading else 0
        elif any(name.startswith("List") and name != "List Paragraph" for name in names):
            lists.add(style.style_id)
        elif any(_CONTENTS.fullmatch(name) for name in names):
            contents.add(style.style_id)
    return levels, lists, contents


def _note_bodies(document: "Document") -> "dict[tuple[str, str], _Element]":
    bodies: dict[tuple[str, str], _Element] = {}
    for relation in document.part.rels.values():
        kind = relation.reltype.rpartition("/")[2].rstrip("s")
        if kind in _NOTES.values() and not relation.is_external:
            root = parse_xml(relation.target_part.blob)
            for note in root if root is not None else ():
                if local_name(note.tag) == kind:
                    bodies[kind, note.get(f"{_W}id", "")] = note
    return bodies

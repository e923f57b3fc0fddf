"""Texts of word processors as plain text: paragraphs, headings, list items, table rows, and the notes at the end.

Here are Word and OpenDocument; RTF shares the reader of blocks, headings, tables and notes.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

from readgraph.sources.converting import ITEM, PARAGRAPH, Blocks, Converted, on_a_line, paragraphs_of, require_text
from readgraph.sources.parsing import (
    Archive,
    elements_named,
    has_entities,
    local_name,
    open_office_archive,
    parse_document,
    parse_xml,
)
from readgraph.sources.places import HeadingPath, Place, note_mark, order_places
from readgraph.state.errors import BadInput

if TYPE_CHECKING:
    from docx.document import Document
    from lxml.etree import _Element


@dataclass(slots=True, eq=False)
class CitedNote:
    """A note: its name ("footnote 2"), its mark in the text, what holds its text, and the label where the mark is."""

    name: str
    mark: str
    body: Any
    cited_at: str = ""


class OfficeReader:
    """Collects the text of a document in order; footnotes and endnotes go to the end, in the order of their marks."""

    def __init__(self) -> None:
        self.blocks = Blocks()
        self.headings: list[Place] = []
        self._path = HeadingPath()
        self._tables = 0
        self._notes: list[CitedNote] = []
        self._unlocated: list[CitedNote] = []
        self._last_numbers = Counter[str]()

    def converted(self, name: str, title: str = "") -> Converted:
        """What was read; raises `BadInput` where that is no text."""
        return Converted(require_text(self.blocks.text(), name), order_places(self.headings), title)

    def _add_paragraph(
        self, text: str, boxes: "Sequence[_Element]" = (), kind: str = PARAGRAPH, level: int | None = None
    ) -> None:
        """Add a paragraph, with a level a heading, and after it the text boxes that are anchored in it."""
        if level is not None and (title := on_a_line(text)):
            self.headings.append(Place(self.blocks.add(title), self._path.enter(level, title)))
        else:
            for number, part in enumerate(paragraphs_of(text)):
                self.blocks.add(part, PARAGRAPH if number else kind)
        self._locate_notes(self._path.label)
        for box in boxes:
            self._container(box)

    def _cite_note(self, kind: str, body: Any = None) -> CitedNote:
        """A note whose mark comes next. Footnotes and endnotes are numbered apart, as word processors print them."""
        self._last_numbers[kind] += 1
        number = self._last_numbers[kind]
        note = CitedNote(f"{kind} {number}", note_mark(f"{'e' if kind == 'endnote' else ''}{number}"), body)
        self._notes.append(note)
        self._unlocated.append(note)
        return note

    def _locate_notes(self, label: str) -> None:
        for note in self._unlocated:
            note.cited_at = label
        self._unlocated.clear()

    def _add_notes(self, texts_of: Callable[[CitedNote], Iterable[str]]) -> None:
        for note in self._notes:  # they become more: a note may refer to others
            text = on_a_line(" ".join(texts_of(note)))
            self._locate_notes(note.name)
            if text:
                start = self.blocks.add(f"{note.mark.strip()} {text}", ITEM)
                self.headings.append(Place(start, ", ".join(filter(None, [note.name, note.cited_at]))))

    def _add_table(self, rows: "Sequence[Sequence[_Element]]", *, nested: bool) -> None:
        """Add the cells of rows; a table that only places what is in it is read as if it were none."""
        self._tables += 1
        is_layout = max(map(len, rows), default=0) < 2 or nested
        for row in rows:
            if is_layout:
                for cell in row:
                    self._container(cell)
            elif any(cells := [on_a_line(" ".join(self._cell_texts(cell))) for cell in row]):
                self.blocks.add(" | ".join(cells), f"rows of table {self._tables}")
        self._locate_notes(self._path.label)

    def _container(self, container: "_Element") -> None:
        raise NotImplementedError

    def _cell_texts(self, cell: "_Element") -> Iterable[str]:
        raise NotImplementedError


_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING = re.compile(r"heading (\d)$", re.IGNORECASE)
_CONTENTS = re.compile(r"toc \d", re.I)
_WRAPPERS = frozenset("sdt sdtcontent ins moveto customxml smarttag alternatecontent choice".split())
_SKIPPED_IN_WORD = frozenset("del movefrom fallback rt ppr rpr".split())
_WORD_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "nobreakhyphen": "-"}
_NOTES = {"footnotereference": "footnote", "endnotereference": "endnote"}


def convert_word(data: bytes, name: str) -> Converted:
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
            elif name not in _SKIPPED_IN_WORD:
                parts.append(_WORD_SIGNS.get(name, ""))
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
        elif name not in _SKIPPED_IN_WORD:
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


_CONTENT, _META, _MANIFEST = "content.xml", "meta.xml", "META-INF/manifest.xml"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_ODT_SIGNS = {"s": " ", "tab": "\t", "line-break": "\n"}
_SKIPPED_IN_ODT = frozenset(
    "tracked-changes annotation annotation-end forms sequence-decls variable-decls user-field-decls"
    " table-of-content ruby-text".split()
)
_DEEPEST_HEADING = 10


def convert_open_document(data: bytes, name: str) -> Converted:
    """The text of a document; places are the paths of its headings. Raises `BadInput` if it can't be opened."""
    archive = Archive(data, name, "OpenDocument")
    if _MANIFEST in archive.members and b"encryption-data" in archive.read(_MANIFEST):
        raise BadInput(f"{name} is locked by a password: save it without one.")
    body = next(elements_named(parse_document(archive.read(_CONTENT)), "body"), None)
    if body is None:
        raise archive.invalid_error()
    reader = _OdtReader()
    reader.read(body)
    return reader.converted(name, archive.title(_META))


class _OdtReader(OfficeReader):
    def read(self, body: "_Element") -> None:
        """Read everything in order; footnotes and endnotes go to the end."""
        self._container(body)
        self._add_notes(lambda note: (self._text(part)[0] for part in note.body.iter(f"{_TEXT}p")))

    def _container(self, container: "_Element", kind: str = PARAGRAPH) -> None:
        """Add the blocks of a container; only the first paragraph of a list item is of its `kind`."""
        for element in container:
            name = local_name(element.tag)
            if name == "h":
                level = element.get(f"{_TEXT}outline-level", "1")
                rank = min(int(level), _DEEPEST_HEADING) if level.isdecimal() and len(level) < 4 else 1
                self._add_paragraph(*self._text(element), level=rank)
            elif name == "p":
                self._add_paragraph(*self._text(element), kind)
                kind = PARAGRAPH
            elif name in ("list-item", "list-header"):
                self._container(element, ITEM)
            elif name == "table":
                rows = [
                    [cell for cell in row if local_name(cell.tag) == "table-cell"]
                    for row in element.iter(f"{_TABLE}table-row")
                    if next(row.iterancestors(f"{_TABLE}table")) is element
                ]
                self._add_table(rows, nested=element.find(f".//{_TABLE}table") is not None)
            elif name and name not in _SKIPPED_IN_ODT:
                self._container(element)

    def _cell_texts(self, cell: "_Element") -> "Iterator[str]":
        return (self._text(part)[0] for part in cell.iter(f"{_TEXT}p", f"{_TEXT}h"))

    def _text(self, element: "_Element") -> "tuple[str, list[_Element]]":
        """The text of a paragraph, and the text boxes that are anchored in it."""
        parts: list[str] = []
        boxes: list[_Element] = []
        waiting: list[_Element | str] = [element]
        while waiting:
            child = waiting.pop()
            if isinstance(child, str):
                parts.append(child)
                continue
            name = local_name(child.tag)
            if name == "text-box":
                boxes.append(child)
            elif name == "note":
                kind = child.get(f"{_TEXT}note-class", "footnote")
                parts += [self._cite_note(kind, body).mark for body in child.findall(f"{_TEXT}note-body")]
            elif name and name not in _SKIPPED_IN_ODT:
                parts.append(_ODT_SIGNS.get(name, child.text or ""))
                for grandchild in reversed(child):
                    waiting += [grandchild.tail or "", grandchild]
        return "".join(parts), boxes

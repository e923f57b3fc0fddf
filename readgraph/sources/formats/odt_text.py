"""OpenDocument texts as plain text: paragraphs, headings, list items, table rows, and the notes at the end."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from readgraph.sources.converting import ITEM, PARAGRAPH, Converted
from readgraph.sources.formats.office_reader import OfficeReader
from readgraph.sources.parsing import Archive, elements_named, local_name, parse_document
from readgraph.state.errors import BadInput

if TYPE_CHECKING:
    from lxml.etree import _Element

_CONTENT, _META, _MANIFEST = "content.xml", "meta.xml", "META-INF/manifest.xml"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_SIGNS = {"s": " ", "tab": "\t", "line-break": "\n"}
_SKIPPED = frozenset(
    "tracked-changes annotation annotation-end forms sequence-decls variable-decls user-field-decls"
    " table-of-content ruby-text".split()
)
_DEEPEST = 10


def convert(data: bytes, name: str) -> Converted:
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
                rank = min(int(level), _DEEPEST) if level.isdecimal() and len(level) < 4 else 1
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
            elif name and name not in _SKIPPED:
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
            elif name and name not in _SKIPPED:
                parts.append(_SIGNS.get(name, child.text or ""))
                for grandchild in reversed(child):
                    waiting += [grandchild.tail or "", grandchild]
        return "".join(parts), boxes

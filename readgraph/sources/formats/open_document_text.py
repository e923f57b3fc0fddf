"""OpenDocument texts as plain text, as they are printed: with their lists' numbers, and the final text of changes."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from readgraph.sources.converting import ITEM, PARAGRAPH, Converted, on_a_line
from readgraph.sources.formats.html_seen import describe_image
from readgraph.sources.formats.office_text import DELETED, EMBEDDED, HIDDEN, PAGE_NUMBER, Cell, OfficeReader
from readgraph.sources.formats.open_document_styles import ListNumbers, TextFormat, TextStyles
from readgraph.sources.formats.open_xml import child, value
from readgraph.sources.formats.symbol_fonts import signs_of
from readgraph.sources.linear_math import linear_math
from readgraph.sources.parsing import Archive, check_tags, elements_named, local_name, parse_document, text_of_first
from readgraph.sources.raised_text import join_runs
from readgraph.state.errors import BadInput

if TYPE_CHECKING:
    from lxml.etree import _Element

_CONTENT, _STYLES, _META, _MANIFEST = "content.xml", "styles.xml", "meta.xml", "META-INF/manifest.xml"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_SIGNS = {"s": " ", "tab": "\t", "line-break": "\n"}
_SKIPPED = frozenset(
    "tracked-changes annotation-end forms sequence-decls variable-decls user-field-decls table-of-content ruby-text"
    " desc title number event-listeners".split()
)
_PAGE_FIELDS = frozenset("page-number page-count page-continuation".split())
_BOXES = frozenset("text-box custom-shape rect ellipse circle path polygon caption measure".split())
_APART = _BOXES | {"note", "annotation", "object"}  # what has a text of its own inside of a paragraph
_DEEPEST_HEADING = 10
_MOST_REPEATED = 50  # columns that a repeated cell stands for
Reader = TypeVar("Reader", bound="OpenDocumentReader")


def convert(data: bytes, name: str) -> Converted:
    """The text of a document; places are the paths of its headings. Raises `BadInput` if it can't be opened."""
    reader, body, title = open_document(data, name, OpenDocumentReader)
    reader.read(body)
    return reader.converted(name, title)


def open_document(data: bytes, name: str, kind: type[Reader]) -> "tuple[Reader, _Element, str]":
    """A reader of a document, its body, and its title; raises `BadInput` if it can't be opened."""
    archive = Archive(data, name, "OpenDocument")
    if _MANIFEST in archive.members and b"encryption-data" in archive.read(_MANIFEST):
        raise BadInput(f"{name} is locked by a password: save it without one.")
    check_tags((data := archive.read(_CONTENT)).count(b"<"), name)
    content = parse_document(data)
    body = next(elements_named(content, "body"), None)
    if content is None or body is None:
        raise archive.invalid_error()
    styles = parse_document(archive.read(_STYLES)) if _STYLES in archive.members else None
    return kind(archive, content, styles), body, archive.title(_META)


class OpenDocumentReader(OfficeReader):
    """Reads the text of a document of any kind: what stands in it, and how its styles set it."""

    def __init__(self, archive: Archive, content: "_Element", styles: "_Element | None") -> None:
        super().__init__()
        self.archive = archive
        self._page_styles, self.in_furniture = styles, False
        self._styles = TextStyles(styles, content)
        self._numbers = ListNumbers(styles, content)
        self._controls = {
            value(element, "id"): element for forms in elements_named(content, "forms") for element in forms.iter()
        }
        self._lists: list[tuple[str, str]] = []  # the open ones: whose counters they use, and their style
        self._last_of_style: dict[str, str] = {}

    def read(self, body: "_Element") -> None:
        """Read everything in order; footnotes, endnotes, comments, and heads and feet of pages go to the end."""
        for _ in elements_named(body, "deletion"):
            self.left_out.add(DELETED)
        self._container(body)
        self._add_notes(lambda note: self._cell_texts(note.body))
        self.in_furniture = True
        for kind in ("Header", "Footer"):
            for name in (kind.lower(), f"{kind.lower()}-first", f"{kind.lower()}-left"):
                for element in elements_named(self._page_styles, name):
                    self._add_furniture(kind, self._cell_texts(element))

    def _container(self, container: "Iterable[_Element]", kind: str = PARAGRAPH, number: str = "") -> None:
        """Add the blocks of a container; only the first paragraph of a list item is of its `kind`."""
        for element in container:
            name = local_name(element.tag)
            if name == "h":
                self._heading(element, number)
            elif name == "p":
                runs = self._text(element)
                text = f"{number} {runs[0].lstrip()}" if number and runs[0].strip() else runs[0]
                self._add_paragraph(text, runs[1], kind)
                kind, number = PARAGRAPH, ""
            elif name == "list":
                self._list(element)
            elif name in ("list-item", "list-header"):
                self._container(element, ITEM, self._number_of(element) if name == "list-item" else "")
            elif name == "table":
                self._add_table(list(self._rows(element)), nested=element.find(f".//{_TABLE}table") is not None)
            elif name in ("object", "image"):
                self._add_paragraph(self.object_text(element) if name == "object" else picture_text(element))
            elif value(element, "display") == "none" and name == "section":
                self._leave_out(HIDDEN)
            elif name and name not in _SKIPPED:
                self._container(element)

    def _heading(self, element: "_Element", number: str) -> None:
        level = value(element, "outline-level", default="1")
        rank = min(int(level), _DEEPEST_HEADING) if level.isdecimal() and len(level) < 4 else 1
        text, boxes = self._text(element)
        if text.strip() and value(element, "is-list-header") != "true":
            number = number or self._numbers.next_number("", "", rank, value(element, "start-value"))
            text = f"{number} {text.lstrip()}" if number else text
        self._add_paragraph(text, boxes, level=rank)

    def _list(self, element: "_Element") -> None:
        if self._lists:
            counters, style = self._lists[-1][0], value(element, "style-name") or self._lists[-1][1]
        else:
            style = value(element, "style-name") or self._styles.list_style(_first_style(element))
            counters = self._counters(element, style)
        self._lists.append((counters, style))
        self._container(element, ITEM)
        self._lists.pop()

    def _counters(self, element: "_Element", style: str) -> str:
        """Whose numbers a list goes on with: its own, those of the list that it names, or of the last of its style."""
        own = value(element, "id") or f"{len(self._last_of_style)} {style}"
        goes_on = value(element, "continue-list") or (
            self._last_of_style.get(style, "") if value(element, "continue-numbering") == "true" else ""
        )
        if not goes_on:
            self._numbers.begin_anew(own)
        self._last_of_style[style] = goes_on or own
        return goes_on or own

    def _number_of(self, item: "_Element") -> str:
        """The number of a list item; an item that only holds a list has none of its own."""
        first = next((local_name(element.tag) for element in item if local_name(element.tag)), "")
        if not self._lists or first == "list":
            return ""
        counters, style = self._lists[-1]
        style = value(item, "style-override") or style
        return self._numbers.next_number(counters, style, len(self._lists), value(item, "start-value"))

    def _rows(self, table: "_Element") -> Iterator[list[Cell]]:
        for row in table.iter(f"{_TABLE}table-row"):
            if next(row.iterancestors(f"{_TABLE}table")) is not table:
                continue
            if value(row, "visibility") in ("collapse", "filter"):
                self._leave_out(HIDDEN)
                continue
            cells, covered = list[Cell](), 0
            for cell in row:
                name, repeated = local_name(cell.tag), value(cell, "number-columns-repeated", default="1")
                times = min(int(repeated), _MOST_REPEATED) if repeated.isdecimal() else 1
                if name == "table-cell":
                    span = value(cell, "number-columns-spanned", default="1")
                    covered = min(int(span), _MOST_REPEATED) - 1 if span.isdecimal() else 0
                    cells.append((cell, 1 + covered))
                elif name == "covered-table-cell":
                    above = max(0, times - covered)
                    covered = max(0, covered - times)
                    cells += [(None, 1)] * above
            yield cells

    def _cell_texts(self, cell: "_Element") -> "Iterator[str]":
        for part in cell.iter(f"{_TEXT}p", f"{_TEXT}h"):
            if not any(local_name(above.tag) in _APART for above in _between(part, cell)):
                text, boxes = self._text(part)
                yield text
                for box in boxes:
                    yield from self._cell_texts(box)

    def _text(self, element: "_Element") -> "tuple[str, list[_Element]]":
        """The text of a paragraph, and the text boxes that are anchored in it."""
        runs = _Runs(self)
        form = self._styles.format_of("paragraph", value(element, "style-name"), TextFormat())
        runs.add_inside(element, form)
        for thing in runs.left_out:
            self._leave_out(thing)
        return join_runs(runs.runs), runs.boxes

    def drawn_texts(self, container: "_Element") -> Iterator[str]:
        """The texts of the boxes, charts and formulas in an element."""
        for element in container.iter():
            name = local_name(element.tag)
            if name == "object":
                yield from self.object_text(element).split("\n")
            elif name in _BOXES:
                yield from self._cell_texts(element)

    def cell_texts(self, cell: "_Element") -> Iterator[str]:
        """The paragraphs of a cell, without what is anchored in it."""
        return self._cell_texts(cell)

    def is_hidden(self, family: str, style: str) -> bool:
        """Whether a sheet or slide with this style is hidden."""
        return self._styles.is_hidden(family, style)

    def format_of_cell(self, style: str) -> TextFormat:
        """How the text of a sheet's cell with this style is set."""
        return self._styles.format_of("table-cell", style, TextFormat())

    def format_of(self, name: str, usual: TextFormat) -> TextFormat:
        """How a span with this style is set."""
        return self._styles.format_of("text", name, usual) if name else usual

    def mark_note(self, kind: str, body: "_Element", author: str = "") -> str:
        """The mark of a note or comment, whose text goes to the end."""
        return self._cite_note(kind, body, author).mark

    def control_text(self, identity: str) -> str:
        """What a field of a form shows."""
        control = self._controls.get(identity)
        if control is None:
            return ""
        name, label = local_name(control.tag), value(control, "label")
        if name in ("checkbox", "radio"):
            is_on = "checked" in (value(control, "current-state"), value(control, "state")) or (
                value(control, "current-selected", default=value(control, "selected")) == "true"
            )
            return f"{'☒' if is_on else '☐'} {label}".strip()
        chosen = [
            value(element, "label")
            for element in control
            if value(element, "current-selected", default=value(element, "selected")) == "true"
        ]
        return ", ".join(chosen) or value(control, "current-value") or value(control, "value") or label

    def object_text(self, element: "_Element") -> str:
        """A formula or a chart that stands in a member of its own, or in the element itself."""
        root = next(elements_named(element, "math"), None)
        member = f"{value(element, 'href').removeprefix('./').rstrip('/')}/{_CONTENT}"
        if root is None and member in self.archive.members:
            root = parse_document(self.archive.read(member))
        if root is not None and local_name(root.tag) == "math":
            return linear_math(root)
        texts = list(map(on_a_line, _lines_of_chart(root)))
        if not any(texts):
            self._leave_out(EMBEDDED)
        return "\n".join(filter(None, texts))


class _Runs:
    """The runs of a paragraph, each with its height, and the boxes that are anchored in it."""

    def __init__(self, reader: OpenDocumentReader) -> None:
        self.reader = reader
        self.runs: list[tuple[str, str]] = []
        self.boxes: list[_Element] = []
        self.left_out: list[str] = []

    def add_inside(self, element: "_Element", form: TextFormat) -> None:
        """Add what is in an element."""
        self._put(element.text or "", form)
        for each in element:
            self._add(each, form)
            self._put(each.tail or "", form)

    def _add(self, element: "_Element", form: TextFormat) -> None:
        name = local_name(element.tag)
        if name in _BOXES:
            self.boxes.append(element)
        elif name == "note":
            kind = value(element, "note-class", default="footnote")
            for body in (each for each in element if local_name(each.tag) == "note-body"):
                self.runs.append((self.reader.mark_note(kind, body), ""))
        elif name == "annotation":
            author = text_of_first(each for each in element if local_name(each.tag) == "creator")
            self.runs.append((self.reader.mark_note("comment", element, author), ""))
        elif name == "image":
            self._put_apart(picture_text(element))
        elif name == "control":
            self._put_apart(self.reader.control_text(value(element, "control")))
        elif name == "object":
            self._put_apart(self.reader.object_text(element))
        elif name in _PAGE_FIELDS:
            self._put_apart(PAGE_NUMBER if self.reader.in_furniture else "")
        elif name in ("hidden-text", "hidden-paragraph") and value(element, "is-hidden", default="true") != "false":
            self.left_out.append(HIDDEN)
        elif name and name not in _SKIPPED:
            self._put(_SIGNS.get(name, ""), form)
            self.add_inside(
                element, self.reader.format_of(value(element, "style-name") if name == "span" else "", form)
            )

    def _put(self, text: str, form: TextFormat) -> None:
        if text and not form.left_out:
            self.runs.append((signs_of(form.font, text), form.height))
        elif text.strip():
            self.left_out.append(form.left_out)

    def _put_apart(self, text: str) -> None:
        if text:
            self.runs.append((f" {text} ", ""))


def picture_text(image: "_Element") -> str:
    """What is said of a picture."""
    frame = image.getparent()
    return describe_image(
        {"alt": text_of_first(element for name in ("desc", "title") if (element := child(frame, name)) is not None)}
    )


def _lines_of_chart(root: "_Element | None") -> Iterator[str]:
    """The titles of a chart, and its values as rows; of another object all its paragraphs."""
    for element in elements_named(root, "p"):
        if not any(local_name(above.tag) == "table" for above in element.iterancestors()):
            yield "".join(element.itertext())
    rows = [
        [text_of_first(elements_named(cell, "p")) for cell in row if local_name(cell.tag) == "table-cell"]
        for row in elements_named(root, "table-row")
    ]
    for row in rows[1:]:
        values = (f"{name}: {text}" for name, text in zip(rows[0][1:], row[1:], strict=False) if text)
        yield " | ".join([*row[:1], *values])


def _between(element: "_Element", outer: "_Element") -> "Iterator[_Element]":
    for above in element.iterancestors():
        if above is outer:
            return
        yield above


def _first_style(container: "_Element") -> str:
    first = next((element for element in container.iter(f"{_TEXT}p", f"{_TEXT}h")), None)
    return value(first, "style-name")

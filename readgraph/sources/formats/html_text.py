"""HTML as plain text: the words in their order, without scripts, styles and navigation; data tables become rows."""

import re
from collections.abc import Mapping
from itertools import chain

from readgraph.sources.converting import (
    ITEM,
    PARAGRAPH,
    Blocks,
    Converted,
    normal,
    on_a_line,
    paragraphs_of,
    require_text,
)
from readgraph.sources.encodings import decode_html
from readgraph.sources.parsing import feed_html, feed_xhtml, local_name
from readgraph.sources.places import HeadingPath, Place, note_mark, order_places
from readgraph.state.records import find_date

COLUMN_OF_PARAGRAPHS = 3  # a table is a layout table if one of its cells has at least this many paragraphs
Block = tuple[str, str]  # text and kind


class PageBlocks(Blocks):
    """The blocks of a page; those of a table wait until it is known what kind of table it is.

    Only an innermost one without a heading or preformatted text in its cells can be a data table; others are layout.
    """

    def __init__(self) -> None:
        super().__init__()
        self.anchors: dict[str, int] = {}
        self.pending: list[str] = []  # anchors of the next block
        self._open: list[list[list[list[Block]]] | None] = []  # rows of cells; None for a table that is layout
        self._tables = 0

    def put(self, text: str, kind: str) -> None:
        """Add a block to the last cell of the open table; where no cell is open (or only a caption is), to the page."""
        table = self._open[-1] if self._open else None
        if row := next((row for row in reversed(table or ()) if row), None):
            row[-1].append((text, kind))
        else:
            self.add(text, kind)

    def add(self, text: str, kind: str = PARAGRAPH) -> int:
        """Append a block, and return its offset, to which the pending anchors lead."""
        start = super().add(text, kind)
        for name in self.pending:
            self.anchors.setdefault(name, start)
        self.pending.clear()
        return start

    def open_table(self) -> None:
        """Begin a table."""
        self.lay_out()
        self._open.append([])

    def open_cell(self, tag: str) -> None:
        """Begin a row (tr) or a cell (td, th)."""
        table = self._open[-1] if self._open else None
        if table is None or tag not in ("tr", "td", "th"):
            return
        if tag == "tr" or not table:
            table.append([])
        if tag != "tr":
            table[-1].append([])

    def close_table(self) -> None:
        """End the innermost table: one for layout has one column, or a cell with many paragraphs."""
        table = self._open[-1] if self._open else None
        if table is not None:
            self._tables += 1
            paragraphs = (sum(kind == PARAGRAPH for _, kind in cell) for row in table for cell in row)
            if max(map(len, table), default=0) < 2 or max(paragraphs, default=0) >= COLUMN_OF_PARAGRAPHS:
                self.lay_out()
            else:
                for row in filter(any, table):
                    cells = [" ".join(" ".join(text for text, _ in cell).split()) for cell in row]
                    self.add(" | ".join(cells), f"rows of table {self._tables}")
        del self._open[-1:]

    def lay_out(self) -> None:
        """Treat the innermost table as layout: its contents, so far and from now on, become blocks of the page."""
        if self._open:
            table, self._open[-1] = self._open[-1] or [], None
            for text, kind in chain.from_iterable(chain.from_iterable(table)):
                self.add(text, kind)


_XHTML = re.compile(r"^\s*<\?xml\b|<html\b[^>]*\bxmlns\s*=")

_SKIPPED = frozenset(
    "script style nav template noscript svg iframe object canvas audio video select button textarea datalist".split()
)
_DATES = {"article:published_time", "date", "DC.date", "dcterms.date", "datePublished"}
_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure"
    " footer form header hgroup hr html legend li main menu ol optgroup p pre section summary table tbody td tfoot th"
    " thead tr ul".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_ENDS_HEADING = frozenset("p table ul ol dl pre blockquote".split())
_MARK = re.compile(r"\s*[\[(]?(\d{1,3}|[*†‡§]{1,3})[\])]?\s*")
_NOT_SHOWN = re.compile(r"display\s*:\s*none", re.IGNORECASE)


def convert(data: bytes, name: str) -> Converted:
    """The text of a page; places are the paths of its headings. Raises `BadInput` if it holds no text."""
    page = read_page(data, name)
    return Converted(require_text(page.blocks.text(), name), order_places(page.headings), page.title, date=page.date)


def read_page(data: bytes, name: str) -> "HtmlPage":
    """Parse HTML or XHTML; XHTML that is not well-formed is parsed as HTML. Raises `BadInput` for binary data."""
    html = decode_html(data, name)
    page = HtmlPage()
    if _XHTML.search(html[:4096]) and feed_xhtml(html, page):
        return page
    page = HtmlPage()
    feed_html(html, page)
    return page


class HtmlPage:
    """Text, headings and anchors of a page, collected while its parser calls `start`, `data` and `end`.

    Items of a numbered list keep their numbers; a link to a note becomes " [^1]".
    """

    def __init__(self) -> None:
        self.blocks = PageBlocks()
        self.headings: list[Place] = []
        self.first_heading: tuple[int, str] | None = None
        self.title = self.date = ""
        self._path = HeadingPath()
        self._parts: list[str] = []
        self._title_parts: list[str] | None = None
        self._skipped = self._pre = self._heading = 0
        self._raised = 0
        self._in_link = self._is_linked = self._to_note = False
        self._link = 0
        self._item: str | None = None
        self._numbers: list[int | None] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Called by the parser for a start tag."""
        tag = local_name(tag)
        if self._skipped or tag in _SKIPPED or _is_hidden(attributes):
            self._skipped += 1
            return
        if anchor := attributes.get("id") or (attributes.get("name") if tag == "a" else None):
            self.blocks.pending.append(anchor)
        if tag == "meta" and {attributes.get("name"), attributes.get("property"), attributes.get("itemprop")} & _DATES:
            self.date = self.date or find_date(attributes.get("content", ""))
        if tag == "title":
            self._title_parts = []
        elif tag == "br":
            self._parts.append("\n")
        elif tag == "sup":
            self._raised, self._is_linked = len(self._parts), self._in_link
        elif tag == "a" and "href" in attributes:
            self._in_link = self._is_linked = True
            self._link, self._to_note = len(self._parts), self._is_to_note(attributes)
        elif tag in _HEADINGS:
            self._flush()
            self.blocks.lay_out()
            self._heading = _HEADINGS[tag]
        elif tag in _BLOCKS and self._heading and tag not in _ENDS_HEADING:
            self._parts.append(" ")
        elif tag in _BLOCKS:
            self._open_block(tag, attributes)

    def data(self, data: str) -> None:
        """Called by the parser for text."""
        if self._skipped:
            return
        if self._title_parts is not None:
            self._title_parts.append(data)
        elif self._pre:
            self._parts.append(data.replace("\r\n", "\n"))
        else:
            self._parts.append(data.replace("\n", " "))

    def end(self, tag: str) -> None:
        """Called by the parser for an end tag, also for one that it added."""
        tag = local_name(tag)
        if self._skipped:
            self._skipped -= 1
        elif tag == "title":
            self.title = self.title or on_a_line("".join(self._title_parts or []))
            self._title_parts = None
        elif tag == "sup" and self._is_linked:
            self._part_mark(self._raised)
        elif tag == "a":
            if self._in_link and self._to_note:
                self._part_mark(self._link)
            self._in_link = self._to_note = False
        elif tag in _HEADINGS:
            self._flush()
            self._heading = 0
        elif tag in _BLOCKS and self._heading and tag not in _ENDS_HEADING:
            self._parts.append(" ")
        elif tag in _BLOCKS:
            self._flush()
            if tag == "pre":
                self._pre = max(0, self._pre - 1)
            elif tag in ("ul", "ol", "menu", "dir") and self._numbers:
                self._numbers.pop()
            elif tag in ("li", "dt", "dd"):
                self._item = None
            elif tag == "table":
                self.blocks.close_table()

    def close(self) -> None:
        """Called by the parser at the end."""
        self._flush()
        self.blocks.lay_out()

    def _is_to_note(self, attributes: Mapping[str, str]) -> bool:
        """Whether a link that begins here may lead to a note: it says so, or is joined to a word."""
        if attributes.get("role") == "doc-noteref":
            return True
        if any(local_name(name) in ("type", "epub:type") and "noteref" in attributes[name] for name in attributes):
            return True
        before = next((part[-1] for part in reversed(self._parts) if part), " ")
        return "#" in attributes["href"] and not before.isspace()

    def _part_mark(self, start: int) -> None:
        """Part the mark of a note, which begins at this part, from the word before it."""
        if mark := _MARK.fullmatch("".join(self._parts[start:])):
            self._parts[start:] = [note_mark(mark[1])]

    def _open_block(self, tag: str, attributes: Mapping[str, str]) -> None:
        if self._flush():
            self._heading = 0
        if tag == "pre":
            self.blocks.lay_out()
            self._pre += 1
        elif tag in ("ul", "ol", "menu", "dir"):
            self._numbers.append(_number(attributes.get("start"), 1) if tag == "ol" else None)
        elif tag in ("li", "dt", "dd"):
            self._item, number = "", self._numbers[-1] if self._numbers else None
            if tag == "li" and number is not None:  # in a numbered list
                number = _number(attributes.get("value"), number)
                self._item, self._numbers[-1] = f"{number}. ", number + 1
        elif tag == "table":
            self.blocks.open_table()
        else:
            self.blocks.open_cell(tag)

    def _flush(self) -> bool:
        """Make a block of the text since the last one; returns whether there was any."""
        text = "".join(self._parts)
        self._parts.clear()
        if not text or text.isspace():
            return False
        if self._heading:
            title = on_a_line(text)
            self.headings.append(Place(self.blocks.add(title), self._path.enter(self._heading, title)))
            self.first_heading = self.first_heading or (self._heading, title)
            return True
        for block in [normal(text).strip("\n").rstrip()] if self._pre else paragraphs_of(text):
            kind, marker = (PARAGRAPH, "") if self._item is None else (ITEM, self._item)
            self._item = None
            self.blocks.put(marker + block, kind)
        return True


def _is_hidden(attributes: Mapping[str, str]) -> bool:
    return (
        attributes.get("hidden", "until-found") != "until-found"
        or attributes.get("role") == "navigation"
        or bool(_NOT_SHOWN.search(attributes.get("style", "")))
    )


def _number(value: str | None, default: int) -> int:
    return int(value) if value and re.fullmatch(r"-?\d{1,9}", value.strip()) else default

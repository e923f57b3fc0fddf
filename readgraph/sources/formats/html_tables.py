"""The blocks of a web page with its tables: rows of cells for data tables, the cells' blocks for layout tables."""

from collections.abc import Iterator
from itertools import chain

from readgraph.sources.blocks import PARAGRAPH, Blocks

COLUMN_OF_PARAGRAPHS = 3
"""A table is a layout table if one of its cells has at least this many paragraphs."""

Block = tuple[str, str]
"""Text and kind."""


class PageBlocks(Blocks):
    """The blocks of a page; those of a table wait until it is known what kind of table it is.

    Only an innermost table can be a data table: a table, a heading or preformatted text inside its cells shows that a
    table is used for the page's layout.
    """

    def __init__(self) -> None:
        super().__init__()
        self.anchors: dict[str, int] = {}
        self._pending: list[str] = []
        self._open: list[_Table | None] = []
        self._tables = 0

    def anchor(self, name: str) -> None:
        """Name the next block, so that links can lead to it."""
        self._pending.append(name)

    def put(self, text: str, kind: str) -> None:
        """Add a block to the open table, or to the page if no table is open."""
        table = self._open[-1] if self._open else None
        if table is None or not table.put(text, kind):
            self.add(text, kind)

    def add(self, text: str, kind: str = PARAGRAPH) -> int:
        """Append a block, and return its offset, to which the pending anchors lead."""
        start = super().add(text, kind)
        for name in self._pending:
            self.anchors.setdefault(name, start)
        self._pending.clear()
        return start

    def open_table(self) -> None:
        """Begin a table."""
        self.lay_out()
        self._open.append(_Table())

    def open_cell(self, tag: str) -> None:
        """Begin a row (tr) or a cell (td, th)."""
        if self._open and (table := self._open[-1]):
            table.open(tag)

    def close_table(self) -> None:
        """End the innermost table."""
        table = self._open.pop() if self._open else None
        if table:
            self._tables += 1
            rows = None if table.lays_out() else f"rows of table {self._tables}"
            for text, kind in table.contents() if rows is None else table.rows(rows):
                self.add(text, kind)

    def lay_out(self) -> None:
        """Treat the innermost table as layout: its contents, so far and from now on, become blocks of the page."""
        if self._open and (table := self._open[-1]):
            self._open[-1] = None
            for text, kind in table.contents():
                self.add(text, kind)


class _Table:
    def __init__(self) -> None:
        self._rows: list[list[list[Block]]] = []

    def open(self, tag: str) -> None:
        if tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            if not self._rows:
                self._rows.append([])
            self._rows[-1].append([])

    def put(self, text: str, kind: str) -> bool:
        """Add a block to the last cell; false if there is none yet (a caption)."""
        row = next((row for row in reversed(self._rows) if row), None)
        if row is None:
            return False
        row[-1].append((text, kind))
        return True

    def contents(self) -> Iterator[Block]:
        """All blocks, cell by cell."""
        return chain.from_iterable(chain.from_iterable(self._rows))

    def rows(self, kind: str) -> Iterator[Block]:
        """One block for each row that isn't empty."""
        return ((" | ".join(map(_text_of, row)), kind) for row in self._rows if any(row))

    def lays_out(self) -> bool:
        """Whether this is a layout table: it has one column, or a cell with many paragraphs."""
        paragraphs = (sum(kind == PARAGRAPH for _, kind in cell) for row in self._rows for cell in row)
        return max(map(len, self._rows), default=0) < 2 or max(paragraphs, default=0) >= COLUMN_OF_PARAGRAPHS


def _text_of(cell: list[Block]) -> str:
    return " ".join(" ".join(text.split()) for text, _ in cell)

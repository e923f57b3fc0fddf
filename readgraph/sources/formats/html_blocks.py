"""The blocks of a page of HTML: paragraphs, items of lists, and tables, whose cells wait until their kind is known."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain

from readgraph.sources.converting import PARAGRAPH, Blocks, join_lines

COLUMN_OF_PARAGRAPHS = 3  # a table is a layout table if one of its cells has at least this many paragraphs
WIDEST = 100  # columns, or rows, to which the value of one cell is given
Block = tuple[str, str]  # text and kind


@dataclass(slots=True)
class _Cell:
    """A cell, and how many columns and rows it covers."""

    columns: int = 1
    rows: int = 1
    blocks: list[Block] = field(default_factory=list)

    @property
    def text(self) -> str:
        return join_lines("\n".join([text for text, _ in self.blocks]))


class PageBlocks(Blocks):
    """The blocks of a page; those of a table wait until it is known what kind of table it is.

    Only an innermost one without a heading or preformatted text in its cells can be a data table; others are layout.
    """

    def __init__(self) -> None:
        super().__init__()
        self.anchors: dict[str, int] = {}
        self.pending: list[str] = []  # anchors of the next block
        self._open: list[list[list[_Cell]] | None] = []  # rows of cells; None for a table that is layout
        self._tables = 0

    def put(self, text: str, kind: str) -> None:
        """Add a block to the last cell of the open table; where no cell is open (or only a caption is), to the page."""
        table = self._open[-1] if self._open else None
        if row := next((row for row in reversed(table or ()) if row), None):
            row[-1].blocks.append((text, kind))
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

    def open_cell(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Begin a row (tr) or a cell (td, th)."""
        table = self._open[-1] if self._open else None
        if table is None or tag not in ("tr", "td", "th"):
            return
        if tag == "tr" or not table:
            table.append([])
        if tag != "tr":
            table[-1].append(_Cell(_span(attributes.get("colspan", "")), _span(attributes.get("rowspan", ""))))

    def close_table(self) -> None:
        """End the innermost table: one for layout has one column, or a cell with many paragraphs."""
        table = self._open[-1] if self._open else None
        if table is not None:
            self._tables += 1
            paragraphs = (sum(kind == PARAGRAPH for _, kind in cell.blocks) for row in table for cell in row)
            if max(map(len, table), default=0) < 2 or max(paragraphs, default=0) >= COLUMN_OF_PARAGRAPHS:
                self.lay_out()
            else:
                for row in filter(any, _spread(table)):
                    self.add(" | ".join(row), f"rows of table {self._tables}")
        del self._open[-1:]

    def lay_out(self) -> None:
        """Treat the innermost table as layout: its contents, so far and from now on, become blocks of the page."""
        if self._open:
            table, self._open[-1] = self._open[-1] or [], None
            for text, kind in chain.from_iterable(cell.blocks for row in table for cell in row):
                self.add(text, kind)


def _span(value: str) -> int:
    return min(max(int(value), 1), WIDEST) if value.strip().isdecimal() else 1


def _spread(table: list[list[_Cell]]) -> list[list[str]]:
    """The texts of the cells in rows: a merged cell gives its value to all that it covers, but not to a whole row."""
    from_above = dict[int, tuple[str, int]]()  # column: a value that goes on, and for how many more rows
    rows = list[list[str]]()
    for cells in table:
        row = list[str]()
        for cell in [*cells, None]:
            while from_above.get(len(row), ("", 0))[1] and (cell or max(from_above) >= len(row)):
                text, left = from_above[len(row)]
                from_above[len(row)] = text, left - 1
                row.append(text)
            if cell:
                text, columns = cell.text, 1 if len(cells) == 1 and not row else cell.columns
                for column in range(len(row), len(row) + columns):
                    from_above[column] = text, cell.rows - 1
                row += [text] * columns
        rows.append(row)
    return rows

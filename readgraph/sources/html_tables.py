"""Tables of a web page: rows of cells where it has columns, else the blocks that stand in them."""

from collections.abc import Iterator
from itertools import chain, count

from readgraph.sources.blocks import PARAGRAPH

COLUMN_OF_PARAGRAPHS = 3
"""A cell with so many paragraphs makes its table one that lays out the page."""

Block = tuple[str, str]
"""Text and kind."""

_numbers = count()


class Table:
    """A table's cells, row by row, while it is read."""

    def __init__(self) -> None:
        self._rows: list[list[list[Block]]] = []

    def open(self, tag: str) -> None:
        """A row or a cell begins."""
        if tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            if not self._rows:
                self._rows.append([])
            self._rows[-1].append([])

    def put(self, text: str, kind: str) -> bool:
        """Keep a block of the cell that is open; False before the first cell (a caption)."""
        if not any(self._rows):
            return False
        row = next(row for row in reversed(self._rows) if row)
        row[-1].append((text, kind))
        return True

    def contents(self) -> Iterator[Block]:
        """All blocks, cell by cell."""
        return chain.from_iterable(chain.from_iterable(self._rows))

    def blocks(self) -> Iterator[Block]:
        """What the table becomes."""
        if self._lays_out():
            return self.contents()
        kind = f"rows of table {next(_numbers)}"
        return ((" | ".join(map(_cell, row)), kind) for row in self._rows if any(row))

    def _lays_out(self) -> bool:
        columns = max(map(len, self._rows), default=0)
        return columns < 2 or any(
            sum(kind == PARAGRAPH for _, kind in cell) >= COLUMN_OF_PARAGRAPHS for row in self._rows for cell in row
        )


def _cell(blocks: list[Block]) -> str:
    return " ".join(" ".join(text.split()) for text, _ in blocks)

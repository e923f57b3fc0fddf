"""What the readers of Word, OpenDocument and RTF share: blocks, headings, tables, and the notes at the end."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from readgraph.sources.converting import ITEM, PARAGRAPH, Blocks, Converted, on_a_line, paragraphs_of, require_text
from readgraph.sources.places import HeadingPath, NotePlaces, Place, order_places

if TYPE_CHECKING:
    from lxml.etree import _Element


class OfficeReader:
    """Collects the text of a document in order; footnotes and endnotes go to the end, by their numbers in the text."""

    def __init__(self) -> None:
        self.blocks = Blocks()
        self.headings: list[Place] = []
        self._path = HeadingPath()
        self._marked = NotePlaces()
        self._tables = 0

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
        self._marked.locate(self._path.label)
        for box in boxes:
            self._container(box)

    def _add_note(self, number: int, texts: Iterable[str]) -> None:
        text = on_a_line(" ".join(texts))
        self._marked.locate(self._marked.name(number))  # those that this note refers to
        if text:
            start = self.blocks.add(f"{self._marked.mark(number).strip()} {text}", ITEM)
            self.headings.append(self._marked.place(number, start))

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
        self._marked.locate(self._path.label)

    def _container(self, container: "_Element") -> None:
        """Add the blocks of a container."""
        raise NotImplementedError

    def _cell_texts(self, cell: "_Element") -> Iterable[str]:
        """The paragraphs of a cell."""
        raise NotImplementedError

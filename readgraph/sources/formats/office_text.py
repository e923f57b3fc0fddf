"""What the texts of word processors share: blocks, headings, tables, notes at the end, and notices of what is left out.

Word, OpenDocument and Rich Text Format each have a reader of their own.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from readgraph.sources.converting import (
    ITEM,
    PARAGRAPH,
    Blocks,
    Converted,
    join_lines,
    on_a_line,
    paragraphs_of,
    require_text,
)
from readgraph.sources.left_out import LeftOut
from readgraph.sources.places import HeadingPath, Place, note_mark, order_places

if TYPE_CHECKING:
    from lxml.etree import _Element

DELETED = "passage that is deleted or struck out"
HIDDEN = "passage that is hidden and not printed"
EQUATION = "formula that is kept as a picture"
EMBEDDED = "embedded file"
SIGN = "sign that is not known of a font whose letters are signs"
Cell = tuple["_Element | None", int]
"""A table's cell and how many columns it takes; None where one above covers it, whose value it then has."""

PAGE_NUMBER = "\0"
"""What stands for a number of pages in what is read of their heads and feet."""

_PIECES = re.compile(r"[\t\n]")
_FEWEST_WORDS = 4  # that say something beside a page's number
_LETTERS = {"endnote": "e", "comment": "c"}  # that set the marks of their kind apart


@dataclass(slots=True, eq=False)
class CitedNote:
    """A note: its name ("footnote 2"), its mark in the text, what holds its text, and the label where the mark is."""

    name: str
    mark: str
    body: Any
    cited_at: str = ""
    author: str = ""


def _says(piece: str) -> bool:
    return PAGE_NUMBER not in piece or len(piece.replace(PAGE_NUMBER, " ").split()) >= _FEWEST_WORDS


class OfficeReader:
    """Collects the text of a document in order; footnotes, endnotes and comments go to the end, as their marks come.

    So do the heads and feet of pages.
    """

    def __init__(self) -> None:
        self.blocks = Blocks()
        self.headings: list[Place] = []
        self.left_out = LeftOut()
        self._path = HeadingPath()
        self._tables = 0
        self._notes: list[CitedNote] = []
        self._unlocated: list[CitedNote] = []
        self._last_numbers = Counter[str]()

    def converted(self, name: str, title: str = "") -> Converted:
        """What was read; raises `BadInput` where that is no text."""
        text = require_text(self.blocks.text(), name)
        return Converted(text, order_places(self.headings), title, self.left_out.problems(name))

    def _leave_out(self, thing: str) -> None:
        self.left_out.add(thing, self._path.label)

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

    def _cite_note(self, kind: str, body: Any = None, author: str = "") -> CitedNote:
        """A note whose mark comes next. Each kind is numbered apart, as word processors print them."""
        self._last_numbers[kind] += 1
        number = self._last_numbers[kind]
        mark = note_mark(f"{_LETTERS.get(kind, '')}{number}")
        note = CitedNote(f"{kind} {number}", mark, body, author=on_a_line(author))
        self._notes.append(note)
        self._unlocated.append(note)
        return note

    def _locate_notes(self, label: str) -> None:
        for note in self._unlocated:
            note.cited_at = label
        self._unlocated.clear()

    def _add_notes(self, texts_of: Callable[[CitedNote], Iterable[str]]) -> None:
        for note in self._notes:  # they become more: a note may refer to others
            text = join_lines("\n".join(texts_of(note)))
            self._locate_notes(note.name)
            if text:
                said = f"{note.author}: {text}" if note.author else text
                start = self.blocks.add(f"{note.mark.strip()} {said}", ITEM)
                self.headings.append(Place(start, ", ".join(filter(None, [note.name, note.cited_at]))))

    def _add_furniture(self, kind: str, texts: Iterable[str]) -> None:
        """Add what stands at the head or foot of pages, once, where it is nowhere else in the text.

        A short piece between tabs in which a page's number stands (`PAGE_NUMBER`) says nothing without it.
        """
        said = on_a_line(self.blocks.text())
        for text in texts:
            pieces = [on_a_line(piece.replace(PAGE_NUMBER, " ")) for piece in _PIECES.split(text) if _says(piece)]
            if new := " | ".join(piece for piece in pieces if piece not in said):
                self.headings.append(Place(self.blocks.add(f"{kind}: {new}", "heads and feet"), f"page {kind.lower()}"))
                said += f" {new}"

    def _add_table(self, rows: "Sequence[Sequence[Cell]]", *, nested: bool) -> None:
        """Add the cells of rows; a table that only places what is in it is read as if it were none."""
        self._tables += 1
        is_layout = max(map(len, rows), default=0) < 2 or nested
        above: dict[int, str] = {}
        for row in rows:
            column, texts = 0, dict[int, str]()
            for cell, span in row:
                if is_layout and cell is not None:
                    self._container(cell)
                elif not is_layout:
                    own = above.get(column, "") if cell is None else join_lines("\n".join(self._cell_texts(cell)))
                    texts[column] = own
                column += span
            above = texts
            if any(texts.values()):
                self.blocks.add(" | ".join(texts.values()), f"rows of table {self._tables}")
        self._locate_notes(self._path.label)

    def _container(self, container: "_Element") -> None:
        raise NotImplementedError

    def _cell_texts(self, cell: "_Element") -> Iterable[str]:
        raise NotImplementedError

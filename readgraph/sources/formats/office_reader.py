"""What the readers of Word, OpenDocument and RTF share: blocks, headings, tables, and the notes at the end."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from readgraph.sources.converting import ITEM, PARAGRAPH, Blocks, Converted, on_a_line, paragraphs_of, require_text
from readgraph.sources.places import HeadingPath, Place, note_mark, order_places

if TYPE_CHECKING:
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

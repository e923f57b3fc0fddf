"""OpenDocument presentations as plain text: the words of each slide and its notes; places are the slides."""

from typing import TYPE_CHECKING

from readgraph.sources.converting import PARAGRAPH, Converted, on_a_line
from readgraph.sources.formats.open_document_text import OpenDocumentReader, open_document
from readgraph.sources.formats.open_xml import value
from readgraph.sources.formats.pptx_text import hidden_slides_notice
from readgraph.sources.parsing import local_name, text_of_first
from readgraph.sources.places import Place, shorten_label

if TYPE_CHECKING:
    from lxml.etree import _Element

_FURNITURE = frozenset(("date-time", "footer", "page-number", "header"))  # the same on every slide


def convert(data: bytes, name: str) -> Converted:
    """The text of the slides in their order, as that of `pptx_text.convert`; raises `BadInput` for the same causes."""
    reader, body, title = open_document(data, name, _SlidesReader)
    hidden = list[str]()
    for number, page in enumerate((element for element in body.iter() if local_name(element.tag) == "page"), 1):
        reader.read_slide(number, page)
        hidden += [f"slide {number}"] * reader.is_hidden("drawing-page", value(page, "style-name"))
    converted = reader.converted(name, title)
    return converted._replace(problems=(*converted.problems, *hidden_slides_notice(name, hidden)))


class _SlidesReader(OpenDocumentReader):
    def read_slide(self, number: int, page: "_Element") -> None:
        """Read the shapes of a slide, its comments, and the speaker's notes."""
        self.blocks.end_group()
        start = self.blocks.length + 2 * (self.blocks.length > 0)
        title, notes, comments = "", list[str](), list[str]()
        for element in page:
            role, name = value(element, "class"), local_name(element.tag)
            if role in _FURNITURE:
                continue
            if name == "notes":
                notes += self._notes_of(element)
            elif name == "annotation":
                by = text_of_first(each for each in element if local_name(each.tag) == "creator")
                said = on_a_line(" ".join(self._cell_texts(element)))
                comments.append(f"Comment{f' by {by}' if by else ''}: {said}")
            else:
                title = title or (on_a_line(" ".join(self.drawn_texts(element))) if role == "title" else "")
                self._container([element], PARAGRAPH)
        for text in (*(f"{'' if at else 'Notes: '}{text}" for at, text in enumerate(notes)), *comments):
            self._add_paragraph(text)
        if self.blocks.length > start:
            self.headings.append(Place(start, f"slide {number}{f', {shorten_label(title)}' if title else ''}"))

    def _notes_of(self, notes: "_Element") -> list[str]:
        frames = (note for note in notes if value(note, "class") == "notes")
        return [text for frame in frames for text in map(on_a_line, self.drawn_texts(frame)) if text]

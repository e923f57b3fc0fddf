"""Printed lines, of which the text of a page is made."""

from dataclasses import dataclass

SAME_LINE = 0.35  # font sizes that a word may stand above or below the line that it belongs to


@dataclass(slots=True)
class PrintedLine:
    """A printed line, or a piece of one: where it begins (points, from below) and its font size.

    `end` is where it ends, `edge` how far lines of its column go, `first` the width of its first word. `is_row`: of
    a table, or what is typed into a form. `is_apart`: it is a paragraph out of the page's flow. `start` is where the
    line begins in the document's text, once it is joined.
    """

    text: str
    x: float
    y: float
    size: float
    end: float = 0.0
    edge: float | None = None
    first: float = 0.0
    bold: bool = False
    is_row: bool = False
    is_apart: bool = False
    start: int = -1

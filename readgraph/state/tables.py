"""A table that was made of texts, and how an answer shows it."""

import re
from collections.abc import Iterable
from typing import Literal

from typing_extensions import TypedDict

from readgraph.state.reading import Citation
from readgraph.state.words import format_count

ColumnKind = Literal["text", "number", "date"]  # of its values; dates are as exact as they are known


class Row(TypedDict):
    """A row of the table: its values as texts, in the order of the columns, and the quotes that show it."""

    values: list[str]
    citations: list[Citation]


class Table(TypedDict):
    """A table: its columns, by name and kind, and its rows, of which it may hold fewer than the `found` ones."""

    columns: list[str]
    kinds: list[ColumnKind]
    rows: list[Row]
    found: int


NO_TABLE: Table = {"columns": [], "kinds": [], "rows": [], "found": 0}
_UNREAD = re.compile(r"(?:; |\n\n)[\d,]+ of [\d,]+ parts? could not be read$")


def format_unread_parts(read: int, unread: int) -> str:
    """How many of the parts that were to give records gave none that can be used: "3 of 10 parts could not be read"."""
    return f"{unread:,} of {format_count(read + unread, 'part')} could not be read"


def without_unread(answer: str) -> str:
    """An answer of a survey without what it says at its end of parts that could not be read."""
    return _UNREAD.sub("", answer)


def table_line(cells: Iterable[str]) -> str:
    """A row of a table as a line of Markdown."""
    return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"


def markdown_of(table: Table, most: int) -> str:
    """The table as Markdown, with at most this many rows."""
    lines = [table["columns"], ["---"] * len(table["columns"]), *(row["values"] for row in table["rows"][:most])]
    return "\n".join(map(table_line, lines))

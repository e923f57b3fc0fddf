"""A table that was made of texts, and how an answer or a spreadsheet shows it."""

import re
from collections.abc import Iterable
from typing import Literal
from unicodedata import normalize

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
_CELL = re.compile(r"(?:^\s*|(?<=[;\t\r\n]))[^;\t\r\n]+")
_NUMBER = re.compile(r"[+-]?\d[\d., ]*%?")
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


def disarm_formulas(value: str) -> str:
    """The value so that a spreadsheet shows it and calculates nothing: a formula gets an apostrophe before it.

    So does one behind a semicolon, a tab or a line end: some spreadsheets begin a cell there, whatever the quotes say.
    """
    return _CELL.sub(lambda cell: f"'{cell[0]}" if _is_formula(cell) else cell[0], value)


def _is_formula(cell: re.Match[str]) -> bool:
    """Whether a spreadsheet may calculate this cell: what can't be seen before the first sign doesn't count."""
    text = cell[0].lstrip('"') if cell.start() else cell[0]
    first = next((sign for sign in text if sign.isprintable() and not sign.isspace()), "")
    is_sign = bool(first) and normalize("NFKC", first) in "=+-@"
    return text.startswith(("\t", "\r")) or (is_sign and not _NUMBER.fullmatch(text.strip(" ")))

"""What a survey of a whole text keeps: its programme, and the table that its records make."""

import re
from collections.abc import Iterable
from typing import Literal

from typing_extensions import TypedDict

from readgraph.state.reading import Answered, Citation, ReadingState
from readgraph.state.words import format_count

__all__ = ["Column", "Programme", "Row", "SurveyAnswered", "SurveyState", "Table"]

ColumnKind = Literal["text", "number", "date"]  # of its values; dates are as exact as they are known

Extent = Literal["all", "search", "notes", "part"]
"""Which pages give records: all, those that a search finds or a note's verdict keeps, or a part of the outline."""

Result = Literal["table", "count", "prose"]
"""What the question is answered with: the table, the number of its rows, or sentences about it."""


class Column(TypedDict):
    """A column of the table: its name, the kind of its values, and what is to be put into it."""

    name: str
    kind: ColumnKind
    meaning: str


class Programme(TypedDict):
    """How a question about the whole text is answered. It is data: code combines the records, nothing in it is run.

    `record` says what one record is. `extent` says which pages give records, and `sought` what is searched for, or the
    name of the part. Records that agree in the columns `same_by` are one thing; without such columns each mention
    counts. `group_by` makes a row of each value of a column, with the number of its records and, of the column
    `total`, their sum. `sort_by` sorts the rows, and `first` keeps so many of them. `compare` puts the documents beside
    each other.
    """

    record: str
    columns: list[Column]
    extent: Extent
    sought: str
    same_by: list[str]
    group_by: str | None
    total: str | None
    sort_by: str | None
    descending: bool
    first: int | None
    compare: bool
    result: Result


class Row(TypedDict):
    """A row of the table: its values as texts, in the order of the columns, and the quotes that show it."""

    values: list[str]
    citations: list[Citation]


class Table(TypedDict):
    """The table that was made: its columns, by name and kind, and its rows, at most `MOST_ROWS` of the `found` ones."""

    columns: list[str]
    kinds: list[ColumnKind]
    rows: list[Row]
    found: int


MOST_ROWS = 500  # that a run's state holds; `readgraph.features.survey.table.table_of` makes the whole table
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


class SurveyAnswered(Answered):
    """Output of a survey: also its programme, the memory of its records, and its table.

    `unread` are the parts whose records are missing: no reply, or no record, could be used, or the budget was spent
    before. `by_pattern`: no model took the records, whoever gave the answer. `by_table`: rows of the text's own tables
    are among them; without a model, there are no others.
    """

    programme: Programme | None
    records: str
    unread: list[int]
    same_names: list[list[str]]
    table: Table
    by_pattern: bool
    by_table: bool


class SurveyState(ReadingState, SurveyAnswered):
    """All channels of a survey.

    `records` is the memory that holds the records. `same_names` are groups of names that mean one thing, the name to
    keep first.
    """

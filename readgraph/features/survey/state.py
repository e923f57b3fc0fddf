"""What a survey of a whole text keeps: its programme, and the table that its records make."""

from typing import Literal

from typing_extensions import TypedDict

from readgraph.state.reading import Answered, ReadingState
from readgraph.state.tables import ColumnKind, Table

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


MOST_ROWS = 500  # that a run's state holds; `readgraph.features.survey.table.table_of` makes the whole table


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

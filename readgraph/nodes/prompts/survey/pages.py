"""What a survey asks of pages: which may hold records, seen by their notes, and which records one page gives."""

from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from math import isfinite
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, create_model

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.replies.lenient_fields import LenientReply, Numbers
from readgraph.models.wording import wording
from readgraph.state.survey import Column, ColumnKind

_SURVEY_VERDICT_SYSTEM = (
    "Somebody goes through a long text for records of one kind. You see a note of each page, and say which pages may "
    "hold such records, so that the others need not be read. " + DATA_RULE
)

SURVEY_VERDICT = wording(
    "survey_verdict",
    "survey-verdict",
    1,
    _SURVEY_VERDICT_SYSTEM,
    "Which of these pages may hold records of this kind: {record}? Name every page of which the note doesn't rule it "
    "out; a note leaves much out.",
)
"""Which parts of a text may give records, seen by the notes that another reading left."""


class PagesKept(LenientReply):
    """The pages that may hold records."""

    kept: Numbers = Field(description="The numbers of these pages; may be empty.")


def survey_verdict_prompt(notes: str, record: str) -> Prompt:
    """Ask which pages may hold records; `notes`: each note after the tag of its page."""
    return SURVEY_VERDICT.ask(fenced("memory", notes), record=record)


_SURVEY_RECORDS_SYSTEM = (
    "You go through a long text, passage by passage, and write down every record of one kind that a passage gives. "
    "Write down what stands there and nothing else: no guess, nothing that you know from elsewhere. " + DATA_RULE
)

SURVEY_RECORDS = wording(
    "survey_records",
    "survey-records",
    1,
    _SURVEY_RECORDS_SYSTEM,
    "Write down every record of this kind that the passage above gives: {record}. Its columns:\n{columns}\n"
    "A column that the passage doesn't fill is null. Give each record a quote: the words of the passage that show it, "
    "copied exactly, at most 30. If the passage gives no such record, the list is empty.",
)
"""Taking records from one page of a survey: each with its columns, and a quote that shows it."""

FORMS: dict[ColumnKind, str] = {
    "text": "",
    "number": " (a number in digits, without its unit)",
    "date": " (YYYY-MM-DD, YYYY-MM or YYYY, as exactly as the passage says)",
}
"""In which form values are asked for."""


def _written(value: Any) -> Any:
    """A value as text: some models give numbers as numbers, and several values as a list."""
    if isinstance(value, float) and isfinite(value):
        value = f"{Decimal(repr(value)):f}".removesuffix(".0")
    if isinstance(value, list):
        value = ", ".join(str(each) for each in value)
    return None if value is None or isinstance(value, dict) else " ".join(str(value).split())


Written = Annotated[str | None, BeforeValidator(_written)]


class Records(LenientReply):
    """The records of one page; `records_reply` makes the type with the columns of a programme."""

    records: list[Any]


def key_of(number: int) -> str:
    """The name of a column's field in replies: a model's own name may be no name of a field."""
    return f"column_{number + 1}"


@lru_cache(64)
def _reply(columns: tuple[tuple[str, str], ...]) -> type[Records]:
    fields: dict[str, Any] = {
        key_of(number): (Written, Field(description=f"{name}: {meaning}"))
        for number, (name, meaning) in enumerate(columns)
    }
    quote = Annotated[str, BeforeValidator(lambda value: _written(value) or "")]
    record = create_model("Record", __base__=LenientReply, **fields, quote=(quote, Field(description="Exact words.")))
    return create_model("SurveyRecords", __base__=Records, records=(list[record], Field(description="May be empty.")))  # type: ignore[valid-type]


def records_reply(columns: Sequence[Column]) -> type[Records]:
    """The reply's type: a list of records with a field for each column, and a quote."""
    return _reply(tuple((column["name"], column["meaning"]) for column in columns))


def survey_records_prompt(passage: str, record: str, columns: Sequence[Column]) -> Prompt:
    """Ask for the records of a passage."""
    listed = "\n".join(
        f"- {key_of(number)}, {column['name']}: {column['meaning'] or column['name']}{FORMS[column['kind']]}"
        for number, column in enumerate(columns)
    )
    return SURVEY_RECORDS.ask(fenced("passage", passage), record=record, columns=listed)

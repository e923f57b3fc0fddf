"""Planning a survey: which records each page gives, and how they are combined into the answer."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from readgraph.models.prompt import DATA_RULE, Prompt
from readgraph.models.replies.lenient_fields import LenientReply, Texts
from readgraph.models.wording import wording
from readgraph.nodes.prompts.parts import question_part
from readgraph.state.survey import ColumnKind, Extent, Result

MOST_COLUMNS = 8
"""Columns that a table may have."""

_SYSTEM = (
    "You plan how a question about a whole long text is answered. You don't see the text. Readers will go through it "
    "page by page and write down records, each with a quote that shows it; a program then joins, counts, groups and "
    "sorts the records exactly as you plan. " + DATA_RULE
)

SURVEY_PLAN = wording(
    "survey_plan",
    "survey-plan",
    1,
    _SYSTEM,
    "Plan the survey. Say what one record is, in a few words that somebody who doesn't know the question understands, "
    "and which columns each record has: at most {most}, no more than the question needs.{fixed} "
    "same_by: the columns by which you see that two records mean the same thing, such as a person's name; leave it "
    "empty where each mention counts, as in 'how often'. "
    "extent: 'all' unless the question names a part of the text ('part', with its name in sought) or concerns "
    "something so rare that a search finds every place ('search', with its words in sought), or something of which a "
    "summary of each page tells whether the page is about it ('notes'). "
    "group_by: only to count or add up by the values of one column. result: 'count' for how many and how often, "
    "'table' for lists, 'prose' where sentences are wanted.",
    fixed=" The columns are given, take them as they are: {columns}.",
)


def _kind(value: Any) -> Any:
    """The kind that is meant; anything unknown is text."""
    known = {"integer": "number", "float": "number", "amount": "number", "money": "number", "time": "date"}
    word = str(value).strip().casefold()
    word = known.get(word, word)
    return word if word in ("text", "number", "date") else "text"


def _one(value: Any) -> Any:
    """The one name in a value: some models give a list of it, or a word for nothing."""
    value = value[0] if isinstance(value, list) and value else value
    return value if isinstance(value, str) and value.strip().casefold() not in ("", "none", "null") else None


Name = Annotated[str | None, BeforeValidator(_one)]


class PlannedColumn(LenientReply):
    """A column of the records."""

    name: str = Field(description="One word, or two.")
    kind: Annotated[ColumnKind, BeforeValidator(_kind)] = Field(description="What its values are.")
    meaning: str = Field(description="What is to be written there, in a few words.")


class SurveyPlan(LenientReply):
    """How the question is answered from the whole text."""

    record: str = Field(description="What one record is.")
    columns: list[PlannedColumn] = Field(description="The columns of each record.")
    extent: Extent = Field(description="Which pages give records.")
    sought: str | None = Field(description="The words to search for, or the name of the part; else null.")
    same_by: Texts = Field(description="Names of columns; may be empty.")
    group_by: Name = Field(description="The name of a column, or null.")
    total: Name = Field(description="With group_by: a column of numbers to add up, or null.")
    sort_by: Name = Field(
        description="The name of a column, 'count' for the size of groups, or null for the text's order."
    )
    order: Literal["ascending", "descending"] = Field(description="How sort_by sorts.")
    first: int | None = Field(description="Keep only so many rows, such as 1 for 'the largest'; null for all.")
    compare: bool = Field(description="Whether several documents are compared with each other.")
    result: Result = Field(description="What answers the question.")


def survey_plan_prompt(question: str, choices: dict[str, str], columns: str = "") -> Prompt:
    """Ask for the programme; `columns`: those that the user fixed, in one line.

    Nothing of the text is shown, so a changed text keeps its programme, and only what changed is read again.
    """
    return SURVEY_PLAN.ask(question_part(question, choices), most=MOST_COLUMNS, fixed=columns, columns=columns)

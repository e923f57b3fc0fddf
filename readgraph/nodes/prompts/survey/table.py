"""What a survey asks of its table: which names mean the same thing, and the answer in sentences."""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.replies.lenient_fields import LenientReply, Numbers, numbers_in
from readgraph.models.wording import wording
from readgraph.nodes.prompts.parts import question_part

_SURVEY_SAME_SYSTEM = (
    "Records were taken from all pages of a long text. The same person or thing may be named in several ways in it: in "
    "full, by a part of the name, by a title, with another spelling. You see the names, each with a quote. " + DATA_RULE
)

SURVEY_SAME = wording(
    "survey_same",
    "survey-same",
    1,
    _SURVEY_SAME_SYSTEM,
    "Each record is {record}. Which of these names mean the same one? Give a group of numbers for each that has "
    "several names, the fullest name first. Two that only share a part of their name, such as relatives, are not the "
    "same. "
    "Where the quotes don't show it, leave names apart.",
)
"""Names of one thing: which of a survey's names, each with a quote, mean the same."""


def _groups(value: object) -> list[list[int]]:
    """Groups of numbers, however they are written."""
    parts = value if isinstance(value, list) else [value]
    return [numbers_in(part.get("numbers") if isinstance(part, dict) else part) for part in parts]


class SameGroup(LenientReply):
    """Names that mean one thing."""

    numbers: Numbers = Field(description="The numbers of the names, the fullest name first.")


class SameNames(LenientReply):
    """Which names mean the same."""

    groups: list[SameGroup] = Field(description="May be empty.")


def survey_same_prompt(names: Mapping[int, tuple[str, str]], record: str) -> Prompt:
    """Ask which names mean one thing; `names`: by their numbers, each with a quote."""
    listed = "\n".join(f"{number}. {name}: “{quote}”" for number, (name, quote) in names.items())
    return SURVEY_SAME.ask(fenced("names", listed), record=record)


_SURVEY_PROSE_SYSTEM = (
    "A long text was gone through from beginning to end, and what a question needs was put into a table. You answer "
    "the question from the table. Counts and sums that are given are exact: don't count again. " + DATA_RULE
)

SURVEY_PROSE = wording(
    "survey_prose",
    "survey-prose",
    1,
    _SURVEY_PROSE_SYSTEM,
    "{free}{choose} Use nothing but the table{part}. Name the numbers of the rows that show it.",
    free="Answer the question.",
    choose="Choose the best option: {letters}.",
    part=", of which {shown} of {found} rows are shown",
)
"""Answering from the table of a survey in sentences."""


class TableAnswer(LenientReply):
    """An answer from a table."""

    DECIDES: ClassVar[tuple[str, ...]] = ("answer",)

    answer: str | None = Field(description="The answer; null if the table doesn't give one.")
    rows: Numbers = Field(description="The numbers of the rows that show the answer.")


class TableChoice(LenientReply):
    """The option that a table speaks for."""

    DECIDES: ClassVar[tuple[str, ...]] = ("choice",)

    choice: str | None = Field(description="The letter of the best option; null if the table speaks for none.")
    rows: Numbers = Field(description="The numbers of the rows that show it.")


def survey_prose_prompt(table: str, question: str, choices: dict[str, str], shown: int, found: int) -> Prompt:
    """Ask for an answer from a table, of which `shown` of the `found` rows are in it."""
    parts = [fenced("table", table), question_part(question, choices)]
    values = {"free": not choices, "choose": choices, "letters": ", ".join(choices), "part": shown < found}
    return SURVEY_PROSE.ask(*parts, shown=shown, found=found, **values)

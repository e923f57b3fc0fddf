"""Answering from the table of a survey in sentences."""

from typing import ClassVar

from pydantic import Field

from readgraph.models.lenient_replies import LenientReply, Numbers
from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording
from readgraph.nodes.prompts.question import question_part

NAME, VERSION = "survey-prose", 1

_SYSTEM = (
    "A long text was gone through from beginning to end, and what a question needs was put into a table. You answer "
    "the question from the table. Counts and sums that are given are exact: don't count again. " + DATA_RULE
)

_WORDS = wording(
    "survey_prose",
    NAME,
    VERSION,
    _SYSTEM,
    "{free}{choose} Use nothing but the table{part}. Name the numbers of the rows that show it.",
    free="Answer the question.",
    choose="Choose the best option: {letters}.",
    part=", of which {shown} of {found} rows are shown",
)


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
    values = {"free": not choices, "choose": choices, "letters": ", ".join(choices), "part": shown < found}
    return _WORDS.ask(fenced("table", table), question_part(question, choices), shown=shown, found=found, **values)

"""Prompts for an answer in words or by a letter (ReadAgent, 3.2, F; GAM, 2.2.2, 3.5), or that weigh findings."""

from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, Field

from readgraph.models.prompt import DATA_RULE, Prompt, Wording, declare_wording, fenced
from readgraph.models.reply import numbers_in
from readgraph.nodes.prompts import READER_SYSTEM, question_part

ANSWER = declare_wording(
    "answer",
    READER_SYSTEM,
    "{free}{choose}",
    version=2,
    shared="question",
    free="Answer the question, and quote the words of the text that show the answer.",
    choose="Choose the best option: {letters}. Quote the words of the text that show it.",
)


class QuotedText(BaseModel):
    """Words of the text that show the answer."""

    page: int = Field(description="The page's number.")
    quote: str = Field(description="A sentence or less, copied word by word from a page that stands in full.")


def quotes_in(value: Any) -> list[dict[str, Any]]:
    """The quotes among what was given; one that names no page may stand on any (-1)."""
    given = value if isinstance(value, list) else [value]
    parts = [{"quote": part} if isinstance(part, str) else part for part in given]
    sound = [part for part in parts if isinstance(part, dict) and isinstance(part.get("quote"), str)]
    return [{"quote": part["quote"], "page": [*numbers_in(part.get("page")), -1][0]} for part in sound]


Quotes = Annotated[list[QuotedText], BeforeValidator(quotes_in)]
"""A list of quotes; also accepts a single one, null, and bare texts."""


class Quoting(BaseModel):
    """An answer with quotes. As the last base of a reply it makes them the first field."""

    quotes: list[QuotedText] = Field(description="One to three quotes that show the answer; empty if there is none.")


class AnswerAlone(BaseModel):
    """An answer in one's own words, without quotes: where no part of the text is in view."""

    DECIDES: ClassVar[tuple[str, ...]] = ("answer",)
    answer: str | None = Field(description="A short and concise answer; null if the notes don't hold it.")

    @classmethod
    def thoughts_and_text(cls, begun: dict[str, Any]) -> tuple[str, Any]:
        """The answer, which is streamed while the model writes it."""
        return "", begun.get("answer")


class FreeAnswer(AnswerAlone, Quoting):
    """An answer in one's own words."""

    answer: str | None = Field(description="A short and concise answer; null if the text doesn't say.")


class ChoiceAlone(BaseModel):
    """An answer chosen from options, without quotes."""

    DECIDES: ClassVar[tuple[str, ...]] = ("choice",)
    choice: str = Field(description="The letter of the best option.")


class ChosenAnswer(ChoiceAlone, Quoting):
    """An answer chosen from options."""


def answer_prompt(memory: str, question: str, choices: dict[str, str], words: Wording = ANSWER) -> Prompt:
    """Ask for the answer; with choices, for a letter. With the words `WEIGH`, memory is findings after page tags."""
    values = {"free": not choices, "choose": choices, "letters": ", ".join(choices)}
    return words.ask(fenced("memory", memory), question_part(question, choices), **values)


ANSWER_FROM_NOTES = declare_wording(
    "answer_from_notes",
    "You answer questions about a long text from what was collected on them: notes, and in some cases parts of the "
    "text. Use nothing but what stands there. " + DATA_RULE,
    "{free}{choose}{quote}",
    free="Answer the question.",
    choose="Choose the best option: {letters}.",
    quote=" Quote the words of the text that show it.",
)


def answer_from_notes_prompt(notes: str, evidence: str, question: str, choices: dict[str, str]) -> Prompt:
    """Ask for the answer; where parts of the text are given as evidence, for quotes from them too."""
    parts = [fenced("text", evidence) if evidence else "", fenced("notes", notes), question_part(question, choices)]
    values = {"free": not choices, "choose": choices, "letters": ", ".join(choices), "quote": evidence}
    return ANSWER_FROM_NOTES.ask(*parts, **values)


WEIGH = declare_wording(
    "weigh",
    "Several passages of a long text were read in search of the answer to a question. You see what was found in each, "
    "with quotes, and say what the answer is. Use nothing but what stands there. " + DATA_RULE,
    "{free}{choose} Where findings disagree, weigh what they quote. Name the pages that show it.",
    free="Answer the question.",
    choose="Choose the best option: {letters}.",
)


class WeighedAnswer(BaseModel):
    """The answer that the findings give."""

    DECIDES: ClassVar[tuple[str, ...]] = ("answer",)
    reason: str = Field(description="A few words: what agrees, what doesn't.")
    pages: list[int] = Field(description="The pages whose findings show the answer; empty if there is none.")
    answer: str | None = Field(description="A short and concise answer; null if the findings don't give one.")


class WeighedChoice(BaseModel):
    """The option that the findings speak for."""

    DECIDES: ClassVar[tuple[str, ...]] = ("choice",)
    reason: str = Field(description="A few words: what agrees, what doesn't.")
    pages: list[int] = Field(description="The pages whose findings show it; empty if there are none.")
    choice: str | None = Field(description="The letter of the best option; null if the findings don't speak for any.")

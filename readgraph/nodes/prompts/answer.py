"""Answering from what is remembered and what was read again (ReadAgent, section 3.2 and appendix F)."""

from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, Field

from readgraph.models.lenient_replies import numbers_in
from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording
from readgraph.nodes.prompts.question import question_part

NAME, VERSION = "answer", 1

_SYSTEM = (
    "You answer questions about a long text from your memory of it: gists of its pages, and some pages in full. "
    "Use nothing but what stands there. " + DATA_RULE
)


_WORDS = wording(
    "answer",
    NAME,
    VERSION,
    _SYSTEM,
    "{free}{choose}",
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


class FreeAnswer(BaseModel):
    """An answer in one's own words."""

    DECIDES: ClassVar[tuple[str, ...]] = ("answer",)

    quotes: list[QuotedText] = Field(description="One to three quotes that show the answer; empty if there is none.")
    answer: str | None = Field(description="A short and concise answer; null if the text doesn't say.")

    @classmethod
    def spoken(cls, begun: dict[str, Any]) -> tuple[str, Any]:
        """The answer, which is streamed while the model writes it."""
        return "", begun.get("answer")


class ChosenAnswer(BaseModel):
    """An answer chosen from options."""

    DECIDES: ClassVar[tuple[str, ...]] = ("choice",)

    quotes: list[QuotedText] = Field(description="One to three quotes that show the answer; empty if there is none.")
    choice: str = Field(description="The letter of the best option.")


class AnswerAlone(BaseModel):
    """An answer in one's own words, without quotes: where no part of the text is in view."""

    DECIDES: ClassVar[tuple[str, ...]] = ("answer",)

    answer: str | None = Field(description="A short and concise answer; null if the notes don't hold it.")

    @classmethod
    def spoken(cls, begun: dict[str, Any]) -> tuple[str, Any]:
        """The answer, which is streamed while the model writes it."""
        return "", begun.get("answer")


class ChoiceAlone(BaseModel):
    """An answer chosen from options, without quotes."""

    DECIDES: ClassVar[tuple[str, ...]] = ("choice",)

    choice: str = Field(description="The letter of the best option.")


def answer_prompt(memory: str, question: str, choices: dict[str, str]) -> Prompt:
    """Ask for the answer; with choices, for a letter."""
    values = {"free": not choices, "choose": choices, "letters": ", ".join(choices)}
    return _WORDS.ask(fenced("memory", memory), question_part(question, choices), **values)

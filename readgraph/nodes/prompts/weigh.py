"""Weighing what several leaves had to say into one answer (beyond the paper)."""

from typing import ClassVar

from pydantic import BaseModel, Field

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording
from readgraph.nodes.prompts.question import question_part

NAME, VERSION = "weigh", 1

_SYSTEM = (
    "Several passages of a long text were read in search of the answer to a question. You see what was found in each, "
    "with quotes, and say what the answer is. Use nothing but what stands there. " + DATA_RULE
)


_WORDS = wording(
    "weigh",
    NAME,
    VERSION,
    _SYSTEM,
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


def weigh_prompt(findings: str, question: str, choices: dict[str, str]) -> Prompt:
    """Ask for one answer; `findings`: each finding after the tag of its page."""
    values = {"free": not choices, "choose": choices, "letters": ", ".join(choices)}
    return _WORDS.ask(fenced("memory", findings), question_part(question, choices), **values)

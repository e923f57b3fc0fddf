"""Reflecting: whether the notes are enough, and what is missing (GAM, section 2.2.2)."""

from typing import Annotated, ClassVar

from pydantic import BaseModel, Field

from readgraph.models.lenient_replies import LenientReply, Texts
from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.nodes.prompts.question import question_part

NAME, VERSION = "reflect", 1

MOST_REQUESTS = 5

_SYSTEM = (
    "You check notes that were taken from a long text: whether somebody who sees nothing else could now answer the "
    "question in full. You don't answer it. " + DATA_RULE
)
_MISSING = (
    f"At most {MOST_REQUESTS} short questions for what is missing, the most important first, each to be understood "
    "alone, with full names; empty if nothing is."
)


class Verdict(LenientReply):
    """Whether the notes are enough, and what is missing."""

    DECIDES: ClassVar[tuple[str, ...]] = ("enough",)

    enough: bool = Field(description="true if the notes hold every fact that the answer needs; else false.")
    missing: Annotated[Texts, Field(description=_MISSING)]


class Enough(BaseModel):
    """Whether the notes are enough."""

    DECIDES: ClassVar[tuple[str, ...]] = ("enough",)

    enough: bool = Field(description="true if the notes hold every fact that the answer needs; else false.")


class Missing(BaseModel):
    """What is missing."""

    DECIDES: ClassVar[tuple[str, ...]] = ("missing",)

    missing: Annotated[Texts, Field(description=_MISSING)]


def reflect_prompt(notes: str, question: str, choices: dict[str, str]) -> Prompt:
    """Ask for both at once."""
    task = "Are the notes enough to answer the question? If not, what is missing?"
    return Prompt(NAME, VERSION, _SYSTEM, _parts(notes, question, choices, task))


def enough_prompt(notes: str, question: str, choices: dict[str, str]) -> Prompt:
    """Ask for the verdict alone."""
    task = "Are the notes enough to answer the question?"
    return Prompt(NAME, VERSION, _SYSTEM, _parts(notes, question, choices, task))


def missing_prompt(notes: str, question: str, choices: dict[str, str]) -> Prompt:
    """Ask what is missing from notes that are not enough."""
    task = "The notes are not enough to answer the question. What is missing?"
    return Prompt(NAME, VERSION, _SYSTEM, _parts(notes, question, choices, task))


def _parts(notes: str, question: str, choices: dict[str, str], task: str) -> str:
    return f"{fenced('notes', notes)}\n\n{question_part(question, choices)}\n\n{task}"

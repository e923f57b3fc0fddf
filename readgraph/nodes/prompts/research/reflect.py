"""Reflecting: whether the notes are enough, and what is missing (GAM, section 2.2.2)."""

from typing import Annotated, ClassVar

from pydantic import BaseModel, Field

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.replies.lenient_fields import LenientReply, Texts
from readgraph.models.wording import wording
from readgraph.nodes.prompts.parts import question_part

_REFLECT = ("reflect", 2)
"""The prompt's name in recipes, and its version."""

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


_THINK = "Think about which facts the answer needs, and which of them the notes hold. Then decide: are"
REFLECT = wording(
    "reflect",
    *_REFLECT,
    _SYSTEM,
    "{think}{at_once} the notes enough to answer the question? If not, what is missing?",
    think=_THINK,
    at_once="Are",
)
ENOUGH = wording(
    "enough",
    *_REFLECT,
    _SYSTEM,
    "{think}{at_once} the notes enough to answer the question?",
    think=_THINK,
    at_once="Are",
)
MISSING = wording("missing", *_REFLECT, _SYSTEM, "The notes are not enough to answer the question. What is missing?")


def reflect_prompt(notes: str, question: str, choices: dict[str, str], *, reasoning: bool = True) -> Prompt:
    """Ask for both at once."""
    return REFLECT.ask(*_material(notes, question, choices), think=reasoning, at_once=not reasoning)


def enough_prompt(notes: str, question: str, choices: dict[str, str], *, reasoning: bool = True) -> Prompt:
    """Ask for the verdict alone."""
    return ENOUGH.ask(*_material(notes, question, choices), think=reasoning, at_once=not reasoning)


def missing_prompt(notes: str, question: str, choices: dict[str, str]) -> Prompt:
    """Ask what is missing from notes that are not enough."""
    return MISSING.ask(*_material(notes, question, choices))


def _material(notes: str, question: str, choices: dict[str, str]) -> tuple[str, str]:
    return fenced("notes", notes), question_part(question, choices)

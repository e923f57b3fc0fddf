"""Rating an answer beside a reference answer (ReadAgent, section 4.1; MemGPT, section 3.1.2)."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, Field

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording
from readgraph.nodes.prompts.parts import question_part

STRICT, PERMISSIVE, CONSISTENT = "rate_strict", "rate_permissive", "rate_consistent"
VERSION = 1

_SYSTEM = (
    "You compare a student's answer to a question with the reference answer, which is right. What you know of the "
    "matter yourself doesn't count, nor does style or length. " + DATA_RULE
)


def bare_word(value: Any) -> Any:
    """A word without the marks that models put behind it, in lower case; anything else as it is."""
    return value.strip().strip(".!").casefold() if isinstance(value, str) else value


class Agrees(BaseModel):
    """Whether the answer agrees with the reference."""

    DECIDES: ClassVar[tuple[str, ...]] = ("agrees",)

    reason: str = Field(description="A few words.")
    agrees: Annotated[Literal["yes", "no"], BeforeValidator(bare_word)] = Field(description="yes or no.")


class AgreesInPart(BaseModel):
    """Whether the answer agrees with the reference, at least in part."""

    DECIDES: ClassVar[tuple[str, ...]] = ("agrees",)

    reason: str = Field(description="A few words: what both say, what only one says.")
    agrees: Annotated[Literal["yes", "partially", "no"], BeforeValidator(bare_word)] = Field(
        description="yes, partially, or no."
    )


_STRICT = wording(STRICT, STRICT, VERSION, _SYSTEM, "Do the answer and the reference say the same? Say yes or no.")
_PERMISSIVE = wording(
    PERMISSIVE,
    PERMISSIVE,
    VERSION,
    _SYSTEM,
    "Does the answer agree with the reference? Say yes if it holds all that the reference says, or says the same more "
    "precisely; partially if some of what it says agrees with the reference; no if nothing does.",
)
_CONSISTENT = wording(
    CONSISTENT,
    CONSISTENT,
    VERSION,
    _SYSTEM,
    "Is the answer right, judged by the reference? It may be longer, in other words, or name a date in another way: "
    "say yes if it gives what the reference gives. Say no if it lacks that, or contradicts it.",
)


def strict_prompt(question: str, answer: str, reference: str) -> Prompt:
    """Ask whether both answers say the same."""
    return _STRICT.ask(*_beside(question, answer, reference))


def permissive_prompt(question: str, answer: str, reference: str) -> Prompt:
    """Ask whether the answer holds the reference, or a part of it."""
    return _PERMISSIVE.ask(*_beside(question, answer, reference))


def consistent_prompt(question: str, answer: str, reference: str) -> Prompt:
    """Ask whether the answer, which may be long and chatty, is consistent with the short reference."""
    return _CONSISTENT.ask(*_beside(question, answer, reference))


def _beside(question: str, answer: str, reference: str) -> tuple[str, str, str]:
    return fenced("reference", reference), question_part(question, {}), fenced("answer", answer)

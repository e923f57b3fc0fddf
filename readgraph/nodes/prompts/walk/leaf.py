"""A leaf of the tree: read its segment, then answer, keep what it shows, or go back (MemWalker, section 3)."""

from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, Field, create_model, model_validator

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording
from readgraph.nodes.prompts.parts import carried, question_part
from readgraph.nodes.prompts.reasoned import Reasoned

_SYSTEM = (
    "You look for the answer to a question in a long text and have come to one passage of it. What you know of the "
    "text around it is background; what counts is what stands in the passage. " + DATA_RULE
)

LEAF = wording(
    "leaf",
    "leaf",
    1,
    _SYSTEM,
    "{think}{at_once}. answer: the passage{before} answers the question. {keep}revert: the answer can't be told from "
    "it.",
    think="Think about what the passage says, then decide",
    at_once="Decide",
    before=", with what was found before,",
    keep="keep: it shows something that the answer needs, but more is needed from other passages. ",
)


class LeafVerdict(BaseModel):
    """What the passage shows, and what to do now."""

    DECIDES: ClassVar[tuple[str, ...]] = ("choice", "found")

    quotes: list[str] = Field(description="One to three quotes from the passage, word by word; empty for revert.")
    action: Literal["answer", "keep", "revert"] = Field(description="answer, keep or revert.")
    found: str | None = Field(description="The answer, short and concise; or what to keep; null for revert.")

    @model_validator(mode="before")
    @classmethod
    def _with_action(cls, value: Any) -> Any:
        """Who says an answer and not what to do with it means it."""
        if not isinstance(value, dict) or "action" in value:
            return value
        said = value.get("choice") or value.get("found")
        return {**value, "action": "answer" if said else "revert", "found": value.get("found") or said}


class LeafChoice(LeafVerdict):
    """What the passage shows, and what to do now, where the answer is an option."""

    choice: str | None = Field(description="The letter of the best option for answer; else null.")


class ReasonedLeafVerdict(LeafVerdict, Reasoned):
    """What the passage shows, and what to do now, with the reasons first."""


class ReasonedLeafChoice(LeafChoice, Reasoned):
    """What the passage shows, and what to do now, where the answer is an option, with the reasons first."""


def leaf_reply(*, reasoning: bool, choices: bool, keeping: bool = True) -> type[LeafVerdict]:
    """The type of the reply to ask for; `keeping`: a part of an answer may be kept."""
    if choices:
        reply: type[LeafVerdict] = ReasonedLeafChoice if reasoning else LeafChoice
    else:
        reply = ReasonedLeafVerdict if reasoning else LeafVerdict
    return reply if keeping else _without_keeping(reply)


@cache
def _without_keeping(reply: type[LeafVerdict]) -> type[LeafVerdict]:
    fields: dict[str, Any] = {
        "action": (Literal["answer", "revert"], Field(description="answer or revert.")),
        "found": (str | None, Field(description="The answer, short and concise; null for revert.")),
    }
    return create_model(reply.__name__, __base__=reply, __doc__=reply.__doc__, **fields)


def leaf_prompt(
    segment: str,
    memory: Sequence[str],
    found: Sequence[str],
    question: str,
    choices: dict[str, str],
    *,
    reasoning: bool = True,
    keeping: bool = True,
) -> Prompt:
    """Ask whether the segment answers the question; `memory` and `found` as in triage, `keeping` as in the reply."""
    known = [carried("background", memory), fenced("passage", segment)]
    asked = [carried("found", found), question_part(question, choices)]
    return LEAF.ask(*known, *asked, think=reasoning, at_once=not reasoning, before=keeping, keep=keeping)

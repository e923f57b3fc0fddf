"""Triage: which part below a tree node to go down to, or back up (MemWalker, section 3 and appendix A.1)."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import BaseModel, Field

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording
from readgraph.nodes.prompts.parts import carried, numbered_parts, question_part
from readgraph.nodes.prompts.reasoned import Reasoned

_SYSTEM = (
    "You look for the place in a long text where the answer to a question stands. You know summaries of its parts, "
    "and go down part by part until you can read the text itself. " + DATA_RULE
)

TRIAGE = wording(
    "triage",
    "triage",
    1,
    _SYSTEM,
    "{think}{at_once} one of them is most likely to hold the answer? Give its number.{been}{revert}",
    think="Compare the parts, then decide: which",
    at_once="Which",
    been=" You have been to these already, so they can't be chosen: {visited}.",
    revert=" If none of the others is likely to hold it, say null to go back up.",
)


class ChildOrRevert(BaseModel):
    """Which part to go down to, or to go back up."""

    DECIDES: ClassVar[tuple[str, ...]] = ("part",)

    part: int | None = Field(description="The number of one part; null to go back up.")


class ChildChoice(ChildOrRevert):
    """Which part to go down to."""

    part: int = Field(description="The number of one part.")


class ReasonedChildOrRevert(ChildOrRevert, Reasoned):
    """Which part to go down to, or to go back up, with the reasons first."""


class ReasonedChildChoice(ChildChoice, Reasoned):
    """Which part to go down to, with the reasons first."""


def triage_reply(*, reasoning: bool, may_revert: bool) -> type[ChildOrRevert]:
    """The type of the reply to ask for."""
    if may_revert:
        return ReasonedChildOrRevert if reasoning else ChildOrRevert
    return ReasonedChildChoice if reasoning else ChildChoice


def triage_prompt(
    parts: Sequence[str],
    visited: Sequence[int],
    memory: Sequence[str],
    found: Sequence[str],
    question: str,
    choices: dict[str, str],
    *,
    reasoning: bool = True,
    may_revert: bool = True,
) -> Prompt:
    """Ask for one of the parts that were not visited; but at the root, going back up is offered too.

    `memory` holds the notes of the working memory, `found` what other passages have shown.
    """
    known = [carried("background", memory), fenced("memory", numbered_parts(parts))]
    asked = [carried("found", found), question_part(question, choices)]
    values = {"been": visited, "visited": ", ".join(map(str, visited)), "revert": may_revert}
    return TRIAGE.ask(*known, *asked, think=reasoning, at_once=not reasoning, **values)

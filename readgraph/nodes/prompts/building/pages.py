"""Where pages end: pauses in reading, and neighbours that belong together (ReadAgent, section 3.1, appendix I)."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import BaseModel, Field

from readgraph.models.prompt import DATA_RULE, Prompt, fenced, unused_name
from readgraph.models.wording import wording

_PAUSE_SYSTEM = (
    "You read a long text piece by piece and decide where each piece ends. Good places to pause are a change of "
    "scene, time or speaker, the end of a dialogue, of an argument, of a section. " + DATA_RULE
)


class PausePoint(BaseModel):
    """Where to pause."""

    DECIDES: ClassVar[tuple[str, ...]] = ("label",)

    reason: str = Field(description="A few words: what ends there.")
    label: int = Field(description="The number of the label to pause at.")


PAUSE = wording(
    "pause",
    "pause",
    1,
    _PAUSE_SYSTEM,
    "The passage above holds numbered labels, written <{label} 1> to <{label} {last}>. At which one is it most natural "
    "to pause reading? Give its number.",
)
"""Episode pagination: where to pause reading (ReadAgent, section 3.1)."""


def pause_prompt(pieces: Sequence[str], before: str = "", after: str = "") -> Prompt:
    """Ask for one of the labels 1 … n; label k comes after piece k, and none before the minimum of words.

    `before` and `after` are what stands around the passage, for context.
    """
    label = unused_name("pause", [*pieces, before, after])
    labelled = "\n".join(f"{piece.strip()}\n<{label} {number}>" for number, piece in enumerate(pieces, 1))
    parts = [fenced("before", before) if before else "", fenced("passage", labelled)]
    return PAUSE.ask(*parts, fenced("after", after) if after else "", label=label, last=len(pieces))


_MERGE_SYSTEM = "You read a long text in passages and decide which of them belong together. " + DATA_RULE

MERGE = wording(
    "merge", "merge", 1, _MERGE_SYSTEM, "Does the second passage begin a new chapter, a new section or a new book?"
)
"""Page merging: whether two neighbouring pages belong together (ReadAgent, appendix I)."""


class BeginsAnew(BaseModel):
    """Whether the second passage begins a new part of the text."""

    DECIDES: ClassVar[tuple[str, ...]] = ("begins_anew",)

    reason: str = Field(description="A few words.")
    begins_anew: Literal["yes", "no", "not sure"] = Field(description="yes, no, or not sure.")


def merge_prompt(first: str, second: str) -> Prompt:
    """Ask whether a chapter, section or book begins with the second of two neighbouring passages."""
    return MERGE.ask(fenced("first-passage", first), fenced("second-passage", second))

"""Episode pagination: where to pause reading (ReadAgent, section 3.1)."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import BaseModel, Field

from readgraph.models.prompt import DATA_RULE, Prompt, fenced, unused_name
from readgraph.models.wording import wording

NAME, VERSION = "pause", 1

_SYSTEM = (
    "You read a long text piece by piece and decide where each piece ends. Good places to pause are a change of "
    "scene, time or speaker, the end of a dialogue, of an argument, of a section. " + DATA_RULE
)


class PausePoint(BaseModel):
    """Where to pause."""

    DECIDES: ClassVar[tuple[str, ...]] = ("label",)

    reason: str = Field(description="A few words: what ends there.")
    label: int = Field(description="The number of the label to pause at.")


_WORDS = wording(
    "pause",
    NAME,
    VERSION,
    _SYSTEM,
    "The passage above holds numbered labels, written <{label} 1> to <{label} {last}>. At which one is it most natural "
    "to pause reading? Give its number.",
)


def pause_prompt(pieces: Sequence[str], before: str = "", after: str = "") -> Prompt:
    """Ask for one of the labels 1 … n; label k comes after piece k, and none before the minimum of words.

    `before` and `after` are what stands around the passage, for context.
    """
    label = unused_name("pause", [*pieces, before, after])
    labelled = "\n".join(f"{piece.strip()}\n<{label} {number}>" for number, piece in enumerate(pieces, 1))
    parts = [fenced("before", before) if before else "", fenced("passage", labelled)]
    return _WORDS.ask(*parts, fenced("after", after) if after else "", label=label, last=len(pieces))

"""Episode pagination: where to pause reading (ReadAgent, section 3.1)."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import BaseModel, Field

from readgraph.models.prompt import DATA_RULE, Prompt, fenced, unused_name

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


def pause_prompt(pieces: Sequence[str], before: str = "", after: str = "") -> Prompt:
    """Ask for one of the labels 1 … n; label k comes after piece k, and none before the minimum of words.

    `before` and `after` are what stands around the passage, for context.
    """
    label = unused_name("pause", [*pieces, before, after])
    labelled = "\n".join(f"{piece.strip()}\n<{label} {number}>" for number, piece in enumerate(pieces, 1))
    task = (
        f"The passage above holds numbered labels, written <{label} 1> to <{label} {len(pieces)}>. "
        "At which one is it most natural to pause reading? Give its number."
    )
    parts = [fenced("before", before) if before else "", fenced("passage", labelled)]
    parts += [fenced("after", after) if after else "", task]
    return Prompt(NAME, VERSION, _SYSTEM, "\n\n".join(filter(None, parts)))

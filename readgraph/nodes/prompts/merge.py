"""Page merging: whether two neighbouring pages belong together (ReadAgent, appendix I)."""

from typing import ClassVar, Literal

from pydantic import BaseModel, Field

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording

NAME, VERSION = "merge", 1

_SYSTEM = "You read a long text in passages and decide which of them belong together. " + DATA_RULE


_WORDS = wording(
    "merge", NAME, VERSION, _SYSTEM, "Does the second passage begin a new chapter, a new section or a new book?"
)


class BeginsAnew(BaseModel):
    """Whether the second passage begins a new part of the text."""

    DECIDES: ClassVar[tuple[str, ...]] = ("begins_anew",)

    reason: str = Field(description="A few words.")
    begins_anew: Literal["yes", "no", "not sure"] = Field(description="yes, no, or not sure.")


def merge_prompt(first: str, second: str) -> Prompt:
    """Ask whether a chapter, section or book begins with the second of two neighbouring passages."""
    return _WORDS.ask(fenced("first-passage", first), fenced("second-passage", second))

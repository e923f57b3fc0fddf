"""A tiny question that shows whether a model can be used, and which form of typed reply it takes."""

from pydantic import BaseModel, Field

from readgraph.models.prompt import Prompt, fenced
from readgraph.models.wording import wording

CHECK = wording("check", "check", 1, "You count words.", "How many words are there?")


class Counted(BaseModel):
    """How many words there are."""

    count: int = Field(description="The number of words.")


def check_prompt() -> Prompt:
    """Ask for something that every model knows."""
    words = fenced("words", "lamp sea keeper")
    return CHECK.ask(words)

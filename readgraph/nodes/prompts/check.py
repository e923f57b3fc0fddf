"""A tiny question that shows whether a model can be used, and which form of typed reply it takes."""

from pydantic import BaseModel, Field

from readgraph.models.prompt import Prompt, fenced

NAME, VERSION = "check", 1


class Counted(BaseModel):
    """How many words there are."""

    count: int = Field(description="The number of words.")


def check_prompt() -> Prompt:
    """Ask for something that every model knows."""
    words = fenced("words", "lamp sea keeper")
    return Prompt(NAME, VERSION, "You count words.", f"{words}\n\nHow many words are there?")

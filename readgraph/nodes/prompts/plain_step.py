"""The agent's next step in plain words: the function by its number, then its arguments one by one."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import BaseModel, Field

from readgraph.models.prompt import Prompt

NAME, VERSION = "plain_step", 1


class FunctionNumber(BaseModel):
    """Which function to call."""

    DECIDES: ClassVar[tuple[str, ...]] = ("number",)

    number: int = Field(description="The number of the function to call.")


class ArgumentText(BaseModel):
    """An argument of a function."""

    DECIDES: ClassVar[tuple[str, ...]] = ("text",)

    text: str = Field(description="The argument.")


def function_prompt(context: Prompt, functions: Sequence[str]) -> Prompt:
    """Ask for the function to call, by its number from 1; `context`: what the agent sees."""
    listed = "\n".join(f"{number}: {name}" for number, name in enumerate(functions, 1))
    task = f"{listed}\n\nWhich of them do you call?"
    return Prompt(NAME, VERSION, context.system, f"{context.user}\n\n{task}")


def argument_prompt(context: Prompt, function: str, argument: str, described: str) -> Prompt:
    """Ask for one argument of the function that is called."""
    task = f"You call {function}. Its {argument}: {described}"
    return Prompt(NAME, VERSION, context.system, f"{context.user}\n\n{task}")

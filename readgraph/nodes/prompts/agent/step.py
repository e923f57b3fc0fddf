"""The agent's main context as one prompt, and the step it replies with: whole, or in plain words one by one."""

import json
from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import BaseModel, Field, model_validator

from readgraph.models.prompt import Prompt, fenced
from readgraph.models.replies.json_form import storable
from readgraph.models.wording import Instructions
from readgraph.nodes.prompts.agent.instructions import AGENT_CHAT
from readgraph.state.agents import SPEAKS

NAME, VERSION = "plain_step", 1
"""The step in plain words: the function by its number, then its arguments. It has no words to replace."""


class Argument(BaseModel):
    """One argument of a function."""

    name: str = Field(description="The argument's name.")
    value: str = Field(description="Its value.")


class NextStep(BaseModel):
    """The agent's next step: one function call."""

    inner_thoughts: str = Field(description="A few words that nobody else sees.")
    function: str = Field(description="The name of the function to call.")
    arguments: list[Argument] = Field(description="The function's arguments.")
    request_heartbeat: bool = Field(description="true: go on after this call; false: wait for the next event.")

    @classmethod
    def spoken(cls, begun: dict[str, Any]) -> tuple[Any, Any]:
        """The inner thoughts, and the message to the person if the step sends one; both are streamed."""
        arguments = begun.get("arguments") if begun.get("function") == SPEAKS else None
        if isinstance(arguments, list):
            arguments = {each.get("name"): each.get("value") for each in arguments if isinstance(each, dict)}
        return begun.get("inner_thoughts"), arguments.get("message") if isinstance(arguments, dict) else None

    @model_validator(mode="before")
    @classmethod
    def _lenient(cls, value: Any) -> Any:
        """Take arguments as models like to give them: as an object, or JSON in a string; and leave out the rest."""
        if not isinstance(value, dict) or not isinstance(value.get("function"), str):
            return value
        given = value.get("arguments") or []
        if isinstance(given, str):
            try:
                given = storable(json.loads(given))
            except (ValueError, RecursionError):
                return value
        if isinstance(given, dict):
            given = [{"name": name, "value": _as_text(part)} for name, part in given.items()]
        return {"inner_thoughts": "", "request_heartbeat": False, **value, "arguments": given}


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class FunctionNumber(BaseModel):
    """Which function to call."""

    DECIDES: ClassVar[tuple[str, ...]] = ("number",)

    number: int = Field(description="The number of the function to call.")


class ArgumentText(BaseModel):
    """An argument of a function."""

    DECIDES: ClassVar[tuple[str, ...]] = ("text",)

    text: str = Field(description="The argument.")


def agent_prompt(system: str, summary: str, queue: str, blocks: str, task: str) -> Prompt:
    """Ask for the next step. What changes least stands first, for providers' prefix caches: the queue only grows."""
    parts = [fenced("summary", summary) if summary else "", fenced("events", queue)]
    parts += [fenced("working-context", blocks)] if blocks else []
    if isinstance(system, Instructions):
        return system.wording.ask(*parts, **system.values, task=task)
    return Prompt(AGENT_CHAT.prompt, AGENT_CHAT.version, system, "\n\n".join(filter(None, [*parts, task])))


def function_prompt(context: Prompt, functions: Sequence[str]) -> Prompt:
    """Ask for the function to call, by its number from 1; `context`: what the agent sees."""
    listed = "\n".join(f"{number}: {name}" for number, name in enumerate(functions, 1))
    task = f"{listed}\n\nWhich of them do you call?"
    return Prompt(NAME, VERSION, context.system, f"{context.user}\n\n{task}")


def argument_prompt(context: Prompt, function: str, argument: str, described: str) -> Prompt:
    """Ask for one argument of the function that is called."""
    task = f"You call {function}. Its {argument}: {described}"
    return Prompt(NAME, VERSION, context.system, f"{context.user}\n\n{task}")

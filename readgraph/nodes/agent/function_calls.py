"""Function calls: a call is checked and run, and its result or error goes back to the model."""

import json
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_function
from langgraph.errors import GraphBubbleUp
from pydantic import ValidationError

from readgraph.models.replies.json_form import storable
from readgraph.nodes.agent.memory import AgentMemory
from readgraph.state.agents import Event
from readgraph.state.errors import BadInput, ReadgraphError

_KINDS = {"integer": "number", "number": "number", "boolean": "true or false", "array": "list", "object": "object"}


class Functions:
    """The functions of an agent, by their names; of two with the same name, the later one is used.

    Raises `BadInput` for anything that is not a LangChain tool.
    """

    def __init__(self, tools: Iterable[BaseTool]) -> None:
        self.tools = dict[str, BaseTool]()
        self._fewer = dict[frozenset[str], Functions]()
        for tool in tools:
            if not isinstance(tool, BaseTool):
                raise BadInput(f"{tool!r:.60} is no LangChain tool: decorate the function with langchain_core's @tool.")
            self.tools[tool.name] = tool

    def without(self, names: frozenset[str]) -> "Functions":
        """The functions but for those with these names."""
        if not names & self.tools.keys():
            return self
        if names not in self._fewer:
            self._fewer[names] = Functions(tool for name, tool in self.tools.items() if name not in names)
        return self._fewer[names]

    @cached_property
    def schemas(self) -> dict[str, dict[str, Any]]:
        """The JSON schema of each function's arguments, as the model sees them."""
        return {name: convert_to_openai_function(tool)["parameters"] for name, tool in self.tools.items()}

    @cached_property
    def needed(self) -> dict[str, dict[str, str]]:
        """The required arguments of each function, with their descriptions."""
        return {
            name: {needed: _kind(schema["properties"][needed]) for needed in schema.get("required", [])}
            for name, schema in self.schemas.items()
        }

    @cached_property
    def described(self) -> str:
        """One line for each: name, arguments, what it does."""
        return "\n".join(_described(tool, self.schemas[name]) for name, tool in self.tools.items())

    async def call(self, event: Event, memory: AgentMemory) -> tuple[str, bool]:
        """The result of a call, and whether it failed; an error says what to do. Only readgraph's own errors raise.

        A function that does not work on the memory may have side effects: it is not run again once its result is kept.
        """
        if event.failed and event.result is not None:  # it was refused by `think`, or its step runs again
            return event.result, True
        tool = self.tools.get(event.function)
        if tool is None:
            return f"There is no function '{event.function}': call one of {', '.join(self.tools)}.", True
        known = self.schemas[event.function].get("properties", {})
        own = "memory" in getattr(tool.args_schema, "model_fields", {}) and "memory" not in known
        if event.result is not None and not own:
            return event.result, event.failed
        if unknown := [name for name in event.arguments if name not in known]:
            return f"{event.function} takes {_names(known)}; it has no argument '{unknown[0]}'.", True
        given = {name: _value(value, known[name]) for name, value in event.arguments.items()}
        try:
            return str(await tool.ainvoke(given | {"memory": memory} if own else given)), False
        except BadInput as problem:
            return str(problem), True
        except (ReadgraphError, GraphBubbleUp):  # a function may use LangGraph's interrupt
            raise
        except ValidationError as problem:
            faults = "; ".join(f"{fault['loc'][0]}: {fault['msg']}" for fault in problem.errors()[:3] if fault["loc"])
            return f"{event.function} takes {_names(known)}. {faults or 'Its arguments can not be used'}.", True
        except Exception as problem:  # a user's function may raise anything; the conversation goes on
            return f"{event.function} failed: {type(problem).__name__}: {problem}", True


def _described(tool: BaseTool, schema: dict[str, Any]) -> str:
    fields, required = schema.get("properties", {}), schema.get("required", [])
    arguments = ", ".join(f"{name}{'' if name in required else '?'}: {_kind(field)}" for name, field in fields.items())
    return f"- {tool.name}({arguments}): {' '.join(tool.description.split())}"


def _kind(field: dict[str, Any]) -> str:
    return str(field.get("description") or _KINDS.get(str(field.get("type")), "text"))


def _names(known: dict[str, Any]) -> str:
    return ", ".join(known) or "no arguments"


def _value(value: Any, field: dict[str, Any]) -> Any:
    """The value for a field; a list or an object may be given as JSON."""
    if isinstance(value, str) and field.get("type") in ("array", "object") and value.lstrip()[:1] in ("[", "{"):
        try:
            return storable(json.loads(value))
        except (ValueError, RecursionError):
            return value
    return value

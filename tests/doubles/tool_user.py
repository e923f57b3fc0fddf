"""An agent for the model double: it calls the first tool once, and then says what it was told."""

from typing import Any

from tests.doubles.model_server import ChatRequest, ToolCall

OF_MEMORY = {"look_up", "recall"}
"""Tools that the memory of an agent adds."""


def is_agent(request: ChatRequest) -> bool:
    """Whether a request is that of an agent which may call tools, and not one of a reading."""
    return bool(request.tools) and not request.schema and not isinstance(request.body.get("tool_choice"), dict)


def tool_user(request: ChatRequest) -> str | ToolCall:
    """Call the first tool with what the user said, or repeat what a tool returned."""
    last = request.messages[-1]
    if last["role"] == "tool":
        return str(last["content"])
    functions: list[dict[str, Any]] = [tool["function"] for tool in request.tools]
    first = next((each for each in functions if each["name"] not in OF_MEMORY), functions[0])
    given = first["parameters"]["properties"]
    return ToolCall(first["name"], {name: request.last for name, kind in given.items() if kind.get("type") == "string"})

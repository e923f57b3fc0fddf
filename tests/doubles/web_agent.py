"""A scripted web agent for the model double: notes as the reader writes them, parts to see, and actions one by one."""

from typing import Any

from tests.doubles.model_server import ChatRequest
from tests.doubles.reader import asked_for, pages_shown, reader


def does(operation: str, element: str | None = None, value: str | None = None) -> dict[str, Any]:
    """A reply that names an action."""
    return {"reason": "it is next", "operation": operation, "element": element, "value": value}


class WebAgent:
    """Looks up the parts that hold one of `wanted`, or the first ones, and takes the actions of its script."""

    def __init__(self, *script: str | dict[str, Any], wanted: tuple[str, ...] = (), otherwise: str = "no idea") -> None:
        self.script, self.wanted, self.otherwise = [*script], wanted, otherwise
        self.acted: list[ChatRequest] = []
        self.looked_up: list[ChatRequest] = []
        self.noted: list[ChatRequest] = []

    def __call__(self, request: ChatRequest) -> str | dict[str, Any]:
        """The next reply."""
        wanted = asked_for(request)
        if wanted == "PagesToRead":
            self.looked_up.append(request)
            shown = pages_shown(request)
            named = [number for number, note in shown.items() if any(each in note for each in self.wanted)]
            return {"reason": "it is there", "pages": named or [*shown][:2]}
        if wanted == "NextAction":
            self.acted.append(request)
            return self.script.pop(0) if self.script else self.otherwise
        self.noted.append(request)
        return reader(request)

"""An agent's step while the model says it: of JSON that is not whole yet, what a person may see."""

import re
from typing import Any

from langchain_core.messages import BaseMessage
from pydantic_core import from_json

from readgraph.state.agents import SPEAKS

LONGEST = 32_768
"""Characters of a reply that are looked through at each piece of it; the rest is shown when the step is whole."""

_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_ESCAPED = {control: f"\\u{control:04x}" for control in range(32)}


class ComingStep:
    """The inner thoughts and the message of a step, as far as they have come."""

    def __init__(self, reply: str | None = None) -> None:
        self.reply = reply
        self.said = self.thoughts = self.message = ""

    def grow(self, piece: BaseMessage) -> tuple[str, str]:
        """What a piece of this reply adds to the thoughts, and to the message."""
        if len(self.said) > LONGEST:
            return "", ""
        calls: list[Any] = getattr(piece, "tool_call_chunks", [])
        self.said += "".join(call["args"] or "" for call in calls) or str(piece.text)
        thoughts, message = thoughts_and_message(self.said)
        if not (thoughts.startswith(self.thoughts) and message.startswith(self.message)):
            return "", ""  # what was shown can't be taken back
        grown = thoughts[len(self.thoughts) :], message[len(self.message) :]
        self.thoughts, self.message = thoughts, message
        return grown


def thoughts_and_message(said: str) -> tuple[str, str]:
    """The inner thoughts in the beginning of a step's JSON, and the message that it sends, if it sends one."""
    begun = _text(said[max(0, said.find("{")) :])
    try:
        step = from_json(_STRING.sub(_escaped, begun), allow_partial="trailing-strings")
    except ValueError:
        return "", ""
    if not isinstance(step, dict):
        return "", ""
    given = step.get("arguments") if step.get("function") == SPEAKS else None
    if isinstance(given, list):
        given = {each.get("name"): each.get("value") for each in given if isinstance(each, dict)}
    return _text(step.get("inner_thoughts")), _text(given.get("message") if isinstance(given, dict) else None)


def _escaped(string: re.Match[str]) -> str:
    """A string of JSON in which models wrote line breaks as they are."""
    return string[0] if string[0].isprintable() else string[0].translate(_ESCAPED)


def _text(value: Any) -> str:
    """A text without half of a character, which may come in two pieces."""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "ignore") if isinstance(value, str) else ""

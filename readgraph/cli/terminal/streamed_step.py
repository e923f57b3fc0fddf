"""An agent's step while the model writes it: what of its incomplete JSON can be shown already."""

import re
from typing import Any

from langchain_core.messages import BaseMessage
from pydantic_core import from_json

from readgraph.state.agents import SPEAKS

LONGEST = 32_768
"""Most characters of a reply that are parsed again for each piece; the rest is shown when the step is complete."""

_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_ESCAPED = {control: f"\\u{control:04x}" for control in range(32)}


class StreamedStep:
    """The inner thoughts and the message of a step, as far as they have been streamed."""

    def __init__(self, reply_id: str | None = None) -> None:
        self.reply_id = reply_id
        self.json_text = self.thoughts = self.message = ""

    def grow(self, piece: BaseMessage) -> tuple[str, str]:
        """What a piece of this reply adds to the thoughts, and to the message."""
        if len(self.json_text) > LONGEST:
            return "", ""
        calls: list[Any] = getattr(piece, "tool_call_chunks", [])
        self.json_text += "".join(call["args"] or "" for call in calls) or str(piece.text)
        thoughts, message = thoughts_and_message(self.json_text)
        if not (thoughts.startswith(self.thoughts) and message.startswith(self.message)):
            return "", ""  # what has been shown can't be removed
        grown = thoughts[len(self.thoughts) :], message[len(self.message) :]
        self.thoughts, self.message = thoughts, message
        return grown


def thoughts_and_message(json_start: str) -> tuple[str, str]:
    """The inner thoughts in the first part of a step's JSON, and the message that it sends, if any."""
    begun = _text(json_start[max(0, json_start.find("{")) :])
    try:
        step = from_json(_STRING.sub(_escaped, begun), allow_partial="trailing-strings")
    except ValueError:
        return "", ""
    if not isinstance(step, dict):
        return "", ""
    arguments = step.get("arguments") if step.get("function") == SPEAKS else None
    if isinstance(arguments, list):
        arguments = {each.get("name"): each.get("value") for each in arguments if isinstance(each, dict)}
    message = arguments.get("message") if isinstance(arguments, dict) else None
    return _text(step.get("inner_thoughts")), _text(message)


def _escaped(string: re.Match[str]) -> str:
    """A JSON string, with line breaks that the model left unescaped as escapes."""
    return string[0] if string[0].isprintable() else string[0].translate(_ESCAPED)


def _text(value: Any) -> str:
    """The text without half a character at its end: its other half comes with the next piece."""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "ignore") if isinstance(value, str) else ""

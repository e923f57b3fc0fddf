"""Messages of a conversation as a text that can be remembered, and their sizes."""

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage

from readgraph.state.page_store import PageStore
from readgraph.state.words import count_words

OURS = "readgraph"
"""Under this key of `additional_kwargs` stands what a message of ours is, or the document that holds a tool result."""


def message_words(message: BaseMessage) -> int:
    """The size of a message in words, with the arguments of its calls."""
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return count_words(str(message.text)) + sum(count_words(_arguments(call)) for call in calls)


def kept_document(message: BaseMessage) -> str | None:
    """The id of the document that holds the whole text of a tool result; None where the message itself does."""
    ours = message.additional_kwargs.get(OURS)
    return ours.get("document") if isinstance(ours, dict) else None


async def transcript(pages: PageStore, messages: Sequence[AnyMessage]) -> str:
    """The messages as a text, one after the other: who said what, which tools were called, what they returned.

    A tool result whose place a gist has taken is whole again. Of what is no text, only its kind is said.
    """
    names = {call["id"]: call["name"] for message in messages for call in getattr(message, "tool_calls", [])}
    return "\n\n".join([await _said(pages, message, names) for message in messages])


async def _said(pages: PageStore, message: AnyMessage, names: dict[str | None, str]) -> str:
    if isinstance(message, ToolMessage):
        name = message.name or names.get(message.tool_call_id, "a tool")
        return f"Result of {name}: {await _whole(pages, message)}"
    who = "User" if isinstance(message, HumanMessage) else "Agent" if isinstance(message, AIMessage) else "System"
    said = [f"{who}: {_text(message)}"] if _text(message) else []
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return "\n".join([*said, *(f"{who} calls {call['name']}({_arguments(call)})" for call in calls)])


async def _whole(pages: PageStore, message: ToolMessage) -> str:
    identity = kept_document(message)
    document = await pages.known_document(identity) if identity else None  # it may have been forgotten since
    return await pages.text(document) if document else _text(message)


def _text(message: BaseMessage) -> str:
    """A message's text; other content is named by its kind."""
    blocks = message.content if isinstance(message.content, list) else []
    others = [str(block.get("type")) for block in blocks if isinstance(block, dict) and block.get("type") != "text"]
    shown = [f"[{kind}]" for kind in others if kind not in ("tool_use", "tool_call", "reasoning", "thinking")]
    return " ".join(filter(None, [str(message.text).strip(), *shown]))


def _arguments(call: Any) -> str:
    return json.dumps(call["args"], ensure_ascii=False, default=str)

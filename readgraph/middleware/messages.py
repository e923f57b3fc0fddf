"""Messages of a conversation: as a text that can be remembered, their sizes, and which leave the window."""

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage

from readgraph.library.page_store import PageStore
from readgraph.state.words import count_words

OURS = "readgraph"  # the key of `additional_kwargs` for our messages' kind, or a result's document


def message_words(message: BaseMessage) -> int:
    """The size of a message in words, with the arguments of its calls."""
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return count_words(str(message.text)) + sum(count_words(_arguments(call)) for call in calls)


async def transcript(pages: PageStore, messages: Sequence[AnyMessage]) -> str:
    """The messages as a text: who said what, calls of tools, and their whole results; what is no text has its kind."""
    names = {call["id"]: call["name"] for message in messages for call in getattr(message, "tool_calls", [])}
    return "\n\n".join([await _format_message(pages, message, names) for message in messages])


async def _format_message(pages: PageStore, message: AnyMessage, names: dict[str | None, str]) -> str:
    if isinstance(message, ToolMessage):
        name = message.name or names.get(message.tool_call_id, "a tool")
        # The whole text of a tool result, which a document may hold in place of the message.
        ours = message.additional_kwargs.get(OURS)
        identity = ours.get("document") if isinstance(ours, dict) else None
        document = await pages.find_document(identity) if identity else None  # it may have been forgotten since
        return f"Result of {name}: {(await pages.text(document) if document else _text(message))}"
    who = "User" if isinstance(message, HumanMessage) else "Agent" if isinstance(message, AIMessage) else "System"
    said = [f"{who}: {_text(message)}"] if _text(message) else []
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return "\n".join([*said, *(f"{who} calls {call['name']}({_arguments(call)})" for call in calls)])


def _text(message: BaseMessage) -> str:
    """A message's text; other content is named by its kind."""
    blocks = message.content if isinstance(message.content, list) else []
    others = [str(block.get("type")) for block in blocks if isinstance(block, dict) and block.get("type") != "text"]
    shown = [f"[{kind}]" for kind in others if kind not in ("tool_use", "tool_call", "reasoning", "thinking")]
    return " ".join(filter(None, [str(message.text).strip(), *shown]))


def _arguments(call: Any) -> str:
    return json.dumps(call["args"], ensure_ascii=False, default=str)


NOTE = "notes"  # what a message with the notes on earlier messages is marked with


def split(messages: Sequence[AnyMessage], most: int, keep: int) -> tuple[list[AnyMessage], list[AnyMessage]]:
    """The messages that leave so that about `keep` words stay (none while there are at most `most`), and the others.

    The last message stays, and so does what the user said last, if it takes at most half of `keep`. A call of tools
    and its results stay or leave together.
    """
    said = [message for message in messages if message.additional_kwargs.get(OURS) != NOTE]
    sizes = [message_words(message) for message in said]
    if sum(map(message_words, messages)) <= most:
        return [], said
    cut = len(said) - 1
    kept = sizes[cut] if said else 0
    while cut > 0 and kept + sizes[cut - 1] <= keep:
        cut -= 1
        kept += sizes[cut]
    cut = _between_calls(said, max(cut, 0))
    asked = next((at for at in reversed(range(cut)) if isinstance(said[at], HumanMessage)), None)
    later = any(isinstance(message, HumanMessage) for message in said[cut:])
    stays = asked if asked is not None and not later and sizes[asked] <= keep // 2 else None
    leaving = [message for at, message in enumerate(said[:cut]) if at != stays]
    return leaving, [*([said[stays]] if stays is not None else []), *said[cut:]]


def _between_calls(said: Sequence[AnyMessage], cut: int) -> int:
    """The cut, moved to before the call whose results it would part from it."""
    results = {message.tool_call_id for message in said[cut:] if isinstance(message, ToolMessage)}
    for at in range(cut):
        message = said[at]
        if isinstance(message, AIMessage) and results & {call["id"] for call in message.tool_calls}:
            return at
    return cut

"""Which messages leave an agent's window."""

from collections.abc import Sequence
from typing import NamedTuple

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from readgraph.middleware.transcript import OURS, message_words

NOTE = "notes"
"""What a message with the notes on earlier messages is marked with."""


class Split(NamedTuple):
    """The messages that leave the window, and those that stay, without the notes on earlier ones."""

    leaving: list[AnyMessage]
    staying: list[AnyMessage]


def is_note(message: AnyMessage) -> bool:
    """Whether a message holds our notes on earlier ones."""
    return bool(message.additional_kwargs.get(OURS) == NOTE)


def split(messages: Sequence[AnyMessage], most: int, keep: int) -> Split:
    """The messages that leave so that about `keep` words stay; none leaves while there are at most `most`.

    The last message stays, and so does what the user said last, if it takes at most half of `keep`. A call of tools
    and its results stay or leave together.
    """
    said = [message for message in messages if not is_note(message)]
    sizes = [message_words(message) for message in said]
    if sum(map(message_words, messages)) <= most:
        return Split([], said)
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
    return Split(leaving, [*([said[stays]] if stays is not None else []), *said[cut:]])


def _between_calls(said: Sequence[AnyMessage], cut: int) -> int:
    """The cut, moved to before the call whose results it would part from it."""
    results = {message.tool_call_id for message in said[cut:] if isinstance(message, ToolMessage)}
    for at in range(cut):
        message = said[at]
        if isinstance(message, AIMessage) and results & {call["id"] for call in message.tool_calls}:
            return at
    return cut

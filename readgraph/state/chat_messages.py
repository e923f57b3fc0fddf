"""Questions and answers as chat messages, for clients that speak so: chat pages, sub-agents, other agents."""

from collections.abc import Sequence
from typing import Annotated, Any

from langchain_core.messages import AnyMessage, BaseMessage
from langgraph.graph.message import add_messages
from pydantic import Field

from readgraph.state.errors import BadInput

MOST_MESSAGES = 20
"""Messages of a thread that are kept: they are written again with every checkpoint."""


def add_chat(before: Sequence[Any], new: Any) -> list[AnyMessage]:
    """The newest messages of both; one with the id of an earlier message replaces it.

    Raises `BadInput` for what is no message.
    """
    kept = [message for message in before if isinstance(message, BaseMessage)]  # earlier versions kept plain texts here
    try:
        joined: Any = add_messages(kept, new or [])  # type: ignore[arg-type]
    except (TypeError, ValueError, NotImplementedError, LookupError):
        raise BadInput(
            "The input's 'messages' must be chat messages, such as [{'role': 'user', 'content': 'Who took it?'}]."
        ) from None
    return [*joined][-MOST_MESSAGES:]


ChatMessages = Annotated[
    list[AnyMessage],
    Field(description="The conversation as chat messages. Without `question`, the last message is the question."),
    add_chat,
]


def asked_in(messages: Sequence[BaseMessage]) -> str:
    """The question in a conversation: its last message, if a person wrote it; else ""."""
    return str(messages[-1].text).strip() if messages and messages[-1].type == "human" else ""


def exchanges_in(messages: Sequence[BaseMessage]) -> list[tuple[str, str | None]]:
    """The questions of a conversation before its last message, each with its answer; None if it has none."""
    exchanges: list[tuple[str, str | None]] = []
    for message in messages[:-1]:
        text = str(message.text).strip()
        if message.type == "human" and text:
            exchanges.append((text, None))
        elif message.type == "ai" and text and exchanges:
            exchanges[-1] = (exchanges[-1][0], text)
    return exchanges

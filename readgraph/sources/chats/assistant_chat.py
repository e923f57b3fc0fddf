"""Exported talks with assistants: ChatGPT's and Claude's JSON."""

from collections.abc import Iterator
from typing import Any

from readgraph.sources.chats.chat_json import dicts, time_of, words
from readgraph.sources.chats.chat_turns import Chat, Turn

_CHATGPT = {"user": "User", "assistant": "ChatGPT"}
_CLAUDE = {"human": "User", "assistant": "Claude"}


def assistant_chats(value: Any) -> list[Chat]:
    """The conversations in an export, or in one conversation of it; an empty list if there is none."""
    chats = []
    for conversation in dicts([value] if isinstance(value, dict) else value):
        if isinstance(conversation.get("mapping"), dict):
            chats.append(Chat(words(conversation.get("title")), list(_of_chatgpt(conversation))))
        elif isinstance(conversation.get("chat_messages"), list):
            chats.append(Chat(words(conversation.get("name")), list(_of_claude(conversation))))
    return [chat for chat in chats if chat.turns]


def _of_chatgpt(conversation: dict[str, Any]) -> Iterator[Turn]:
    """The branch that was last shown: an edited question begins another one."""
    nodes: dict[str, Any] = conversation["mapping"]
    branch: list[dict[str, Any]] = []
    at, seen = conversation.get("current_node"), set[str]()
    while isinstance(at, str) and at not in seen and isinstance(node := nodes.get(at), dict):
        seen.add(at)
        branch.append(node)
        at = node.get("parent")
    for node in reversed(branch) if branch else dicts(list(nodes.values())):
        message = node.get("message")
        if isinstance(message, dict) and (turn := _turn_of_chatgpt(message)):
            yield turn


def _turn_of_chatgpt(message: dict[str, Any]) -> Turn | None:
    author, content, about = (message.get(key) for key in ("author", "content", "metadata"))
    role = words(author.get("role")) if isinstance(author, dict) else ""
    is_hidden = isinstance(about, dict) and about.get("is_visually_hidden_from_conversation")
    parts = content.get("parts") if isinstance(content, dict) else None
    text = "\n".join(filter(None, map(words, parts))).strip() if isinstance(parts, list) else ""
    if role not in _CHATGPT or is_hidden or not text:
        return None
    return Turn(_CHATGPT[role], text, time_of(message.get("create_time"))[0])


def _of_claude(conversation: dict[str, Any]) -> Iterator[Turn]:
    for message in dicts(conversation["chat_messages"]):
        parts = [words(part.get("text")) for part in dicts(message.get("content")) if part.get("type") == "text"]
        text = ("\n".join(filter(None, parts)) or words(message.get("text"))).strip()
        speaker = _CLAUDE.get(words(message.get("sender")))
        if text and speaker:
            yield Turn(speaker, text, time_of(message.get("created_at"))[0])

"""Exports of assistants (ChatGPT, Claude, Gemini): what was written, spoken, pasted and attached."""

import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from readgraph.sources.converting import dicts
from readgraph.sources.formats.chat_turns import ChatConversation, ChatTurn, dict_in, time_of, words
from readgraph.sources.formats.html_text import read_page
from readgraph.sources.formats.transcripts import chat_of_messages

_CHATGPT = {"user": "User", "assistant": "ChatGPT"}
_CLAUDE = {"human": "User", "assistant": "Claude"}
_TOKEN = re.compile(r"\ue200(\w+)\ue202([^\ue200\ue201]*)\ue201")
_PRIVATE = re.compile(r"[\ue000-\uf8ff]")
_SOURCE = re.compile(r"\s?【[^【】†]{0,40}†([^【】]{0,200})】")
_GEMINI = re.compile(r"(?:Gemini|Bard)\b.*")


def assistant_chats(value: Any) -> list[ChatConversation]:
    """The conversations in an export, or in one conversation of it; an empty list if there is none."""
    chats = []
    for conversation in dicts([value] if isinstance(value, dict) else value):
        if isinstance(conversation.get("mapping"), dict):
            chats.append(ChatConversation(words(conversation.get("title")), list(_turns_of_chatgpt(conversation))))
        elif isinstance(conversation.get("chat_messages"), list):
            chats.append(ChatConversation(words(conversation.get("name")), list(_turns_of_claude(conversation))))
        elif chat := chat_of_messages(conversation):
            chats.append(chat)
    if not chats and (chat := chat_of_messages(value)):  # the items of one session
        return [chat]
    if not chats and (turns := [*_turns_of_gemini(value)]):
        return [ChatConversation("Gemini", turns)]
    return [chat for chat in chats if chat.turns]


def _turns_of_chatgpt(conversation: dict[str, Any]) -> Iterator[ChatTurn]:
    """The branch that was last shown: an edited question begins another one."""
    nodes: dict[str, Any] = conversation["mapping"]
    branch: list[dict[str, Any]] = []
    at, seen = conversation.get("current_node"), set[str]()
    while isinstance(at, str) and at not in seen and isinstance(node := nodes.get(at), dict):
        seen.add(at)
        branch.append(node)
        at = node.get("parent")
    for node in reversed(branch) if branch else dicts(list(nodes.values())):
        message = dict_in(node, "message")
        role = words(dict_in(message, "author").get("role"))
        metadata = dict_in(message, "metadata")
        text = _text_of_chatgpt(message, metadata)
        if role in _CHATGPT and text and not metadata.get("is_visually_hidden_from_conversation"):
            yield ChatTurn(_CHATGPT[role], text, time_of(message.get("create_time"))[0])


def _text_of_chatgpt(message: dict[str, Any], metadata: dict[str, Any]) -> str:
    """What is written or spoken in a message, with its citations as they are shown, and what is attached."""
    parts = dict_in(message, "content").get("parts")
    texts, pictures = list[str](), 0
    for part in parts if isinstance(parts, list) else []:
        kind = words(part.get("content_type")) if isinstance(part, dict) else ""
        texts.append(words(part) or (words(part.get("text")) if kind == "audio_transcription" else ""))
        pictures += kind == "image_asset_pointer"
    text = "\n".join(filter(None, texts))
    for reference in dicts(metadata.get("content_references")):
        if (mark := words(reference.get("matched_text"))) and not mark.isspace():
            text = text.replace(mark, words(reference.get("alt")))
    text = _PRIVATE.sub("", _TOKEN.sub(_shown_of_token, text))
    text = _SOURCE.sub(lambda found: "" if found[1] in ("", "source") else f" [{found[1]}]", text).strip()
    attached = [words(each.get("name")) for each in dicts(metadata.get("attachments"))]
    attached = [*filter(None, attached)] or ["picture"] * pictures
    return _with_attached(text, attached)


def _shown_of_token(token: re.Match[str]) -> str:
    """What is shown for a sign of the program: the name of a thing, the words of a link, or nothing for a citation."""
    try:
        given = json.loads(token[2])
    except ValueError:
        given = token[2].split("\ue202")
    if token[1] == "entity" and isinstance(given, list) and len(given) > 1:
        return words(given[1])
    return words(given[0]) if token[1] in ("url", "link") and isinstance(given, list) and given else ""


def _with_attached(text: str, attached: list[str]) -> str:
    return "\n".join(filter(None, [text, f"Attached: {', '.join(attached)}" if attached else ""]))


def _turns_of_claude(conversation: dict[str, Any]) -> Iterator[ChatTurn]:
    for message in dicts(conversation["chat_messages"]):
        parts = [_text_of_claude(part) for part in dicts(message.get("content"))]
        text = "\n".join(filter(None, parts)) or words(message.get("text"))
        attached = [words(each.get("file_name")) for each in dicts(message.get("files"))]
        for each in dicts(message.get("attachments")):
            name, pasted = words(each.get("file_name")), words(each.get("extracted_content")).strip()
            if pasted:
                text = f"{text}\n\nPasted{f' ({name})' if name else ''}:\n{pasted}"
            else:
                attached.append(name)
        text = _with_attached(text.strip(), [*dict.fromkeys(filter(None, attached))])
        speaker = _CLAUDE.get(words(message.get("sender")))
        if text and speaker:
            yield ChatTurn(speaker, text, time_of(message.get("created_at"))[0])


def _text_of_claude(part: dict[str, Any]) -> str:
    """What is written, spoken, or made beside the talk (an artifact)."""
    kind, given = part.get("type"), dict_in(part, "input")
    if kind == "tool_use" and part.get("name") == "artifacts":
        return "\n".join(filter(None, (words(given.get("title")), words(given.get("content")))))
    return words(part.get("text")) if kind in ("text", "voice_note") else ""


def _turns_of_gemini(value: Any) -> Iterator[ChatTurn]:
    """The questions and answers in an account's activity, which stand newest first."""
    for entry in reversed(dicts(value)):
        if not _GEMINI.match(words(entry.get("header"))):
            continue
        time = time_of(entry.get("time"))[0]
        if asked := unescape(re.sub(r"^(?:Prompted|Asked|Said)\s+", "", words(entry.get("title")))).strip():
            yield ChatTurn("User", asked, time)
        for item in dicts(entry.get("safeHtmlItem")):
            if answer := read_page(f"\ufeff{words(item.get('html'))}".encode(), "").blocks.text():
                yield ChatTurn("Gemini", answer, time)

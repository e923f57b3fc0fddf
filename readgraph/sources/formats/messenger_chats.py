"""Exports of messengers as JSON, CSV or XML, by the forms of their messages (`messenger_forms`)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from readgraph.sources.converting import dicts
from readgraph.sources.formats.chat_messages import DELETED, EDITED, Message, MessengerChat
from readgraph.sources.formats.chat_turns import dict_in, words
from readgraph.sources.formats.messenger_forms import FORMS, MessageForm
from readgraph.sources.left_out import LeftOut

_SAMPLE = 200  # messages of a chat by which its form is told
_TITLES = ("name", "title", "displayName", "threadName", "room_name")
_OWN_CHATS = {"saved_messages": "Saved Messages", "replies": "Replies"}  # Telegram's, which have no name


def messenger_chats(value: Any, left_out: LeftOut) -> list[MessengerChat]:
    """The chats in an export, or in one chat of it; an empty list if there is none."""
    whole = value if isinstance(value, dict) else {"messages": value}
    listed = [each for key in ("chats", "left_chats") for each in dicts(dict_in(whole, key).get("list"))]
    chats = (_chat(each, left_out) for each in listed or dicts(whole.get("conversations")) or [whole])
    return [chat for chat in chats if chat and chat.messages]


def is_without_messages(value: Any) -> bool:
    """Whether this is an export of one chat or of all of them, of Telegram, Discord or Teams, in which nobody wrote."""
    if not isinstance(value, dict):
        return False
    if value.get("messages") == []:
        return {"type", "id"} <= value.keys() or {"guild", "channel"} <= value.keys()
    chats = value.get("conversations") if "userId" in value else dict_in(value, "chats").get("list")
    return isinstance(chats, list) and all(
        isinstance(each, dict) and not (each.get("messages") or each.get("MessageList")) for each in chats
    )


def _chat(chat: dict[str, Any], left_out: LeftOut) -> MessengerChat | None:
    lists = (chat.get(key) for key in ("messages", "MessageList", "value"))
    given: list[Any] = next((each for each in lists if isinstance(each, list)), [])
    messages = dicts(given)
    form = form_of(messages)
    if form is None:
        return None
    for each in given:
        if not isinstance(each, dict) or not _is_of(form, each):
            left_out.add("entry that is no message")
    return MessengerChat(_title(chat, form), [*messages_in(form, messages)])


def form_of(messages: Sequence[dict[str, Any]]) -> MessageForm | None:
    """The form of messages; None where they are of no known one."""
    sample = messages[:_SAMPLE]
    return next((form for form in FORMS if any(_has_marks(form, message) for message in sample)), None)


def _has_marks(form: MessageForm, message: dict[str, Any]) -> bool:
    return all(mark in message for mark in form.marks)


def _is_of(form: MessageForm, message: dict[str, Any]) -> bool:
    """Whether it is a message of this form, any of whose fields may be missing."""
    return any(_at(message, path) is not None for path in (*form.speaker, *form.text, *form.time))


def _title(chat: dict[str, Any], form: MessageForm) -> str:
    guild, channel = words(_at(chat, "guild/name")), words(_at(chat, "channel/name"))
    if channel:
        return f"{guild} #{channel}".strip()
    named = next(filter(None, (words(chat.get(key)) for key in _TITLES)), "")
    return (_repaired(named) if form.repair else named) or _OWN_CHATS.get(words(chat.get("type")), "")


def messages_in(form: MessageForm, given: Iterable[dict[str, Any]]) -> Iterator[Message]:
    """The messages of a chat; one whose text a later one changes has that text."""
    read = [(_message(form, each), form.replaces(each)) for each in given if _is_of(form, each)]
    last = {replaced: message for message, replaced in read if replaced}
    known = {message.identity for message, _ in read}
    for message, replaced in read:
        if not replaced or replaced not in known:
            later = last.get(message.identity) if message.identity else None
            yield message._replace(text=f"{later.text}\n{EDITED}") if later else message


def _message(form: MessageForm, message: dict[str, Any]) -> Message:
    text = form.said(next(filter(None, (_at(message, path) for path in form.text)), ""), message).strip()
    lines = [text, *(line.strip() for line in form.shown(message))]
    if any(_at(message, path) for path in form.deleted):
        lines = [DELETED]
    shown = [*filter(None, lines)]
    if shown and any(_at(message, path) for path in form.edited):
        shown.append(EDITED)
    unnamed = form.unnamed if message.get("type") != "service" else ""
    quoted = ": ".join(filter(None, (words(_at(message, path)).strip("> \n") for path in form.quoted if path)))
    said = [_first(message, form.speaker) or unnamed, "\n".join(shown), quoted]
    speaker, text, quoted = map(_repaired, said) if form.repair else said
    time = next(filter(None, (_at(message, path) for path in form.time)), None)
    return Message(speaker, text, time, _first(message, form.identity), _first(message, form.answers), quoted)


def _first(message: dict[str, Any], paths: Iterable[str]) -> str:
    """The first of some fields that is there, as words: numbers too, which identities are."""
    values = (_at(message, path) for path in paths)
    return next((str(each) if isinstance(each, int) else words(each) for each in values if each), "")


def _at(value: Any, path: str) -> Any:
    """What stands at a path in JSON; None where there is nothing."""
    for key in path.split("/"):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _repaired(text: str) -> str:
    """Facebook and Instagram write the bytes of UTF-8 as characters."""
    try:
        return text if text.isascii() else text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text

"""Exports of messengers as JSON: Discord, Telegram, Google Chat, Teams, Instagram and Facebook."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from readgraph.sources.converting import dicts
from readgraph.sources.formats.chat_turns import ChatConversation, ChatTurn, dict_in, time_of, words
from readgraph.sources.formats.html_text import read_page

MOST_QUOTED = 80  # characters of a message to which another one replies


def messenger_chats(value: Any) -> list[ChatConversation]:
    """The conversations in an export, or in one conversation of it; an empty list if there is none."""
    of = value if isinstance(value, dict) else {}
    listed = dicts(dict_in(of, "chats").get("list")) or dicts(of.get("conversations")) or dicts([value])
    chats = (ChatConversation(_title(each), [*_turns(each)]) for each in listed)
    return [chat for chat in chats if chat.turns]


def _title(chat: dict[str, Any]) -> str:
    guild, channel = words(dict_in(chat, "guild").get("name")), words(dict_in(chat, "channel").get("name"))
    named = f"{guild} #{channel}".strip() if channel else ""
    titles = (words(chat.get(key)) for key in ("name", "title", "displayName"))
    return named or _repaired(next(filter(None, titles), ""))


def _turns(chat: dict[str, Any]) -> Iterable[ChatTurn]:
    """The turns of a conversation in the order of time."""
    messages = dicts(chat.get("messages")) or dicts(chat.get("MessageList"))
    said = [(message, _speaker(message), _text(message)) for message in messages]
    heads = {
        _identity(message): f"{speaker}: {text.partition(chr(10))[0]}" for message, speaker, text in said if speaker
    }
    turns = list[tuple[float, ChatTurn]]()
    for message, speaker, text in said:
        if not speaker or not text:
            continue
        if answered := heads.get(_answered(message)):
            quoted = answered if len(answered) <= MOST_QUOTED else f"{answered[: MOST_QUOTED - 1].rstrip()}…"
            text = f"(in reply to {quoted})\n{text}"
        moment, seconds = _time(message)
        turns.append((seconds, ChatTurn(speaker, text, moment)))
    return (turn for _, turn in sorted(turns, key=lambda timed: timed[0]))


def _identity(message: dict[str, Any]) -> str:
    return str(message.get("id") or message.get("message_id") or "")


def _speaker(message: dict[str, Any]) -> str:
    if message.get("type") == "service":  # "Anna joined the group"
        return ""
    author, creator = dict_in(message, "author"), dict_in(message, "creator")
    names = [author.get("nickname"), author.get("name"), creator.get("name")]
    names += [message.get(key) for key in ("sender_name", "displayName", "from")]
    is_talk = author or creator or {"sender_name", "from", "from_id"} & message.keys()
    unnamed = "Deleted account" if "from_id" in message or "from" in message else ""
    return _repaired(next(filter(None, map(words, names)), unnamed)) if is_talk else ""


def _text(message: dict[str, Any]) -> str:
    """What a message says, with what is shown beside it, attached to it, and said to it by signs."""
    lines = [_said(message)]
    for embed in dicts(message.get("embeds")):
        lines += [words(embed.get("title")), words(embed.get("description"))]
        lines += [f"{words(field.get('name'))}: {words(field.get('value'))}" for field in dicts(embed.get("fields"))]
    lines += _shared(message)
    lines += [f"Sticker: {words(each.get('name'))}" for each in dicts(message.get("stickers"))]
    attached = [words(each.get("fileName")) for each in dicts(message.get("attachments"))]
    attached += [words(each.get("export_name")) for each in dicts(message.get("attached_files"))]
    attached += [words(message.get("file_name")) or words(message.get("file")), words(message.get("photo"))]
    for kind in ("photos", "videos", "audio_files", "files"):
        attached += [words(each.get("uri")).rpartition("/")[2] for each in dicts(message.get(kind))]
    if names := [*filter(None, attached)]:
        lines.append(f"Attached: {', '.join(names)}")
    if told := "; ".join(filter(None, map(_told, dicts(message.get("reactions"))))):
        lines.append(f"Reactions: {told}")
    if message.get("timestampEdited") or message.get("edited"):
        lines.append("(edited)")
    shown = [line for line in lines if line.strip()]
    return "\n".join(shown) if shown and shown != ["(edited)"] else ""


def _said(message: dict[str, Any]) -> str:
    content = message.get("content") or message.get("text")
    if isinstance(content, list):  # Telegram parts a text by its links and its print
        return "".join(map(_part, content)).strip()
    text = words(content).strip()
    if "originalarrivaltime" in message and "<" in text:
        return read_page(f"\ufeff{text}".encode(), "").blocks.text()
    return _repaired(text) if "sender_name" in message else text


def _part(part: Any) -> str:
    """A part of a Telegram message; what is struck out is set apart, as its signs in Markdown do."""
    if not isinstance(part, dict):
        return words(part)
    text = words(part.get("text"))
    return f"~~{text}~~" if part.get("type") == "strikethrough" and text.strip() else text


def _shared(message: dict[str, Any]) -> Iterable[str]:
    """What a Telegram message shares beside its text: a poll, a place, a contact."""
    if poll := dict_in(message, "poll"):
        answers = (f"{words(each.get('text'))} ({each.get('voters', 0)})" for each in dicts(poll.get("answers")))
        yield f"Poll: {words(poll.get('question'))} {', '.join(answers)}"
    if place := dict_in(message, "location_information"):
        named = filter(None, (words(message.get("place_name")), words(message.get("address"))))
        yield f"Place: {', '.join([*named, str(place.get('latitude')), str(place.get('longitude'))])}"
    if contact := dict_in(message, "contact_information"):
        yield f"Contact: {' '.join(filter(None, map(words, contact.values())))}"


def _told(reaction: dict[str, Any]) -> str:
    sign = (
        words(dict_in(reaction, "emoji").get("name")) or words(reaction.get("emoji")) or words(reaction.get("reaction"))
    )
    by = words(reaction.get("actor")) or (str(reaction["count"]) if isinstance(reaction.get("count"), int) else "")
    return f"{_repaired(sign)} {_repaired(by)}".strip() if sign else ""


def _repaired(text: str) -> str:
    """Facebook and Instagram write the bytes of UTF-8 as characters."""
    try:
        return text if text.isascii() else text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


def _answered(message: dict[str, Any]) -> str:
    referred = dict_in(message, "reference").get("messageId") or message.get("reply_to_message_id")
    referred = referred or dict_in(message, "quoted_message_metadata").get("message_id")
    return str(referred or "-")


def _time(message: dict[str, Any]) -> tuple[datetime | None, float]:
    if isinstance(milliseconds := message.get("timestamp_ms"), int | float):
        return time_of(milliseconds / 1000)
    for key in ("timestamp", "date_unixtime", "date", "originalarrivaltime", "created_date"):
        moment, seconds = time_of(message.get(key))
        if moment:
            return moment, seconds
    written = words(message.get("created_date")).replace("\u202f", " ").removesuffix(" UTC")
    try:
        moment = datetime.strptime(written, "%A, %B %d, %Y at %I:%M:%S %p")
    except ValueError:
        return None, 0.0
    return moment, (moment - datetime(1970, 1, 1)).total_seconds()

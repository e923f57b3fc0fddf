"""Signal's own export (`main.jsonl`): lines with recipients, chats, and messages that name both by numbers."""

from collections.abc import Iterator
from typing import Any

from readgraph.sources.converting import dicts
from readgraph.sources.formats.chat_messages import DELETED, EDITED, Message, MessengerChat, bracketed
from readgraph.sources.formats.chat_turns import dict_in, words
from readgraph.sources.formats.messenger_parts import as_words, attached, reactions
from readgraph.sources.left_out import LeftOut

_KINDS = ("standardMessage", "directStoryReplyMessage", "stickerMessage", "contactMessage", "viewOnceMessage", "poll")
_STATES = ("remoteDeletedMessage", "adminDeletedMessage")


def signal_chats(value: Any, left_out: LeftOut) -> list[MessengerChat]:
    """The chats on the lines of such a file; an empty list for any other value."""
    lines = dicts(value)
    if not any("chatItem" in line for line in lines):
        return []
    people = {_id(each): _name(each) for line in lines if (each := dict_in(line, "recipient"))}
    titles = {
        _id(each): people.get(str(each.get("recipientId")), "") for line in lines if (each := dict_in(line, "chat"))
    }
    chats = dict[str, MessengerChat]()
    for item in (dict_in(line, "chatItem") for line in lines if "chatItem" in line):
        chat = str(item.get("chatId"))
        chats.setdefault(chat, MessengerChat(titles.get(chat, ""), [])).messages.append(_message(item, people))
    for _ in range(len(value) - len(lines)):
        left_out.add("entry that is no message")
    return [*chats.values()]


def _id(value: dict[str, Any]) -> str:
    return str(value.get("id"))


def _name(recipient: dict[str, Any]) -> str:
    if "self" in recipient:
        return "Me"
    contact, group = dict_in(recipient, "contact"), dict_in(dict_in(recipient, "group"), "snapshot")
    nickname = dict_in(contact, "nickname")
    pairs = ((nickname, "given", "family"), (contact, "systemGivenName", "systemFamilyName"),
             (contact, "profileGivenName", "profileFamilyName"))  # fmt: skip
    names = [" ".join(filter(None, (words(of.get(first)), words(of.get(last))))) for of, first, last in pairs]
    names += [words(dict_in(group, "title").get("title")), words(contact.get("username"))]
    names += [
        f"+{number}" if (number := str(contact.get("e164") or "")) else "",
        "Signal" * ("releaseNotes" in recipient),
    ]
    return next(filter(None, names), "Unknown")


def _message(item: dict[str, Any], people: dict[str, str]) -> Message:
    sent, quote = item.get("dateSent"), dict_in(dict_in(item, "standardMessage"), "quote")
    author = people.get(str(item.get("authorId")), "Unknown")
    said = [line for line in map(str.strip, _lines(item, people)) if line]
    if said and dicts(item.get("revisions")):
        said.append(EDITED)
    quoted = dict_in(quote, "text").get("body") or quote.get("type")
    told = ": ".join(filter(None, (people.get(str(quote.get("authorId")), ""), words(quoted)))) if quote else ""
    return Message(author, "\n".join(said), sent, str(sent), str(quote.get("targetSentTimestamp") or ""), told)


def _lines(item: dict[str, Any], people: dict[str, str]) -> Iterator[str]:
    """What a message shows; of what is no message, which happening it is."""
    if any(state in item for state in _STATES):
        yield DELETED
    kind = next((each for each in _KINDS if each in item), "")
    message = dict_in(item, kind)
    yield words(dict_in(dict_in(message, "textReply") or message, "text").get("body"))
    yield words(message.get("emoji"))
    if kind == "stickerMessage":
        yield bracketed(" ".join(filter(None, ["sticker", words(dict_in(message, "sticker").get("emoji"))])))
    elif kind == "viewOnceMessage":
        yield "[media to be seen once]"
    elif kind == "contactMessage":
        contact = dict_in(message, "contact")
        numbers = [words(each.get("value")) for each in dicts(contact.get("number"))]
        yield f"Contact: {' '.join(filter(None, [*map(words, dict_in(contact, 'name').values()), *numbers]))}"
    elif kind == "poll":
        options = (
            f"{words(each.get('option'))} ({len(dicts(each.get('votes')))})" for each in dicts(message.get("options"))
        )
        yield f"Poll: {words(message.get('question'))} {', '.join(options)}"
    for each in dicts(message.get("attachments")):
        yield _attachment(dict_in(each, "pointer"), words(each.get("flag")))
    yield from attached(
        each.get("url")
        for each in dicts(message.get("linkPreview"))
        if words(each.get("url")) not in words(dict_in(message, "text").get("body"))
    )
    if not kind:
        yield from _happening(item)
    told = dicts(message.get("reactions"))
    yield from reactions((each.get("emoji"), people.get(str(each.get("authorId")), "")) for each in told)


def _attachment(pointer: dict[str, Any], flag: str) -> str:
    kind = {"VOICE_MESSAGE": "voice message", "GIF": "GIF"}.get(flag) or words(pointer.get("contentType")).partition(
        "/"
    )[0]
    name = words(pointer.get("fileName"))
    return bracketed({"image": "photo", "application": "file", "text": "file"}.get(kind, kind) or "file", name)


def _happening(item: dict[str, Any]) -> Iterator[str]:
    """A line for a call, a change of the group, a payment and the like, by the names of its fields."""
    for key in item.keys() & {"updateMessage", "paymentNotification", "giftBadge"}:
        update = dict_in(item, key)
        which = next(iter(update), "")
        told = dict_in(update, which)
        state = words(told.get("state")).replace("_", " ").lower()
        call = {"individualCall": "call", "groupCall": "group call"}.get(which, "")
        inner = next((next(iter(each), "") for each in dicts(told.get("updates"))), "") or words(told.get("type"))
        yield bracketed(call or as_words(inner or which or key), state if call else "")

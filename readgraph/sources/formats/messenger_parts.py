"""What messages of each messenger show beside their text, or how their text is written: a function for each."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from readgraph.sources.converting import dicts
from readgraph.sources.formats.chat_messages import bracketed, clock_of, length_of
from readgraph.sources.formats.chat_turns import dict_in, words
from readgraph.sources.formats.html_parts import text_of_html

_TELEGRAM_MEDIA = {"video_file": "video", "audio_file": "audio", "animation": "GIF"}
_SIGNS = {"strikethrough": "~~{}~~", "code": "`{}`", "pre": "\n```\n{}\n```\n"}
_PART = re.compile(r"<part\b.*?</part>|<part\b[^>]*/>", re.DOTALL)
_TAGS = re.compile(r"<[^<>]*>")


def as_words(name: str) -> str:
    """A name of JSON as words: "group description update" for "groupDescriptionUpdate"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").lower()


def plain(text: Any, _: dict[str, Any]) -> str:
    """The text as it is."""
    return words(text)


def labelled(message: dict[str, Any], **fields: str) -> Iterator[str]:
    """What stands in fields, after its label: "Attached: plan.pdf"."""
    for label, field in fields.items():
        if told := words(message.get(field)).strip():
            yield f"{label}: {told}"


def attached(names: Iterable[Any]) -> Iterator[str]:
    """The names of files: "Attached: plan.pdf, key.png"."""
    if told := ", ".join(filter(None, map(words, names))):
        yield f"Attached: {told}"


def reactions(told: Iterable[tuple[Any, Any]]) -> Iterator[str]:
    """Signs, each with who gave it, or how many did: "Reactions: 👍 2; ❤ Anna"."""
    by = ((words(sign), words(each) or (str(each) if isinstance(each, int) else "")) for sign, each in told)
    if signs := "; ".join(f"{sign} {each}".strip() for sign, each in by if sign):
        yield f"Reactions: {signs}"


def _name_of_file(path: Any) -> str:
    return words(path).rpartition("/")[2]


def text_of_telegram(text: Any, message: dict[str, Any]) -> str:
    """The parts of a text, after whose it is: links keep their addresses, what is struck out and code their signs."""
    whose = [
        f"({told} {words(message[key]) or 'a deleted account'})\n"
        for key, told in (("forwarded_from", "forwarded from"), ("saved_from", "saved from"), ("via_bot", "via"))
        if key in message
    ]
    said = "".join(map(_part_of_telegram, text)) if isinstance(text, list) else words(text)
    return "".join([*whose, said.strip()])


def _part_of_telegram(part: Any) -> str:
    if not isinstance(part, dict):
        return words(part)
    text, link = words(part.get("text")), words(part.get("href"))
    if link and link != text:
        return f"{text} ({link})"
    sign = _SIGNS.get(words(part.get("type")))
    return sign.format(text) if sign and text.strip() else text


def shown_on_telegram(message: dict[str, Any]) -> Iterator[str]:
    """What a message of Telegram shares and carries; of a line of the program, what was done."""
    if message.get("type") == "service":
        yield _service_of_telegram(message)
    kind, seconds = words(message.get("media_type")), clock_of(message.get("duration_seconds"))
    file, photo = words(message.get("file")), words(message.get("photo"))
    if kind:
        sign = " ".join(filter(None, ["sticker", words(message.get("sticker_emoji"))]))
        named = (words(message.get(key)) for key in ("performer", "title"))
        shown = bracketed(_TELEGRAM_MEDIA.get(kind, sign if kind == "sticker" else kind.replace("_", " ")),
                          *named, seconds)  # fmt: skip
        yield shown if file.startswith("(") or kind == "sticker" else f"{shown} {file}".strip()
    elif file:
        name = words(message.get("file_name")) or ("" if file.startswith("(") else file)
        yield f"Attached: {name}" if name else bracketed("file", message.get("mime_type"))
    if photo and message.get("type") != "service":
        yield "[photo]" if photo.startswith("(") else f"[photo] {photo}"
    yield from _shared_on_telegram(message)
    yield from reactions(
        (
            reaction.get("emoji") or ("⭐" if reaction.get("type") == "paid" else "a sign of its own"),
            reaction.get("count"),
        )
        for reaction in dicts(message.get("reactions"))
    )


def _service_of_telegram(message: dict[str, Any]) -> str:
    action = words(message.get("action"))
    if action == "phone_call":
        length, reason = length_of(message.get("duration_seconds")), words(message.get("discard_reason"))
        if reason == "missed":
            return "[missed call]"
        return bracketed("call", length or ("" if reason == "hangup" else reason))
    members = message.get("members")
    named = ", ".join(filter(None, map(words, members))) if isinstance(members, list) else ""
    told = (words(message.get(key)) for key in ("title", "new_title", "information_text", "inviter", "to", "amount"))
    return bracketed(action.replace("_", " ") or "service message", *told, named, length_of(message.get("duration")))


def _shared_on_telegram(message: dict[str, Any]) -> Iterator[str]:
    if poll := dict_in(message, "poll"):
        answers = (f"{words(each.get('text'))} ({each.get('voters', 0)})" for each in dicts(poll.get("answers")))
        yield f"Poll: {words(poll.get('question'))} {', '.join(answers)}"
    if todo := dict_in(message, "todo_list"):
        yield f"List: {text_of_telegram(todo.get('title'), {})}"
        yield from (f"- {text_of_telegram(each.get('text'), {})}" for each in dicts(todo.get("answers")))
    place = dict_in(message, "location_information")
    named = [words(message.get(key)) for key in ("place_name", "address")]
    if place or any(named):
        named += [str(place[key]) for key in ("latitude", "longitude") if key in place]
        yield f"Place: {', '.join(filter(None, named))}"
    if contact := dict_in(message, "contact_information"):
        yield f"Contact: {' '.join(filter(None, map(words, contact.values())))}"
    if game := words(message.get("game_title")):
        yield bracketed("game", game, message.get("game_description"), message.get("game_link"))
    for kind in ("invoice", "giveaway"):
        if bought := dict_in(message, f"{kind}_information"):
            yield bracketed(kind, *(bought.get(key) for key in ("title", "description", "amount", "currency")))


def text_of_discord(text: Any, message: dict[str, Any]) -> str:
    """A message's text; of a line of the program, in brackets."""
    is_said = message.get("type", "Default") in ("Default", "Reply", 0, 19, "0", "19")
    return words(text) if is_said or not words(text).strip() else f"[{words(text).strip()}]"


def shown_on_discord(message: dict[str, Any]) -> Iterator[str]:
    """What is forwarded, embedded in a message and attached to it, its stickers, and the signs said to it."""
    if isinstance(forwarded := message.get("forwardedMessage"), dict):
        yield f"(forwarded)\n{words(forwarded.get('content'))}".strip()
        yield from shown_on_discord({**forwarded, "forwardedMessage": None})
    if command := words(dict_in(message, "interaction").get("name")):
        yield bracketed(f"command /{command}", dict_in(dict_in(message, "interaction"), "user").get("name"))
    for embed in dicts(message.get("embeds")):
        yield words(dict_in(embed, "author").get("name"))
        title, link = words(embed.get("title")), words(embed.get("url"))
        yield f"{title} ({link})" if title and link and link not in words(message.get("content")) else title
        yield words(embed.get("description"))
        yield from (f"{words(field.get('name'))}: {words(field.get('value'))}" for field in dicts(embed.get("fields")))
        yield words(dict_in(embed, "footer").get("text"))
    yield from (f"Sticker: {words(each.get('name'))}" for each in dicts(message.get("stickers")))
    yield from attached(each.get("fileName") for each in dicts(message.get("attachments")))
    told = dicts(message.get("reactions"))
    yield from reactions((dict_in(each, "emoji").get("name"), each.get("count")) for each in told)


def text_of_teams(text: Any, message: dict[str, Any]) -> str:
    """A message's text, which is HTML; calls, comings and files in brackets."""
    written, kind = words(text), words(message.get("messagetype"))
    if kind == "Event/Call":
        seconds = [int(digits) for digits in re.findall(r"<duration>(\d{1,7})", written)]
        return bracketed("call", length_of(max(seconds, default=0)))
    names = re.findall(r"""<OriginalName v=["']([^"']*)""", written)
    if kind.startswith("ThreadActivity/"):
        return bracketed(
            as_words(kind.partition("/")[2]),
            *filter(None, (each.strip() for each in _TAGS.sub("\n", written).split("\n"))),
        )
    if names or "<URIObject" in written:
        shown = re.search(r"""<URIObject\b[^>]*\btype=["'](\w+)""", written)
        return bracketed(shown[1].lower() if shown else "file", *names)
    return text_of_html(written) if "<" in written or "&" in written else written


def shown_on_teams(message: dict[str, Any]) -> Iterator[str]:
    """The signs said to a message."""
    given = dict_in(message, "properties").get("emotions")
    for each in dicts(given):
        users = each.get("users")
        yield from reactions([(each.get("key"), len(users) if isinstance(users, list) else "")])


def shown_on_graph(message: dict[str, Any]) -> Iterator[str]:
    """What is attached to a message, the signs said to it, and what happened where nobody wrote."""
    if (kind := words(message.get("messageType"))) not in ("", "message"):
        event = words(dict_in(message, "eventDetail").get("@odata.type")).rpartition(".")[2] or kind
        yield bracketed(as_words(event.removesuffix("EventMessageDetail")))
    yield from attached(each.get("name") for each in dicts(message.get("attachments")))
    for each in dicts(message.get("reactions")):
        yield from reactions([(each.get("reactionType"), dict_in(dict_in(each, "user"), "user").get("displayName"))])


def shown_on_facebook(message: dict[str, Any]) -> Iterator[str]:
    """The files of a message, what it shares, a call, and the signs said to it."""
    if "call_duration" in message:
        yield bracketed("call", length_of(message["call_duration"]) or "missed")
    names = [
        _name_of_file(each.get("uri"))
        for kind in ("photos", "videos", "audio_files", "gifs", "files", "media")
        for each in dicts(message.get(kind))
    ]
    yield from attached(names)
    if "sticker" in message:
        yield bracketed("sticker", _name_of_file(dict_in(message, "sticker").get("uri")))
    share = dict_in(message, "share")
    yield " ".join(filter(None, (words(share.get(key)) for key in ("share_text", "link"))))
    yield from reactions((each.get("reaction"), each.get("actor")) for each in dicts(message.get("reactions")))


def shown_on_google(message: dict[str, Any]) -> Iterator[str]:
    """What is attached to a message, and the signs said to it."""
    yield from attached(each.get("export_name") for each in dicts(message.get("attached_files")))
    for each in dicts(message.get("reactions")):
        by = each.get("reactor_emails")
        sign = dict_in(each, "emoji").get("unicode")
        yield from reactions([(sign, len(by) if isinstance(by, list) else "")])


def text_of_matrix(text: Any, message: dict[str, Any]) -> str:
    """A message's text, without what it quotes; of files and happenings, a line in brackets."""
    content, kind = dict_in(message, "content"), words(message.get("type"))
    shown = words(content.get("msgtype")).removeprefix("m.")
    if kind == "m.room.message" and shown in ("image", "file", "video", "audio"):
        return bracketed(shown, words(text))
    if kind == "m.room.message" or not kind:
        return re.sub(r"\A(?:>[^\n]*\n)+\n?", "", words(text))
    if kind == "m.room.encrypted":
        return "[message that could not be decrypted]"
    return bracketed(words(content.get("membership")) or kind.rpartition(".")[2].replace("_", " "),
                     *(words(content.get(key)) for key in ("displayname", "name", "topic")))  # fmt: skip


def replaced_on_matrix(message: dict[str, Any]) -> str:
    """The message in whose place this one stands."""
    related = dict_in(dict_in(message, "content"), "m.relates_to")
    return words(related.get("event_id")) if related.get("rel_type") == "m.replace" else ""


def shown_on_matrix(message: dict[str, Any]) -> Iterator[str]:
    """The sign of a reaction."""
    yield words(dict_in(dict_in(message, "content"), "m.relates_to").get("key"))


def shown_on_signal_export(message: dict[str, Any]) -> Iterator[str]:
    """The sticker and the files of a message, and the signs said to it."""
    if sticker := dict_in(message, "sticker"):
        yield bracketed(" ".join(filter(None, ["sticker", words(sticker.get("emoji"))])))
    yield from attached(each.get("name") for each in dicts(message.get("attachments")))
    given = message.get("reactions")
    pairs = [each for each in given if isinstance(each, list) and len(each) == 2] if isinstance(given, list) else []
    yield from reactions(
        [*((sign, by) for by, sign in pairs), *((each.get("emoji"), each.get("name")) for each in dicts(given))]
    )

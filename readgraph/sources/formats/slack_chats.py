"""Slack's exports: the channels, with what bots say in blocks and attachments, and the names of files."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from html import unescape
from typing import Any

from readgraph.sources.converting import dicts
from readgraph.sources.formats.chat_messages import DELETED
from readgraph.sources.formats.chat_turns import ChatConversation, ChatTurn, dict_in, parse_chat_json, time_of, words

LISTS = ("channels.json", "users.json", "groups.json", "dms.json", "mpims.json")  # one of them is in each export
DEEPEST = 20  # elements of a message's blocks inside of each other
_DAY = re.compile(r"(?:.*/)?(?P<channel>[^/]+)/\d{4}-\d\d-\d\d\.json")
_LINK = re.compile(r"<(?P<target>[^<>|]+)(?:\|(?P<label>[^<>]*))?>")
_COMINGS = re.compile(r"(?:channel|group)_(?:join|leave)")
_NOTICES = re.compile(r"(?:channel|group)_\w+|(?:un)?pinned_item|bot_(?:add|remove)|reminder_\w+")
_SKIPPED_BLOCKS = ("actions", "divider", "button")


def is_slack(names: Collection[str]) -> bool:
    """Whether these are the names of an export's files."""
    return any(name in names for name in LISTS) and any(map(_DAY.fullmatch, names))


def slack_chats(names: Iterable[str], read: Callable[[str], bytes], source: str) -> list[ChatConversation]:
    """The channels ("#general") of an export whose files `read` gives; raises `BadInput` if one is damaged."""
    listed = sorted(names)
    users: dict[str, str] = {}
    if "users.json" in listed:
        for user in dicts(parse_chat_json(read("users.json"), f"{source} ('users.json')")):
            users[words(user.get("id"))] = _name_of_user(user)
    channels: dict[str, list[tuple[float, ChatTurn]]] = {}
    for name in listed:
        if day := _DAY.fullmatch(name):
            turns = _turns(dicts(parse_chat_json(read(name), f"{source} ({name!r})")), users)
            channels.setdefault(day["channel"], []).extend(turns)
    return [
        ChatConversation(f"#{channel}", [turn for _, turn in sorted(turns, key=lambda timed: timed[0])], lasts=True)
        for channel, turns in channels.items()
        if turns
    ]


def _turns(messages: Iterable[dict[str, Any]], users: dict[str, str]) -> Iterator[tuple[float, ChatTurn]]:
    """The turns of a day, with the numbers by which they are ordered."""
    for message in messages:
        kind = words(message.get("subtype"))
        if message.get("type", "message") != "message" or _COMINGS.fullmatch(kind):
            continue
        user = words(message.get("user"))
        profile = dict_in(message, "user_profile" if message.get("user_profile") else "bot_profile")
        speaker = users.get(user) or _name_of_user(profile) or words(message.get("username")) or user
        time, seconds = time_of(message.get("ts"))
        if text := DELETED if kind == "tombstone" else _text(message, users):
            is_said = text != DELETED and not _NOTICES.fullmatch(kind)
            yield seconds, ChatTurn(speaker if is_said else "", text, time)


def _text(message: dict[str, Any], users: dict[str, str]) -> str:
    """All that a message shows: each line of its text, blocks and attachments once, its files, and reactions."""

    def shown(value: Any) -> str:
        return unescape(_LINK.sub(lambda link: _link_text(link, users), words(value))).strip()

    lines = [shown(message.get("text"))]
    in_blocks = "\n".join(
        filter(None, (shown(_text_of_block(block, users, 0)) for block in dicts(message.get("blocks"))))
    )
    if not lines[0] or any(block.get("type") != "rich_text" for block in dicts(message.get("blocks"))):
        lines.append(in_blocks)
    for attachment in dicts(message.get("attachments")):
        lines += map(shown, _lines_of_attachment(attachment, users))
    kept = list[str]()
    for line in filter(None, lines):
        if not any(_bare(line) in _bare(each) for each in kept):
            kept = [each for each in kept if _bare(each) not in _bare(line)] + [line]
    files = dicts(message.get("files")) or dicts([message.get("file")])
    if names := [*filter(None, (words(file.get("name")) or words(file.get("title")) for file in files))]:
        kept.append(f"Attached: {', '.join(names)}")
    if kept and (told := _reactions(message, users)):
        kept.append(f"Reactions: {told}")
    return "\n".join(kept)


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text).strip() or text


def _lines_of_attachment(attachment: dict[str, Any], users: dict[str, str]) -> Iterator[str]:
    yield words(attachment.get("pretext"))
    if (by := words(attachment.get("author_name"))) and by != "null":
        yield f"{by}:"
    title, link = words(attachment.get("title")), words(attachment.get("title_link"))
    yield f"<{link}|{title}>" if title and link else title
    yield words(attachment.get("text"))
    for field in dicts(attachment.get("fields")):
        yield ": ".join(filter(None, (words(field.get("title")), words(field.get("value")))))
    for block in (*dicts(attachment.get("blocks")), *dicts(attachment.get("message_blocks"))):
        yield _text_of_block(block, users, 0)
    if not any(attachment.get(key) for key in ("title", "text", "fields", "blocks", "pretext")):
        yield words(attachment.get("fallback"))
    yield words(attachment.get("footer"))


def _text_of_block(block: dict[str, Any], users: dict[str, str], depth: int) -> str:
    """The text of a block and of what is in it; links and mentions as in texts of messages."""
    kind = words(block.get("type"))
    if kind in _SKIPPED_BLOCKS or depth > DEEPEST:
        return ""
    if kind == "user":
        return f"<@{words(block.get('user_id'))}>"
    if kind == "link":
        return f"<{words(block.get('url'))}|{words(block.get('text'))}>"
    if kind == "emoji":
        return f":{words(block.get('name'))}:"
    if kind == "channel":
        return f"<#{words(block.get('channel_id'))}>"
    if kind == "broadcast":
        return f"<!{words(block.get('range'))}>"
    if kind == "date":
        return words(block.get("fallback"))
    if kind == "text" and dict_in(block, "style").get("strike"):
        return f"~{words(block.get('text'))}~"
    own = block.get("text")
    texts = [
        words(own) if isinstance(own, str) else words(dict_in(block, "text").get("text")),
        words(block.get("alt_text")),
    ]
    texts += [words(field.get("text")) for field in dicts(block.get("fields"))]
    inner = [_text_of_block(each, users, depth + 1) for each in dicts(block.get("elements"))]
    rows = block.get("rows")
    for row in rows if isinstance(rows, list) else ():  # of a table
        inner.append(" | ".join(_text_of_block(cell, users, depth + 1) for cell in dicts(row)))
    joined = ("" if kind.startswith("rich_text_") and kind != "rich_text_list" else "\n").join(filter(None, inner))
    return "\n".join(filter(None, [*texts, joined]))


def _reactions(message: dict[str, Any], users: dict[str, str]) -> str:
    told = list[str]()
    for reaction in dicts(message.get("reactions")):
        by = reaction.get("users")
        names = [users.get(words(user)) or words(user) for user in by] if isinstance(by, list) else []
        told.append(f":{words(reaction.get('name'))}: {', '.join(filter(None, names))}".strip())
    return "; ".join(told)


def _link_text(link: re.Match[str], users: dict[str, str]) -> str:
    """A mention or link as words: "@Anna", "#general", "the plan (https://…)"."""
    target, label = link["target"], link["label"] or ""
    if target.startswith("@"):
        return f"@{users.get(target[1:]) or label or target[1:]}"
    if target.startswith(("#", "!")):
        return f"{'@' if target[0] == '!' else '#'}{(label or target[1:]).lstrip('@#')}"
    return f"{label} ({target})" if label and label != target else target


def _name_of_user(user: dict[str, Any]) -> str:
    fields = user | {key: value for key, value in dict_in(user, "profile").items() if value}
    return next((name for key in ("display_name", "real_name", "name") if (name := words(fields.get(key)))), "")

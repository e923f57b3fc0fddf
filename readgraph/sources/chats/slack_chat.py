"""Slack's exports: a folder for each channel, with a JSON file for each day."""

import re
from collections.abc import Callable, Iterable, Iterator
from html import unescape
from typing import Any

from readgraph.sources.chats.chat_json import dicts, parsed, time_of, words
from readgraph.sources.chats.chat_turns import Chat, Turn

LISTS = ("channels.json", "users.json", "groups.json", "dms.json", "mpims.json")
"""Files at the top of an export, of which at least one is there."""

_DAY = re.compile(r"(?:.*/)?(?P<channel>[^/]+)/\d{4}-\d\d-\d\d\.json")
_LINK = re.compile(r"<(?P<target>[^<>|]+)(?:\|(?P<label>[^<>]*))?>")
_COMINGS = re.compile(r"(?:channel|group)_(?:join|leave)")


def is_slack(names: Iterable[str]) -> bool:
    """Whether these are the names of an export's files."""
    listed = set(names)
    return any(name in listed for name in LISTS) and any(map(_DAY.fullmatch, listed))


def slack_chats(names: Iterable[str], read: Callable[[str], bytes], source: str) -> list[Chat]:
    """The channels of an export, each a chat with the title "#general".

    `read` gives the bytes of a file; `source` is the export's name in messages. Raises `BadInput` if a file is
    damaged.
    """
    listed = sorted(names)
    users: dict[str, str] = {}
    if "users.json" in listed:
        for user in dicts(parsed(read("users.json"), f"{source} ('users.json')")):
            users[words(user.get("id"))] = _name(user)
    channels: dict[str, list[tuple[float, Turn]]] = {}
    for name in listed:
        if day := _DAY.fullmatch(name):
            turns = _turns(dicts(parsed(read(name), f"{source} ({name!a})")), users)
            channels.setdefault(day["channel"], []).extend(turns)
    return [
        Chat(f"#{channel}", [turn for _, turn in sorted(turns, key=lambda timed: timed[0])])
        for channel, turns in channels.items()
        if turns
    ]


def _turns(messages: Iterable[dict[str, Any]], users: dict[str, str]) -> Iterator[tuple[float, Turn]]:
    """The turns of a day, with the numbers by which they are ordered."""
    for message in messages:
        if message.get("type", "message") != "message" or _COMINGS.fullmatch(words(message.get("subtype"))):
            continue
        user = words(message.get("user"))
        profile = message.get("user_profile") or message.get("bot_profile")
        own = _name(profile) if isinstance(profile, dict) else ""
        speaker = users.get(user) or own or words(message.get("username")) or user
        text = unescape(_LINK.sub(lambda link: _shown(link, users), words(message.get("text")))).strip()
        time, seconds = time_of(message.get("ts"))
        if text:
            yield seconds, Turn(speaker, text, time)


def _shown(link: re.Match[str], users: dict[str, str]) -> str:
    """A mention or link as words: "@Anna", "#general", "the plan (https://…)"."""
    target, label = link["target"], link["label"] or ""
    if target.startswith("@"):
        return f"@{users.get(target[1:]) or label or target[1:]}"
    if target.startswith(("#", "!")):
        return f"{'@' if target[0] == '!' else '#'}{(label or target[1:]).lstrip('@#')}"
    return f"{label} ({target})" if label and label != target else target


def _name(user: dict[str, Any]) -> str:
    profile = user.get("profile")
    fields = {**user, **{key: value for key, value in profile.items() if value}} if isinstance(profile, dict) else user
    return next((name for key in ("display_name", "real_name", "name") if (name := words(fields.get(key)))), "")

"""Exported chats (Slack, ChatGPT, Claude, WhatsApp), of which any part may be missing: turns, cut into sessions."""

import re
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from html import unescape
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any

from readgraph.sources.converting import Blocks, Converted, dicts
from readgraph.sources.encodings import decode
from readgraph.sources.formats.chat_lines import read_line_chat
from readgraph.sources.formats.chat_turns import (
    ChatConversation,
    ChatTurn,
    day,
    dict_in,
    parse_chat_json,
    places_of,
    sessions_in,
    time_of,
    words,
)
from readgraph.sources.formats.transcripts import chat_of_messages
from readgraph.sources.inputs import most_bytes, read_bytes, too_large_error
from readgraph.sources.parsing import Archive
from readgraph.sources.places import shorten_label
from readgraph.state.errors import BadInput


def chat_of(text: str) -> ChatConversation | None:
    """The chat in a text of lines, without what only stands for pictures; None if the text isn't a chat."""
    said = read_line_chat(text).said
    return ChatConversation("", said) if said else None


_CHATGPT = {"user": "User", "assistant": "ChatGPT"}
_CLAUDE = {"human": "User", "assistant": "Claude"}


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
        is_hidden = dict_in(message, "metadata").get("is_visually_hidden_from_conversation")
        parts = dict_in(message, "content").get("parts")
        text = "\n".join(filter(None, map(words, parts))).strip() if isinstance(parts, list) else ""
        if role in _CHATGPT and text and not is_hidden:
            yield ChatTurn(_CHATGPT[role], text, time_of(message.get("create_time"))[0])


def _turns_of_claude(conversation: dict[str, Any]) -> Iterator[ChatTurn]:
    for message in dicts(conversation["chat_messages"]):
        parts = [words(part.get("text")) for part in dicts(message.get("content")) if part.get("type") == "text"]
        text = ("\n".join(filter(None, parts)) or words(message.get("text"))).strip()
        speaker = _CLAUDE.get(words(message.get("sender")))
        if text and speaker:
            yield ChatTurn(speaker, text, time_of(message.get("created_at"))[0])


LISTS = ("channels.json", "users.json", "groups.json", "dms.json", "mpims.json")  # one of them is in each export
_SLACK_DAY = re.compile(r"(?:.*/)?(?P<channel>[^/]+)/\d{4}-\d\d-\d\d\.json")
_SLACK_LINK = re.compile(r"<(?P<target>[^<>|]+)(?:\|(?P<label>[^<>]*))?>")
_COMINGS = re.compile(r"(?:channel|group)_(?:join|leave)")


def is_slack(names: Collection[str]) -> bool:
    """Whether these are the names of an export's files."""
    return any(name in names for name in LISTS) and any(map(_SLACK_DAY.fullmatch, names))


def slack_chats(names: Iterable[str], read: Callable[[str], bytes], source: str) -> list[ChatConversation]:
    """The channels ("#general") of an export whose files `read` gives; raises `BadInput` if one is damaged."""
    listed = sorted(names)
    users: dict[str, str] = {}
    if "users.json" in listed:
        for user in dicts(parse_chat_json(read("users.json"), f"{source} ('users.json')")):
            users[words(user.get("id"))] = _name_of_user(user)
    channels: dict[str, list[tuple[float, ChatTurn]]] = {}
    for name in listed:
        if day := _SLACK_DAY.fullmatch(name):
            turns = _turns_of_slack(dicts(parse_chat_json(read(name), f"{source} ({name!a})")), users)
            channels.setdefault(day["channel"], []).extend(turns)
    return [
        ChatConversation(f"#{channel}", [turn for _, turn in sorted(turns, key=lambda timed: timed[0])])
        for channel, turns in channels.items()
        if turns
    ]


def _turns_of_slack(messages: Iterable[dict[str, Any]], users: dict[str, str]) -> Iterator[tuple[float, ChatTurn]]:
    """The turns of a day, with the numbers by which they are ordered."""
    for message in messages:
        if message.get("type", "message") != "message" or _COMINGS.fullmatch(words(message.get("subtype"))):
            continue
        user = words(message.get("user"))
        profile = dict_in(message, "user_profile" if message.get("user_profile") else "bot_profile")
        speaker = users.get(user) or _name_of_user(profile) or words(message.get("username")) or user
        text = unescape(_SLACK_LINK.sub(lambda link: _link_text(link, users), words(message.get("text")))).strip()
        time, seconds = time_of(message.get("ts"))
        if text:
            yield seconds, ChatTurn(speaker, text, time)


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


_NO_CHAT = "holds no chat: exports of Slack, ChatGPT, Claude and WhatsApp can be read."


def convert(data: bytes, name: str) -> Converted:
    """An export's turns, days under titles; places are times with speakers. Raises `BadInput` if it holds no chat."""
    chats, problems = chats_in(data, name)
    return convert_chats(chats)._replace(problems=tuple(problems))


def convert_chats(chats: Sequence[ChatConversation]) -> Converted:
    """The turns of chats as text, days under titles; places are times with speakers."""
    blocks, turns = Blocks(), list[tuple[int, ChatTurn]]()
    for session in sessions_in(chats):
        if heading := ", ".join(filter(None, (shorten_label(session.title), day(session.time)))):
            turns.append((blocks.add(heading), ChatTurn("", "", session.time)))
        turns += [(blocks.add(text), turn) for turn in session.turns if (text := turn.as_text())]
    return Converted(blocks.text(), places_of(turns), chats[0].title if len(chats) == 1 else "")


def chats_in(data: bytes, name: str) -> tuple[list[ChatConversation], list[str]]:
    """The chats of an export, a zip archive (also with others in it) or a JSON file, and what is left out of it.

    Raises `BadInput` where nothing can be read.
    """
    problems = list[str]()
    if data.startswith(b"PK") or zipfile.is_zipfile(BytesIO(data)):
        chats = [*_chats_in_archive(Archive(data, name, "zip"), problems)]
    else:
        chats = assistant_chats(parse_chat_json(data, name))
    if not chats:
        raise BadInput(problems[0] if problems else f"{name} {_NO_CHAT}")
    return chats, problems


def _chats_in_archive(archive: Archive, problems: list[str], *, inner: bool = False) -> Iterator[ChatConversation]:
    """The chats of an archive and of those in it, one level deep; `problems` names what is broken and left out."""
    if is_slack(archive.members):
        yield from slack_chats(archive.members, archive.read, archive.name)
        return
    for member in sorted(archive.members):
        path, name = PurePosixPath(member), f"{archive.name} ({member!a})"
        if path.name.startswith("._"):  # what macOS adds to each file
            continue
        try:
            if path.suffix == ".json" and path.name.startswith("conversations"):
                yield from assistant_chats(parse_chat_json(archive.read(member), name))
            elif path.suffix == ".txt" and (chat := read_line_chat(decode(archive.read(member), name))).said:
                problems += [f"{name}: {chat.unsure}."] if chat.unsure else []
                yield ChatConversation("", chat.said)
            elif path.suffix.lower() == ".zip" and not inner:
                yield from _chats_in_archive(archive.open(member), problems, inner=True)
        except BadInput as problem:
            problems.append(str(problem))


def is_slack_folder(path: Path) -> bool:
    """Whether a folder is an unpacked export of Slack."""
    return any((path / name).is_file() for name in LISTS) and is_slack(_files_of_export(path))


def chats_in_folder(path: Path, name: str) -> list[ChatConversation]:
    """The channels of an unpacked export of Slack. Raises `BadInput` if it is damaged, or larger than `most_bytes`."""
    left = most_bytes()

    def read(member: str) -> bytes:
        nonlocal left
        data = read_bytes(path / member, f"{name}/{member}")
        left -= len(data)
        if left < 0:
            raise too_large_error(name)
        return data

    if chats := slack_chats(_files_of_export(path), read, name):
        return chats
    raise BadInput(f"{name} {_NO_CHAT}")


def _files_of_export(path: Path) -> list[str]:
    """The names of an export's files: those at the top, and those one folder below."""
    return [file.relative_to(path).as_posix() for pattern in ("*.json", "*/*.json") for file in path.glob(pattern)]

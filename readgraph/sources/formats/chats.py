"""Exported chats (Slack, ChatGPT, Claude, WhatsApp), of which any part may be missing: turns, cut into sessions."""

import zipfile
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path, PurePosixPath

from readgraph.sources.converting import Blocks, Converted
from readgraph.sources.encodings import decode
from readgraph.sources.formats.assistant_chats import assistant_chats
from readgraph.sources.formats.chat_lines import read_line_chat
from readgraph.sources.formats.chat_turns import (
    ChatConversation,
    ChatTurn,
    day,
    parse_chat_json,
    places_of,
    sessions_in,
)
from readgraph.sources.formats.messenger_chats import messenger_chats
from readgraph.sources.formats.slack_chats import LISTS, is_slack, slack_chats
from readgraph.sources.inputs import most_bytes, read_bytes, too_large_error
from readgraph.sources.parsing import Archive
from readgraph.sources.places import shorten_label
from readgraph.state.errors import BadInput

_CHAT_FILES = ("conversations", "result", "messages", "message_", "myactivity")  # that hold chats in archives


def chat_of(text: str) -> ChatConversation | None:
    """The chat in a text of lines, without what only stands for pictures; None if the text isn't a chat."""
    chat_turns = read_line_chat(text).said
    return ChatConversation("", chat_turns) if chat_turns else None


_NO_CHAT = "holds no chat: exports of WhatsApp, Slack, ChatGPT, Claude, Discord, Telegram and others can be read."


def _chats_in_json(data: bytes, name: str) -> list[ChatConversation]:
    value = parse_chat_json(data, name)
    return messenger_chats(value) or assistant_chats(value)


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
        chats = _chats_in_json(data, name)
    if not chats:
        raise BadInput(problems[0].removeprefix("Left out: ") if problems else f"{name} {_NO_CHAT}")
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
            if path.suffix == ".json" and path.name.lower().startswith(_CHAT_FILES):
                yield from _chats_in_json(archive.read(member), name)
            elif path.suffix == ".txt":
                doubts = list[str]()
                chat = read_line_chat(decode(archive.read(member), name, say=doubts.append))
                if not chat.said:
                    continue
                problems += [f"{name}: {each}." for each in filter(None, [*doubts, chat.unsure])]
                yield ChatConversation("", chat.said)
            elif path.suffix.lower() == ".zip" and not inner:
                yield from _chats_in_archive(archive.open(member), problems, inner=True)
        except BadInput as problem:
            problems.append(f"Left out: {problem}")


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

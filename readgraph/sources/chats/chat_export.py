"""Exports of chats: Slack's, ChatGPT's, Claude's and WhatsApp's, as zip archives or JSON files."""

import zipfile
from io import BytesIO
from pathlib import Path, PurePosixPath

from readgraph.sources.archives import Archive
from readgraph.sources.chats.assistant_chat import assistant_chats
from readgraph.sources.chats.chat_json import parsed
from readgraph.sources.chats.chat_turns import Chat, as_document
from readgraph.sources.chats.slack_chat import LISTS, is_slack, slack_chats
from readgraph.sources.chats.whatsapp_chat import chat_of
from readgraph.sources.encodings import decode
from readgraph.sources.given_files import most_bytes, read_bytes, too_large
from readgraph.sources.source_text import Converted
from readgraph.state.errors import BadInput

_UNKNOWN = "holds no chat: exports of Slack, ChatGPT, Claude and WhatsApp can be read."


def convert(data: bytes, name: str) -> Converted:
    """The turns of an export, day by day; places are times with speakers. Raises `BadInput` if it holds no chat."""
    return as_document(chats_in(data, name))


def chats_in(data: bytes, name: str) -> list[Chat]:
    """The chats of an export: a zip archive or a JSON file. Raises `BadInput` if it holds none."""
    chats = _in_archive(data, name) if zipfile.is_zipfile(BytesIO(data)) else assistant_chats(parsed(data, name))
    if not chats:
        raise BadInput(f"{name} {_UNKNOWN}")
    return chats


def _in_archive(data: bytes, name: str) -> list[Chat]:
    archive = Archive(data, name, "zip")
    if is_slack(archive.members):
        return slack_chats(archive.members, archive.read, name)
    chats: list[Chat] = []
    for member in sorted(archive.members):
        path = PurePosixPath(member)
        if path.name.startswith("conversations") and path.suffix == ".json":
            chats += assistant_chats(parsed(archive.read(member), f"{name} ({member!a})"))
        elif path.suffix == ".txt" and (chat := chat_of(decode(archive.read(member), f"{name} ({member!a})"))):
            chats.append(chat)
    return chats


def is_slack_folder(path: Path) -> bool:
    """Whether a folder is an unpacked export of Slack."""
    return any((path / name).is_file() for name in LISTS) and is_slack(_names(path))


def chats_in_folder(path: Path, name: str) -> list[Chat]:
    """The channels of an unpacked export of Slack. Raises `BadInput` if it is damaged, or larger than `most_bytes`."""
    left = most_bytes()

    def read(member: str) -> bytes:
        nonlocal left
        data = read_bytes(path / member, f"{name}/{member}")
        left -= len(data)
        if left < 0:
            raise too_large(name)
        return data

    if chats := slack_chats(_names(path), read, name):
        return chats
    raise BadInput(f"{name} {_UNKNOWN}")


def _names(path: Path) -> list[str]:
    """The names of an export's files: those at the top, and those one folder below."""
    return [file.relative_to(path).as_posix() for pattern in ("*.json", "*/*.json") for file in path.glob(pattern)]

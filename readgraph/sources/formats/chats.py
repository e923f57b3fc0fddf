"""Exported chats: files, archives and folders, of which any part may be missing, as turns, cut into sessions."""

import csv
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO, StringIO
from pathlib import PurePosixPath
from typing import Any

from readgraph.sources.converting import Blocks, Converted
from readgraph.sources.encodings import decode
from readgraph.sources.formats import html_text, tables
from readgraph.sources.formats.assistant_chats import assistant_chats
from readgraph.sources.formats.chat_folders import TEXTS, pack_tar
from readgraph.sources.formats.chat_lines import read_line_chat
from readgraph.sources.formats.chat_messages import MessengerChat, as_conversation
from readgraph.sources.formats.chat_pages import page_chat
from readgraph.sources.formats.chat_turns import (
    ChatConversation,
    ChatTurn,
    day,
    dict_in,
    parse_chat_json,
    places_of,
    sessions_in,
    words,
)
from readgraph.sources.formats.messenger_chats import form_of, is_without_messages, messages_in, messenger_chats
from readgraph.sources.formats.signal_chats import signal_chats
from readgraph.sources.formats.slack_chats import is_slack, slack_chats
from readgraph.sources.left_out import LeftOut
from readgraph.sources.parsing import Archive, elements_named, parse_xml
from readgraph.sources.places import shorten_label
from readgraph.state.errors import BadInput

_JSON_FILE = re.compile(  # the names of those in archives that hold chats
    r"(?:conversations|result|messages?|myactivity|data|main).*\.jsonl?|.*\[\d{5,}\].*\.json", re.IGNORECASE
)
_SAYS_NOTHING = re.compile(r"(?:messages?[\d_]*|_?chat|index|data|main|result)", re.IGNORECASE)
_RANKS = {ending: rank for rank, ending in enumerate(".json .jsonl .csv .html .htm .xml .txt .md".split())}
_MY_OWN = "2"  # the type of an SMS that was sent
_SURROGATES = re.compile(rb"&#(5[5-6]\d{3});&#(5[6-7]\d{3});")  # as the program writes what is beyond 16 bits
_NUMBERS = re.compile(r"(\d+)")
_NO_CHAT = (
    "holds no chat: exports of Telegram, Signal, iMessage, Discord, Teams, WhatsApp, Slack, ChatGPT, Claude and others "
    "can be read."
)


def chat_of(text: str) -> ChatConversation | None:
    """The chat in a text of lines, without what only stands for pictures; None if the text isn't a chat."""
    chat_turns = read_line_chat(text).said
    return ChatConversation("", chat_turns) if chat_turns else None


def convert(data: bytes, name: str) -> Converted:
    """An export's turns, days under titles; places are times with speakers. Raises `BadInput` if it holds no chat."""
    chats, problems = chats_in(data, name)
    return convert_chats(chats)._replace(problems=tuple(problems))


def convert_page(data: bytes, name: str) -> Converted:
    """A page that shows a chat as its turns, any other one as its text."""
    return _convert_if_chat(data, name, ".html") or html_text.convert(data, name)


def convert_table(data: bytes, name: str) -> Converted:
    """A table of messages as a chat, any other one as its rows."""
    return _convert_if_chat(data, name, ".csv") or tables.convert(data, name)


def _convert_if_chat(data: bytes, name: str, ending: str) -> Converted | None:
    chats, problems = chats_of_file(data, name, ending)
    return convert_chats(chats)._replace(problems=tuple(problems)) if chats else None


def convert_chats(chats: Sequence[ChatConversation]) -> Converted:
    """The turns of chats as text, days under titles; places are times with speakers."""
    blocks, turns = Blocks(), list[tuple[int, ChatTurn]]()
    for session in sessions_in(chats):
        if heading := ", ".join(filter(None, (shorten_label(session.title), day(session.time)))):
            turns.append((blocks.add(heading), ChatTurn("", "", session.time)))
        turns += [(blocks.add(text), turn) for turn in session.turns if (text := turn.as_text())]
    return Converted(blocks.text(), places_of(turns), chats[0].title if len(chats) == 1 else "")


def chats_in(data: bytes, name: str) -> tuple[list[ChatConversation], list[str]]:
    """The chats of an export, an archive (also with others in it) or a file, and what is left out or unsure of it.

    Raises `BadInput` where nothing can be read.
    """
    chats, problems = chats_of_file(data, name, PurePosixPath(name).suffix.lower() or ".json")
    if not chats:
        raise BadInput(problems[0].removeprefix("Left out: ") if problems else f"{name} {_NO_CHAT}")
    return chats, problems


def chats_of_file(data: bytes, name: str, ending: str) -> tuple[list[ChatConversation], list[str]]:
    """The chats of a file with this ending, none if it holds none, and what is left out or unsure of it.

    Raises `BadInput` for a file that can't be read.
    """
    left_out, problems = LeftOut(), list[str]()
    if data[257:262] == b"ustar":
        data = pack_tar(data, name)
    if data.startswith(b"PK") or zipfile.is_zipfile(BytesIO(data)):
        found = [*_chats_in_archive(Archive(data, name, "zip"), left_out, problems)]
    else:
        found = _chats_in_file(data, name, ending, left_out)
    chats = list[ChatConversation]()
    for each in found:
        chat, unsure = as_conversation(each) if isinstance(each, MessengerChat) else (each, "")
        chats.append(chat)
        if unsure:
            left_out.say(f"{unsure}, of {chat.title}" if chat.title else unsure)
    return chats, [*problems, *left_out.problems(name)] if chats else problems


_Chat = MessengerChat | ChatConversation


def _chats_in_file(data: bytes, name: str, ending: str, left_out: LeftOut) -> list[_Chat]:
    read = _READERS.get(ending)
    return read(data, name, left_out) if read else []


def _chats_in_json(data: bytes, name: str, left_out: LeftOut) -> list[_Chat]:
    value = parse_chat_json(data, name)
    chats = signal_chats(value, left_out) or messenger_chats(value, left_out)
    if not chats and is_without_messages(value):
        raise BadInput(f"{name} is the export of a chat without messages: there is nothing to read.")
    return [*chats] if chats else [*assistant_chats(value)]


def _chat_on_page(data: bytes, name: str, left_out: LeftOut) -> list[_Chat]:
    return [*filter(None, [page_chat(data, name, left_out)])]


def _chat_in_table(data: bytes, name: str, left_out: LeftOut) -> list[_Chat]:
    text = decode(data, name, say=left_out.say).removeprefix("\ufeff")
    rows = csv.DictReader(StringIO(text, newline=""))
    if form_of([dict.fromkeys(rows.fieldnames or ())]) is None:
        return []
    messages = [{key: value for key, value in row.items() if key} for row in rows]
    form = form_of(messages)
    return [MessengerChat("", [*messages_in(form, messages)])] if form else []


def _chats_of_sms(data: bytes, name: str, left_out: LeftOut) -> list[_Chat]:
    """The chats in a backup of short messages, one with each number."""
    chats: dict[str, tuple[str, list[dict[str, Any]]]] = {}
    root = parse_xml(_SURROGATES.sub(_as_character, data), recover=False)
    if root is None:
        raise BadInput(f"{name} is not valid XML, or is cut short: export the chat again.")
    for sms in elements_named(root, "sms"):
        fields = {str(key): str(value) for key, value in sms.attrib.items()}
        number = fields.get("address", "")
        named = next(
            (each for each in (fields.get("contact_name", ""),) if each not in ("", "null", "(Unknown)")), number
        )
        chats.setdefault(number, (named, []))[1].append(
            fields | {"by": "Me" if fields.get("type") == _MY_OWN else named}
        )
    forms = ((form_of(messages), named, messages) for named, messages in chats.values())
    return [MessengerChat(named, [*messages_in(form, messages)]) for form, named, messages in forms if form]


def _as_character(pair: re.Match[bytes]) -> bytes:
    high, low = int(pair[1]), int(pair[2])
    is_pair = 0xD800 <= high < 0xDC00 <= low < 0xE000
    return b"&#%d;" % (0x10000 + (high - 0xD800) * 0x400 + low - 0xDC00) if is_pair else b""


def _chat_in_lines(data: bytes, name: str, left_out: LeftOut) -> list[_Chat]:
    doubts = list[str]()
    chat = read_line_chat(decode(data, name, say=doubts.append))
    if chat.said:
        for doubt in filter(None, [*doubts, chat.unsure]):
            left_out.say(doubt)
    return [ChatConversation("", chat.said)] if chat.said else []


_READERS: dict[str, Callable[[bytes, str, LeftOut], list[_Chat]]] = {
    **dict.fromkeys((".json", ".jsonl"), _chats_in_json),
    **dict.fromkeys((".html", ".htm"), _chat_on_page),
    **dict.fromkeys((".txt", ".md"), _chat_in_lines),
    ".csv": _chat_in_table,
    ".xml": _chats_of_sms,
}


def _chats_in_archive(
    archive: Archive, left_out: LeftOut, problems: list[str], *, inner: bool = False
) -> Iterator[_Chat]:
    """The chats of an archive and of those in it, one level deep; `problems` names what is broken and left out.

    A chat in several files is one chat. If it is there in several forms, such as JSON and HTML, one of them is read.
    """
    if is_slack(archive.members):
        yield from slack_chats(archive.members, archive.read, archive.name)
        return
    chats: dict[tuple[PurePosixPath, str, int], tuple[str, MessengerChat]] = {}
    read = dict[PurePosixPath, str]()
    for path in sorted(map(PurePosixPath, archive.members), key=_order):
        ending, name = path.suffix.lower(), f"{archive.name} ({str(path)!r})"
        if path.name.startswith("._") or ending not in (*TEXTS, ".zip"):  # "._": what macOS adds to each file
            continue
        try:
            if ending == ".zip" and not inner:
                yield from _chats_in_archive(archive.open(str(path)), left_out, problems, inner=True)
            if ending not in TEXTS or (ending.startswith(".json") and not _JSON_FILE.fullmatch(path.name)):
                continue
            if read.get(path.with_suffix(""), ending) != ending:
                continue
            told, titles = LeftOut(), Counter[str]()
            found = _chats_in_file(archive.read(str(path)), name, ending, told)
            for each in found:
                title = each.title or _title_beside(archive, path)
                titles[title] += 1  # two chats of a file may have one name
                key = path.parent, title, titles[title]
                known, kept = chats.get(key, ("", None))
                if known and known != ending:
                    continue
                if not isinstance(each, MessengerChat):
                    yield each
                elif kept:
                    kept.messages.extend(each.messages)
                else:
                    chats[key] = ending, each._replace(title=title)
            if found:
                read[path.with_suffix("")] = ending
                problems += told.problems(name)
            elif ending in (".txt", ".md"):
                left_out.add("file that holds no chat", str(path))
        except BadInput as problem:
            problems.append(f"Left out: {problem}")
    yield from (chat for _, chat in chats.values())


def _order(path: PurePosixPath) -> tuple[str, int, list[tuple[int, str]]]:
    """Files of a folder by their forms, and then by the numbers in their names."""
    parts = _NUMBERS.split(path.stem)
    named = [(int(part), "") if number % 2 else (0, part) for number, part in enumerate(parts)]
    return str(path.parent), _RANKS.get(path.suffix.lower(), len(_RANKS)), named


def _title_beside(archive: Archive, path: PurePosixPath) -> str:
    """The title of a chat whose own file has none: as Discord tells it beside, or by the file's or folder's name."""
    for place, key in (
        (path.parent / "channel.json", ""),
        (path.parent.parent / "index.json", path.parent.name.lstrip("c")),
    ):
        if str(place) in archive.members:
            told = parse_chat_json(archive.read(str(place)), str(place))
            named = words(told.get(key) if key else told.get("name")) if isinstance(told, dict) else ""
            if named:
                guild = words(dict_in(told, "guild").get("name")) if not key else ""
                return f"{guild} #{named}".strip() if guild else named
    return path.parent.name if _SAYS_NOTHING.fullmatch(path.stem) else path.stem

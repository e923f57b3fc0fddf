"""Exported chats (Slack, ChatGPT, Claude, WhatsApp): turns with speakers and times, cut into sessions.

They come as zip archives, JSON files, or (WhatsApp) text with a date, a time and a speaker before each message; any
part of a chat's JSON may be missing or of another type.
"""

import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from html import unescape
from io import BytesIO
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from readgraph.sources.converting import Converted
from readgraph.sources.encodings import decode
from readgraph.sources.inputs import most_bytes, read_bytes, too_large_error
from readgraph.sources.parsing import Archive
from readgraph.sources.places import MOST_PLACES, Place, order_places, shorten_label
from readgraph.state.errors import BadInput

BETWEEN = "\n\n"
"""What stands between two turns."""


class ChatTurn(NamedTuple):
    """What one speaker wrote at one time; "" for a line of the program, None where the time is unknown."""

    speaker: str
    text: str
    time: datetime | None

    def as_text(self) -> str:
        """The turn as text: "Anna: Where is it?"."""
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


class ChatConversation(NamedTuple):
    """One conversation: a channel, a group, or a talk with an assistant; its title is "" if it has none."""

    title: str
    turns: list[ChatTurn]


class ChatSession(NamedTuple):
    """The turns of one session, with the title of their chat."""

    title: str
    turns: list[ChatTurn]

    @property
    def time(self) -> datetime | None:
        """When it began, if that is known."""
        return next((turn.time for turn in self.turns if turn.time), None)


def sessions_in(chats: Sequence[ChatConversation], gap_hours: float | None = None) -> list[ChatSession]:
    """The sessions of chats in the order of their beginnings.

    A session is one day of a chat; with `gap_hours`, a new session begins after that many hours of silence.
    """
    sessions = [ChatSession(chat.title, turns) for chat in chats for turns in _cut(chat.turns, gap_hours)]
    return sorted(sessions, key=lambda session: session.time or datetime.min)


def _cut(turns: Sequence[ChatTurn], gap_hours: float | None) -> Iterator[list[ChatTurn]]:
    session: list[ChatTurn] = []
    last: datetime | None = None
    for turn in turns:
        if session and last and turn.time and _is_apart(last, turn.time, gap_hours):
            yield session
            session = []
        session.append(turn)
        last = turn.time or last
    if session:
        yield session


def _is_apart(before: datetime, after: datetime, gap_hours: float | None) -> bool:
    if gap_hours is None:
        return before.date() != after.date()
    return after - before >= timedelta(hours=gap_hours)


def text_of(turns: Sequence[ChatTurn]) -> str:
    """The turns as text."""
    return BETWEEN.join(turn.as_text() for turn in turns)


def as_document(chats: Sequence[ChatConversation], title: str = "") -> Converted:
    """The sessions of chats as one text, each under its title and day; places are the times with the speakers."""
    parts, turns, length = list[str](), list[tuple[int, ChatTurn]](), 0
    for session in sessions_in(chats):
        heading = ", ".join(filter(None, (shorten_label(session.title), day(session.time))))
        for text, turn in [
            (heading, ChatTurn("", "", session.time)),
            *((turn.as_text(), turn) for turn in session.turns),
        ]:
            if text:
                turns.append((length, turn))
                parts.append(text)
                length += len(text) + len(BETWEEN)
    return Converted(BETWEEN.join(parts), places_of(turns), title or (chats[0].title if len(chats) == 1 else ""))


def places_of(turns: Sequence[tuple[int, ChatTurn]]) -> tuple[Place, ...]:
    """The places of turns at these offsets: times with speakers, or where these are too many, days."""
    if len(turns) > MOST_PLACES:
        days = [(start, day(turn.time)) for start, turn in turns if turn.time]
        return order_places(Place(*next(group)) for _, group in groupby(days, key=itemgetter(1)))
    return order_places(Place(start, label) for start, turn in turns if (label := label_of(turn)))


def label_of(turn: ChatTurn) -> str:
    """The place of a turn: "12 March 2024, 19:40, Anna"."""
    return ", ".join(filter(None, (minute(turn.time), shorten_label(turn.speaker))))


def minute(time: datetime | None) -> str:
    """A time such as "12 March 2024, 19:40"; "" for None."""
    return f"{day(time)}, {time:%H:%M}" if time else ""


def day(time: datetime | None) -> str:
    """A day such as "12 March 2024"; "" for None."""
    return f"{time.day} {time:%B} {time.year}" if time else ""


FEWEST_MESSAGES = 2
"""A text with fewer is not a chat."""

_ONE_SPACE = "[ \u00a0\u202f]"
_DATE = r"(?P<a>\d{1,4})(?P<mark>[./-])(?P<b>\d{1,2})[./-](?P<c>\d{1,4})\.?"
_CLOCK = (
    rf"(?P<hour>\d{{1,2}})[:.](?P<minute>\d\d)(?:[:.]\d\d)?(?:{_ONE_SPACE}?(?P<half>[AaPp])\.?{_ONE_SPACE}?[Mm]\.?)?"
)
_MESSAGE_START = re.compile(
    rf"^[\u200e\u200f\ufeff]*(?:\[(?={_ONE_SPACE}?\d))?{_DATE},?{_ONE_SPACE}{_CLOCK}(?:\]|{_ONE_SPACE}-){_ONE_SPACE}"
    r"(?:(?P<speaker>[^:\r\n]{1,60}): ?)?",
    re.MULTILINE,
)
_LEFT_OUT = re.compile(r"\u200e[^\n]*|<[^<>\n]{1,60}>")
"""What stands for a picture that was not exported, and the like."""


class WhatsAppMessage(NamedTuple):
    """One message: the offsets of its beginning, of its words and of its end, who wrote it and when."""

    start: int
    words: int
    end: int
    speaker: str
    time: datetime

    def turn(self, text: str) -> ChatTurn:
        """The message as a turn; `text` is the chat's text."""
        return ChatTurn(self.speaker, text[self.words : self.end].strip(), self.time)


def messages_of(text: str) -> list[WhatsAppMessage]:
    """The messages of a chat; an empty list if the text isn't one: its first line must be a message."""
    first = next(iter(_MESSAGE_START.finditer(text[:2_000])), None)
    if first is None or text[: first.start()].strip("\ufeff\u200e \r\n"):
        return []
    marks = list(_MESSAGE_START.finditer(text))
    dates = [(int(mark["a"]), int(mark["b"]), int(mark["c"])) for mark in marks]
    order = _order_of_date(dates, marks[0])
    messages = []
    for (mark, after), date in zip(pairwise([*marks, None]), dates, strict=True):
        if mark and (time := _time_of_message(date, order, mark)):
            end = after.start() if after else len(text)
            speaker = (mark["speaker"] or "").strip("\u200e\u202a\u202c\u00a0~ ")
            messages.append(WhatsAppMessage(mark.start(), mark.end(), end, speaker, time))
    return messages if len(messages) >= FEWEST_MESSAGES else []


def chat_of(text: str, title: str = "") -> ChatConversation | None:
    """The chat in a text, without what only stands for pictures; None if the text isn't a chat."""
    turns = [
        turn
        for message in messages_of(text)
        if (turn := message.turn(text)).text and not _LEFT_OUT.fullmatch(turn.text)
    ]
    return ChatConversation(title, turns) if turns else None


def _order_of_date(dates: Sequence[tuple[int, int, int]], first: re.Match[str]) -> str:
    """The order of day, month and year, which depends on the phone: "dmy", "mdy" or "ymd"."""
    if max(date[0] for date in dates) > 31:
        return "ymd"
    if max(date[0] for date in dates) > 12:
        return "dmy"
    if max(date[1] for date in dates) > 12:
        return "mdy"
    by_day = _steps_back([(c, b, a) for a, b, c in dates])  # messages stand in the order of time
    by_month = _steps_back([(c, a, b) for a, b, c in dates])
    if by_day == by_month:
        return "mdy" if first["mark"] == "/" and first["half"] else "dmy"
    return "dmy" if by_day < by_month else "mdy"


def _steps_back(days: Sequence[tuple[int, int, int]]) -> int:
    return sum(after < before for before, after in pairwise(days))


def _time_of_message(date: tuple[int, int, int], order: str, mark: re.Match[str]) -> datetime | None:
    year, month, day = (date[order.index(unit)] for unit in "ymd")
    hour, half = int(mark["hour"]), (mark["half"] or "").lower()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    try:
        return datetime(year + 2000 if year < 100 else year, month, day, hour, int(mark["minute"]))
    except ValueError:
        return None


def parse_chat_json(data: bytes, name: str) -> Any:
    """The value in a JSON file; raises `BadInput` if it isn't JSON."""
    try:
        return json.loads(decode(data, name))
    except (ValueError, RecursionError):
        raise BadInput(f"{name} is not valid JSON: export the chat again.") from None


def dicts(values: Any) -> list[dict[str, Any]]:
    """The objects in a list; an empty list for anything else."""
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


def words(value: Any) -> str:
    """A string as it is, without lone surrogates; "" for anything else."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def time_of(value: Any) -> tuple[datetime | None, float]:
    """A time in UTC from seconds or from "2024-03-12T19:40:00Z", and its seconds; None and 0 for anything else."""
    try:
        if isinstance(value, str) and "T" in value:
            time = datetime.fromisoformat(value)
        else:
            time = datetime.fromtimestamp(float(value), UTC)
        aware = time if time.tzinfo else time.replace(tzinfo=UTC)
        return aware.astimezone(UTC).replace(tzinfo=None), aware.timestamp()
    except (TypeError, ValueError, OverflowError, OSError):
        return None, 0.0


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
        message = node.get("message")
        if isinstance(message, dict) and (turn := _turn_of_chatgpt(message)):
            yield turn


def _turn_of_chatgpt(message: dict[str, Any]) -> ChatTurn | None:
    author, content, about = (message.get(key) for key in ("author", "content", "metadata"))
    role = words(author.get("role")) if isinstance(author, dict) else ""
    is_hidden = isinstance(about, dict) and about.get("is_visually_hidden_from_conversation")
    parts = content.get("parts") if isinstance(content, dict) else None
    text = "\n".join(filter(None, map(words, parts))).strip() if isinstance(parts, list) else ""
    if role not in _CHATGPT or is_hidden or not text:
        return None
    return ChatTurn(_CHATGPT[role], text, time_of(message.get("create_time"))[0])


def _turns_of_claude(conversation: dict[str, Any]) -> Iterator[ChatTurn]:
    for message in dicts(conversation["chat_messages"]):
        parts = [words(part.get("text")) for part in dicts(message.get("content")) if part.get("type") == "text"]
        text = ("\n".join(filter(None, parts)) or words(message.get("text"))).strip()
        speaker = _CLAUDE.get(words(message.get("sender")))
        if text and speaker:
            yield ChatTurn(speaker, text, time_of(message.get("created_at"))[0])


LISTS = ("channels.json", "users.json", "groups.json", "dms.json", "mpims.json")
"""Files at the top of an export, of which at least one is there."""

_SLACK_DAY = re.compile(r"(?:.*/)?(?P<channel>[^/]+)/\d{4}-\d\d-\d\d\.json")
_SLACK_LINK = re.compile(r"<(?P<target>[^<>|]+)(?:\|(?P<label>[^<>]*))?>")
_COMINGS = re.compile(r"(?:channel|group)_(?:join|leave)")


def is_slack(names: Iterable[str]) -> bool:
    """Whether these are the names of an export's files."""
    listed = set(names)
    return any(name in listed for name in LISTS) and any(map(_SLACK_DAY.fullmatch, listed))


def slack_chats(names: Iterable[str], read: Callable[[str], bytes], source: str) -> list[ChatConversation]:
    """The channels of an export, each a chat with the title "#general".

    `read` gives the bytes of a file; `source` is the export's name in messages. Raises `BadInput` if a file is
    damaged.
    """
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
        profile = message.get("user_profile") or message.get("bot_profile")
        own = _name_of_user(profile) if isinstance(profile, dict) else ""
        speaker = users.get(user) or own or words(message.get("username")) or user
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
    profile = user.get("profile")
    fields = {**user, **{key: value for key, value in profile.items() if value}} if isinstance(profile, dict) else user
    return next((name for key in ("display_name", "real_name", "name") if (name := words(fields.get(key)))), "")


_NO_CHAT = "holds no chat: exports of Slack, ChatGPT, Claude and WhatsApp can be read."


def convert(data: bytes, name: str) -> Converted:
    """The turns of an export, day by day; places are times with speakers. Raises `BadInput` if it holds no chat."""
    return as_document(chats_in(data, name))


def chats_in(data: bytes, name: str) -> list[ChatConversation]:
    """The chats of an export: a zip archive or a JSON file. Raises `BadInput` if it holds none."""
    chats = (
        _in_archive(data, name) if zipfile.is_zipfile(BytesIO(data)) else assistant_chats(parse_chat_json(data, name))
    )
    if not chats:
        raise BadInput(f"{name} {_NO_CHAT}")
    return chats


def _in_archive(data: bytes, name: str) -> list[ChatConversation]:
    archive = Archive(data, name, "zip")
    if is_slack(archive.members):
        return slack_chats(archive.members, archive.read, name)
    chats: list[ChatConversation] = []
    for member in sorted(archive.members):
        path = PurePosixPath(member)
        if path.name.startswith("conversations") and path.suffix == ".json":
            chats += assistant_chats(parse_chat_json(archive.read(member), f"{name} ({member!a})"))
        elif path.suffix == ".txt" and (chat := chat_of(decode(archive.read(member), f"{name} ({member!a})"))):
            chats.append(chat)
    return chats


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
